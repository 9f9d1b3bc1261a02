// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/document_rules.hpp"

namespace dragoman::check {
namespace {

constexpr std::string_view kTitleStart = "\n## ";

bool is_wxcode_comment(const Event& event) {
  if (event.origin.dialect != Dialect::wxcode) return false;
  switch (event.kind()) {
    case Kind::tool_started:
    case Kind::tool_finished:
    case Kind::status:
    case Kind::next_action:
    case Kind::failure:
      return true;
    default:
      return false;
  }
}

}  // namespace

void DocumentRules::event(const Event& event) {
  if (const auto* words = event.as<DisplayText>(); words != nullptr) {
    if (looking_for_title_) text(words->text.str());
    return;
  }
  if (event.kind() == Kind::diagnostic)
    return;  // says something about a neighbour, stands nowhere itself
  end_title_search();
  if (event.kind() == Kind::command_started) {
    header_seen_ = true;
    looking_for_title_ = true;
    behind_header_.clear();
    header_ = event.origin;
    header_.parent = {};
  } else if (!header_seen_ && !no_header_told_ && is_wxcode_comment(event)) {
    no_header_told_ = true;
    report_("no_header", event.origin, "a WXCODE marker stands before any HEADER");
  }
}

void DocumentRules::text(std::string_view words) {
  behind_header_.append(words.substr(0, 16));
  if (behind_header_.starts_with("\r\n")) behind_header_.erase(0, 1);
  if (behind_header_.size() >= kTitleStart.size()) end_title_search();
}

void DocumentRules::end_title_search() {
  if (!looking_for_title_) return;
  looking_for_title_ = false;
  if (behind_header_.starts_with(kTitleStart)) return;
  report_("header_gap", header_, "the line behind a HEADER should be its title: ## …");
}

}  // namespace dragoman::check
