// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/news.hpp"

#include <algorithm>

namespace dragoman::show {

bool is_mere_progress(Kind kind) {
  switch (kind) {
    case Kind::session_started:
    case Kind::command_started:
    case Kind::thinking:
    case Kind::files_changed:
    case Kind::next_action:
    case Kind::completion_claimed:
    case Kind::artifact_updated:
    case Kind::server_ready:
    case Kind::go_to:
    case Kind::commit_suggestion:
    case Kind::quoted_marker:
    case Kind::unknown:
      return true;
    case Kind::text:
    case Kind::tool_started:
    case Kind::tool_finished:
    case Kind::status:
    case Kind::question:
    case Kind::blocked:
    case Kind::failure:
    case Kind::usage:
    case Kind::rate_limited:
    case Kind::turn_finished:
    case Kind::finished:
    case Kind::context_request:
    case Kind::test_results:
    case Kind::lint_warnings:
    case Kind::dependency_needed:
    case Kind::malformed:
    case Kind::oversize:
    case Kind::diagnostic:
      return false;
  }
  return false;
}

bool is_good_news(const Event& event) {
  const auto is_no_error = [](const LintItem& item) { return item.severity != "error"; };
  if (const auto* p = event.as<ToolFinished>()) return p->outcome == Outcome::ok;
  if (const auto* p = event.as<Status>()) return p->status != "failed";
  if (const auto* p = event.as<RateLimited>())
    return p->status == "allowed" || p->status == "allowed_warning";
  if (const auto* p = event.as<TurnFinished>()) return p->ok;
  if (const auto* p = event.as<Finished>()) return p->verdict == "completed";
  if (const auto* p = event.as<TestResults>()) return p->failed == 0;
  if (const auto* p = event.as<LintWarnings>())
    return std::all_of(p->items.begin(), p->items.end(), is_no_error);
  if (const auto* p = event.as<Diagnostic>()) return p->level != Level::error;
  return is_mere_progress(event.kind());
}

}  // namespace dragoman::show
