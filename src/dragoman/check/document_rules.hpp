// SPDX-License-Identifier: Apache-2.0
// Rules about a whole WXCODE document, from its events.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dragoman/event/event.hpp"

namespace dragoman::check {

// no_header and header_gap.
class DocumentRules {
 public:
  // (rule, origin of the marker at fault, message)
  using Report = std::function<void(std::string_view, const Origin&, std::string_view)>;

  explicit DocumentRules(Report report) : report_(std::move(report)) {}

  void event(const Event& event);
  void finish() { end_title_search(); }

 private:
  void start_title_search(const CommandStarted& command, const Origin& origin);
  void text(std::string_view words);
  [[nodiscard]] bool knows_next_line() const;
  void end_title_search();

  Report report_;
  bool header_seen_ = false;
  bool no_header_told_ = false;
  bool looking_for_title_ = false;
  std::string title_;          // of the last HEADER; empty: it has none to compare with
  std::string behind_header_;  // the text behind it, up to the end of the next line
  Origin header_;
};

}  // namespace dragoman::check
