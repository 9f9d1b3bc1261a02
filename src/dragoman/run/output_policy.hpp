// SPDX-License-Identifier: Apache-2.0
// How much of what an agent printed goes into an answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

enum class TaskState : std::uint8_t { queued, working, completed, failed, cancelled, timeout };
[[nodiscard]] std::string_view name(TaskState state);
[[nodiscard]] std::optional<TaskState> task_state_named(std::string_view name);
[[nodiscard]] inline bool is_terminal(TaskState state) {
  return state != TaskState::queued && state != TaskState::working;
}

// What is asked for loses against a failure: its output is always there.
[[nodiscard]] bool includes_output(TaskState state, std::optional<bool> asked);

inline constexpr std::size_t kDefaultOutputBytes = 65536;
inline constexpr std::size_t kMinOutputBytes = 1024;
inline constexpr std::size_t kMaxOutputBytes = 16 * 1024 * 1024;
inline constexpr std::size_t kStderrTail = 1024;
inline constexpr std::size_t kEventsShown = 50;

struct CutOutput {
  std::string stdout_text;
  std::string stderr_text;
  bool truncated = false;
  std::size_t original_size = 0;  // of both
  friend bool operator==(const CutOutput&, const CutOutput&) = default;
};

// At most `limit` bytes of both together, half of them promised to each. What is cut keeps its
// beginning and its end, with a line between that says so and counts; never half a code point.
[[nodiscard]] CutOutput cut_output(std::string_view out, std::string_view err, std::size_t limit);

}  // namespace dragoman
