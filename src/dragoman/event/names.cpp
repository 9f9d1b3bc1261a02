// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/names.hpp"

#include <array>
#include <cstddef>

namespace dragoman {
namespace {

template <std::size_t N>
using Names = std::array<std::string_view, N>;

// In the order of the enumerations.
constexpr Names<kKinds> kKindNames = {"session_started",
                                      "command_started",
                                      "text",
                                      "thinking",
                                      "tool_started",
                                      "tool_finished",
                                      "status",
                                      "question",
                                      "blocked",
                                      "files_changed",
                                      "next_action",
                                      "failure",
                                      "usage",
                                      "rate_limited",
                                      "completion_claimed",
                                      "turn_finished",
                                      "finished",
                                      "artifact_updated",
                                      "server_ready",
                                      "goto",
                                      "context_request",
                                      "test_results",
                                      "lint_warnings",
                                      "dependency_needed",
                                      "commit_suggestion",
                                      "quoted_marker",
                                      "malformed",
                                      "oversize",
                                      "unknown",
                                      "diagnostic"};
constexpr Names<4> kOutcomes = {"ok", "failed", "denied", "abandoned"};
constexpr Names<3> kQuestionKinds = {"question", "approval", "blocked"};
constexpr Names<5> kQuestionSources = {"comment", "ask_user_question", "marker",
                                       "request_user_input", "permission"};
constexpr Names<4> kQuestionStates = {"open", "answered", "withdrawn", "unanswered"};
constexpr Names<4> kGrants = {"allow_once", "allow_session", "allow_always", "deny"};
constexpr Names<5> kFileActions = {"created", "modified", "deleted", "renamed", "unknown"};
constexpr Names<3> kRecoverables = {"true", "false", "unknown"};
constexpr Names<4> kScopes = {"message", "turn", "thread", "run"};
constexpr Names<3> kLevels = {"error", "warning", "info"};

template <std::size_t N, typename Enum>
std::string_view at(const Names<N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

template <std::size_t N, typename Enum>
bool set(const Names<N>& names, Enum& value, std::string_view wanted) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == wanted) {
      value = static_cast<Enum>(i);
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view name(Kind kind) { return at(kKindNames, kind); }
std::optional<Kind> kind_named(std::string_view name) {
  Kind kind{};
  if (!set(kKindNames, kind, name)) return std::nullopt;
  return kind;
}

std::string_view name(Outcome value) { return at(kOutcomes, value); }
std::string_view name(QuestionKind value) { return at(kQuestionKinds, value); }
std::string_view name(QuestionSource value) { return at(kQuestionSources, value); }
std::string_view name(QuestionState value) { return at(kQuestionStates, value); }
std::string_view name(Grant value) { return at(kGrants, value); }
std::string_view name(FileAction value) { return at(kFileActions, value); }
std::string_view name(Recoverable value) { return at(kRecoverables, value); }
std::string_view name(UsageScope value) { return at(kScopes, value); }
std::string_view name(Level value) { return at(kLevels, value); }

bool set_from_name(Outcome& value, std::string_view name) { return set(kOutcomes, value, name); }
bool set_from_name(QuestionKind& value, std::string_view name) {
  return set(kQuestionKinds, value, name);
}
bool set_from_name(QuestionSource& value, std::string_view name) {
  return set(kQuestionSources, value, name);
}
bool set_from_name(QuestionState& value, std::string_view name) {
  return set(kQuestionStates, value, name);
}
bool set_from_name(Grant& value, std::string_view name) { return set(kGrants, value, name); }
bool set_from_name(FileAction& value, std::string_view name) {
  return set(kFileActions, value, name);
}
bool set_from_name(Recoverable& value, std::string_view name) {
  return set(kRecoverables, value, name);
}
bool set_from_name(UsageScope& value, std::string_view name) { return set(kScopes, value, name); }
bool set_from_name(Level& value, std::string_view name) { return set(kLevels, value, name); }

}  // namespace dragoman
