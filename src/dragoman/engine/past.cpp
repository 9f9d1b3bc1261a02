// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/past.hpp"

#include <algorithm>
#include <array>
#include <csignal>

#include <fmt/format.h>

#include "dragoman/event/json.hpp"
#include "dragoman/record/documents.hpp"
#include "dragoman/record/file.hpp"

namespace dragoman::engine {
namespace {

constexpr std::uint64_t kLargestSeq = std::uint64_t{1} << 53U;
constexpr std::chrono::microseconds kLongest = std::chrono::hours(24 * 366);

std::uint64_t lines_in(const std::filesystem::path& path) {
  const auto file = record::File::open(path);
  if (!file) return 0;
  std::uint64_t lines = 0;
  std::array<char, 64 * 1024> piece;
  for (std::uint64_t at = 0;;) {
    const std::size_t got = file->read(piece.data(), piece.size(), at);
    if (got == 0) return lines;
    lines += static_cast<std::uint64_t>(
        std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got), '\n'));
    at += got;
  }
}

}  // namespace

Result<Past> read_past(const std::filesystem::path& directory) {
  Past past;
  // One that cannot be read says nothing, and this turn's end replaces it.
  const auto end = record::read_whole(directory / "exit.json", record::kLargestDocument);
  if (!end || (*end && !record::read_exit(**end))) {
    past.notes.emplace_back("its exit.json cannot be read");
    std::error_code gone;
    std::filesystem::remove(directory / "exit.json", gone);
  }
  DRAGOMAN_TRY(const auto reader, record::Reader::open(directory));
  past.command = reader->command();
  if (auto events = reader->events()) {
    past.events = *std::move(events);
  } else {
    past.notes.push_back(events.error().message);
  }
  std::optional<Timestamp> last;
  Arena arena;
  const std::size_t broken = std::erase_if(past.events, [&](const std::string& line) {
    arena.reset();
    const auto event = read_event(line, arena);
    if (!event) return true;
    if (event->seq <= kLargestSeq) past.position.seq = std::max(past.position.seq, event->seq);
    if (event->ts) last = event->ts;
    return false;
  });
  if (broken > 0) past.notes.push_back(fmt::format("{} of its events cannot be read", broken));
  past.position.stdout_lines = lines_in(directory / "stdout");
  past.position.stderr_lines = lines_in(directory / "stderr");
  const auto begun = parse_timestamp(past.command.started_at);
  constexpr int kKilled = 128 + SIGKILL;
  past.exit_code = kKilled;
  if (const auto& exit = reader->exit()) {
    past.wall = exit->wall;
    past.exit_code = exit->how == "exited" ? exit->code : 128 + exit->code;
  } else if (begun && last) {
    past.wall = *last - *begun;
  }
  past.wall = std::clamp<std::chrono::microseconds>(past.wall, {}, kLongest);
  return past;
}

}  // namespace dragoman::engine
