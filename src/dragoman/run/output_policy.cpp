// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/output_policy.hpp"

#include <array>

#include "dragoman/base/cut.hpp"

namespace dragoman {

namespace {

constexpr std::array<std::string_view, 6> kStates = {"queued", "working",   "completed",
                                                     "failed", "cancelled", "timeout"};

}  // namespace

std::string_view name(TaskState state) { return kStates[static_cast<std::size_t>(state)]; }

std::optional<TaskState> task_state_named(std::string_view name) {
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    if (kStates[i] == name) return static_cast<TaskState>(i);
  }
  return std::nullopt;
}

bool includes_output(TaskState state, std::optional<bool> asked) {
  switch (state) {
    case TaskState::failed:
    case TaskState::timeout:
      return true;
    case TaskState::queued:
    case TaskState::working:
    case TaskState::completed:
    case TaskState::cancelled:
      return asked.value_or(false);
  }
  return false;
}

CutOutput cut_output(std::string_view out, std::string_view err, std::size_t limit) {
  CutOutput result;
  result.original_size = out.size() + err.size();
  result.truncated = result.original_size > limit;
  const std::size_t half = limit / 2;
  std::size_t out_share = half;
  std::size_t err_share = half;
  if (!result.truncated || out.size() <= half) {
    out_share = out.size();
    err_share = limit - (result.truncated ? out.size() : 0);
  } else if (err.size() <= half) {
    err_share = err.size();
    out_share = limit - err.size();
  }
  result.stdout_text = cut_middle(out, out_share);
  result.stderr_text = cut_middle(err, err_share);
  return result;
}

}  // namespace dragoman
