// SPDX-License-Identifier: Apache-2.0
// WXCODE markers as they are written: the comment for programs, the line for people.
#pragma once

#include <optional>
#include <string>

#include "dragoman/base/result.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

struct WxcodeComment {
  std::string comment;  // <!-- WXCODE:STATUS:{…} -->
  std::string human;    // one line, an ERROR with a suggestion two; no newline at the end
  // HEADER: nothing may come between the comment and its title, so that both travel in one chunk.
  bool title_follows = false;
};

inline constexpr std::size_t kMaxToolOutput = 200;  // code points, by the specification

// Absent: there is no such marker for this event. An Error: there is, and the event breaks its
// rules.
[[nodiscard]] Result<std::optional<WxcodeComment>> wxcode_marker(const Event& event);

// "[WXCODE:SERVER_READY] http://localhost:3000", without a newline.
[[nodiscard]] Result<std::optional<std::string>> wxcode_tag_line(const Event& event);

// <!--QUESTION:{"questions":[…]}-->, <!--FINISHED-->, <!--GOTO:…-->
[[nodiscard]] Result<std::optional<std::string>> comment_marker(const Event& event);

// Why `step` is none that a GOTO can name; empty: it is one.
[[nodiscard]] std::string_view step_fault(std::string_view step);

// The tag that reports an artifact ("dashboard" → DASHBOARD_UPDATED); empty when there is none.
[[nodiscard]] std::string_view artifact_tag(std::string_view artifact);

}  // namespace dragoman
