// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/agent_lines.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "dragoman/agent/table.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/record/file.hpp"
#include "dragoman/task/printed.hpp"

namespace dragoman::task {

namespace {

constexpr std::size_t kPiece = 256 * 1024;

bool is_object(std::string_view line) {
  json::Cursor cursor(line, json::Cursor::Scalars::exact);
  if (!cursor.next_is(json::Kind::object)) return false;
  (void)cursor.skip();
  return cursor.finish() && !cursor.saw_invalid_utf8();
}

// Takes the stream piece by piece; of lines longer than `longest` only their number is kept.
class Lines {
 public:
  Lines(std::size_t most, std::size_t longest) : most_(most), longest_(longest) {}

  void push(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view piece = bytes.substr(0, end);
      if (line_.size() <= longest_) line_.append(piece.substr(0, longest_ + 1));
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      end_line();
    }
  }

  [[nodiscard]] AgentLines take(std::size_t room) {
    std::erase_if(last_, [](const std::string& line) { return !is_object(line); });
    return {count_, last_that_fit({std::make_move_iterator(last_.begin()),
                                   std::make_move_iterator(last_.end())},
                                  room)};
  }

 private:
  void end_line() {
    if (line_.starts_with('{')) {
      ++count_;
      last_.push_back(line_.size() > longest_ ? std::string() : line_);
      if (last_.size() > most_) last_.pop_front();
    }
    line_.clear();
  }

  std::size_t most_;
  std::size_t longest_;
  std::uint64_t count_ = 0;
  std::string line_;
  std::deque<std::string> last_;
};

bool read_stream(const std::filesystem::path& recording, Lines& lines) {
  const auto file = record::File::open(recording / "stdout");
  if (!file) return false;
  std::string piece(kPiece, '\0');
  for (std::uint64_t at = 0;;) {
    const std::size_t got = file->read(piece.data(), piece.size(), at);
    if (got == 0) return true;
    lines.push({piece.data(), got});
    at += got;
  }
}

}  // namespace

std::vector<std::string> last_that_fit(std::vector<std::string> lines, std::size_t room) {
  std::vector<std::string> kept;
  std::size_t left = room;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (line->size() > room) continue;
    if (line->size() > left) break;
    left -= line->size();
    kept.push_back(std::move(*line));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

std::optional<AgentLines> agent_lines(const Task& task, std::size_t most, std::size_t bytes) {
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  if (task.recording.empty() || agent == nullptr || !agent->speaks_json()) return std::nullopt;
  Lines lines(most, bytes);
  const auto starts = recorded_starts(task);
  if (starts.empty() || !read_stream(starts.front(), lines)) return std::nullopt;
  for (auto later = starts.begin() + 1; later != starts.end(); ++later) {
    if (!read_stream(*later, lines)) break;
  }
  return lines.take(bytes);
}

}  // namespace dragoman::task
