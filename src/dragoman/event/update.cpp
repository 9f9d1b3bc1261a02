// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/update.hpp"

namespace dragoman {
namespace {

// An answer says nothing of the question but its id.
bool is_answer(const Question& question) {
  return question.state == QuestionState::answered || question.state == QuestionState::withdrawn;
}

}  // namespace

bool may_grow(const Event& event) {
  if (event.origin.dialect != Dialect::markers) return false;
  switch (event.kind()) {
    case Kind::question:
      return !is_answer(*event.as<Question>());
    case Kind::blocked:
    case Kind::files_changed:
    case Kind::test_results:
    case Kind::lint_warnings:
    case Kind::dependency_needed:
    case Kind::commit_suggestion:
      return true;
    default:
      return false;
  }
}

bool has_grown(const Origin& before, const Origin& now) {
  return before.length > 0 && now.length > before.length && now.offset == before.offset &&
         now.at == before.at && now.stream == before.stream;
}

bool is_update(const Event& before, const Event& now) {
  if (before.kind() != now.kind()) return false;
  const auto* asked = before.as<Question>();
  const auto* again = now.as<Question>();
  if (asked != nullptr && again != nullptr && !again->id.empty() && asked->id == again->id) {
    return true;
  }
  return may_grow(before) && may_grow(now) && has_grown(before.origin, now.origin);
}

}  // namespace dragoman
