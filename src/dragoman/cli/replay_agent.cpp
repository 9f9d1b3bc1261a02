// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/replay_agent.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/json/number.hpp"
#include "dragoman/record/file.hpp"

namespace dragoman::cli {
namespace {

constexpr std::uint64_t kLargestStarts = std::uint64_t{64} << 20U;

void put_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

[[noreturn]] void hang() {
  while (true) ::pause();
}

// What an MCP server or a dev server does that an agent forgot: out of its session and its group,
// with the pipe still open.
void leave_an_orphan() {
  const pid_t child = ::fork();
  if (child != 0) return;
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  put_all(STDERR_FILENO, fmt::format("orphan {}\n", ::getpid()));
  hang();
}

// Reads as much as the program did: that many lines of a conversation, or all of a prompt.
class RealStdin {
 public:
  void lines(std::size_t count) {
    std::array<char, 1> byte;
    while (count > 0 && !over_) {
      const ssize_t got = ::read(STDIN_FILENO, byte.data(), 1);
      if (got < 0 && errno == EINTR) continue;
      over_ = got <= 0;
      if (byte[0] == '\n') --count;
    }
  }
  void all() {
    std::array<char, 4096> buffer;
    while (!over_) {
      const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      over_ = got <= 0;
    }
  }

 private:
  bool over_ = false;
};

std::string_view inside(const record::Chunk& chunk, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t begin = std::max(from, chunk.offset);
  const std::uint64_t end = std::min(to, chunk.offset + chunk.bytes.size());
  if (begin >= end) return {};
  return chunk.bytes.substr(begin - chunk.offset, end - begin);
}

int end_as(const record::Reader& run, const ReplayPart& part, const Faults& faults) {
  if (faults.error_exit_zero) return 0;
  if (part.exit_code.has_value()) return *part.exit_code;
  if (!run.exit().has_value()) return 1;
  if (run.exit()->how == "exited") return run.exit()->code;
  (void)std::signal(run.exit()->code, SIG_DFL);
  (void)::raise(run.exit()->code);
  return 128 + run.exit()->code;
}

}  // namespace

std::chrono::steady_clock::time_point ReplayPace::due(std::chrono::microseconds at) const {
  const std::chrono::duration<double, std::micro> after =
      std::chrono::duration<double, std::micro>(at - first_.value_or(at)) / speed;
  return start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(after);
}

bool ReplayPace::is_ahead_of(std::chrono::microseconds at) const {
  return speed > 0 && due(at) > std::chrono::steady_clock::now();
}

void ReplayPace::wait_for(std::chrono::microseconds at) {
  if (!first_.has_value()) first_ = at;
  if (speed > 0) std::this_thread::sleep_until(due(at));
}

std::optional<ReplayPart> replay_part(const std::filesystem::path& run, std::size_t start) {
  const auto text = record::read_whole(run / "starts.jsonl", kLargestStarts);
  if (!text || !*text) return start == 1 ? std::optional(ReplayPart{}) : std::nullopt;
  std::istringstream lines(**text);
  ReplayPart part;
  ReplayPart next;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    part = next;
    json::Cursor c(line);
    json::Members members(c);
    for (std::string_view key; members.next(key);) {
      const std::string name(key);
      const auto value =
          static_cast<std::uint64_t>(json::parse_number(c.take().raw).value.whole().value_or(0));
      if (name == "stdin") part.stdin_to = next.stdin_from = value;
      if (name == "stdout") part.stdout_to = next.stdout_from = value;
      if (name == "stderr") part.stderr_to = next.stderr_from = value;
      if (name == "exit_code") part.exit_code = static_cast<int>(value);
    }
    if (++number == start) return part;
  }
  return std::nullopt;
}

int replay_as_agent(record::Reader& run, const ReplayPart& part, ReplayPace pace,
                    const Faults& faults) {
  RealStdin input;
  if (faults.orphan) leave_an_orphan();
  if (faults.hang_on_stdin) {
    input.all();
    hang();
  }
  const agent::AgentRow* const agent = agent::find_agent(run.command().agent);
  const bool converses =
      agent != nullptr && agent->stdin_then == agent::Launch::Stdin::conversation;
  FaultyOutput output(faults, [](std::string_view bytes) { put_all(STDOUT_FILENO, bytes); });
  auto then = FaultyOutput::Then::go_on;
  while (then == FaultyOutput::Then::go_on) {
    const auto chunk = run.next();
    if (!chunk.has_value()) break;
    switch (chunk->channel) {
      case record::Channel::stdin_: {
        const std::string_view bytes = inside(*chunk, part.stdin_from, part.stdin_to);
        if (bytes.empty()) break;
        if (converses) {
          input.lines(static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')));
        } else {
          input.all();
        }
        break;
      }
      case record::Channel::stdout_: {
        const std::string_view bytes = inside(*chunk, part.stdout_from, part.stdout_to);
        if (!bytes.empty()) pace.wait_for(chunk->at);
        then = output.push(bytes);
        break;
      }
      case record::Channel::stderr_:
        put_all(STDERR_FILENO, inside(*chunk, part.stderr_from, part.stderr_to));
        break;
    }
  }
  if (then == FaultyOutput::Then::go_on) then = output.finish();
  if (then == FaultyOutput::Then::hang) hang();
  return end_as(run, part, faults);
}

}  // namespace dragoman::cli
