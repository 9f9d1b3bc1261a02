// SPDX-License-Identifier: Apache-2.0
// The lines and comments that stand beside the six WXCODE types.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/dialect/line_value.hpp"
#include "dragoman/dialect/refused.hpp"
#include "dragoman/dialect/wxcode_markers.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

using std::string_view;

constexpr std::array<std::array<string_view, 2>, 6> kTags = {{
    {"dashboard", "DASHBOARD_UPDATED"},
    {"schema_dashboard", "SCHEMA_DASHBOARD_UPDATED"},
    {"schema_status", "SCHEMA_STATUS_UPDATED"},
    {"design_tokens", "DESIGN_TOKENS_UPDATED"},
    {"design_variables", "DESIGN_VARIABLES_UPDATED"},
    {"start_dev", "START_DEV_CREATED"},
}};

// A path or address is either written as it is or not at all: a mended one would be another one.
Result<std::optional<std::string>> tag_line(string_view tag, string_view value) {
  if (trimmed(value).empty()) return refused(fmt::format("{}: the value is empty", tag));
  if (on_one_line(value) != value || value.find("<!--") != string_view::npos) {
    return refused(fmt::format("{}: the value cannot stand on a line of its own", tag));
  }
  return std::optional(fmt::format("[WXCODE:{}] {}", tag, value));
}

Result<std::optional<std::string>> question(const Question& q) {
  if (trimmed(q.text).empty()) return refused("QUESTION: the text is empty");
  for (const Option& option : q.options) {
    if (option.label.empty()) return refused("QUESTION: an option without a label");
  }
  std::string out = "<!--QUESTION:";
  json::Writer w(out, json::Escapes::in_comment);
  w.begin_object().key("questions").begin_array().begin_object();
  w.key("question").string(q.text);
  if (q.header.data() != nullptr) w.key("header").string(q.header);
  w.key("options").begin_array();
  for (const Option& option : q.options) {
    w.begin_object().key("label").string(option.label);
    if (option.description.data() != nullptr) w.key("description").string(option.description);
    w.end_object();
  }
  w.end_array();
  if (q.multi_select) w.key("multiSelect").boolean(true);
  // A question without options takes free text anyway, one with options too unless it says no.
  if (q.free_text == q.options.empty()) w.key("freeText").boolean(q.free_text);
  if (q.secret) w.key("isSecret").boolean(*q.secret);
  w.end_object().end_array().end_object();
  return std::optional(std::move(out) + "-->");
}

bool is_step_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

Result<std::optional<std::string>> go_to(const GoTo& p) {
  if (const string_view why = step_fault(p.step); !why.empty())
    return refused(fmt::format("GOTO: the step {}", why));
  return std::optional(fmt::format("<!--GOTO:{}-->", p.step));
}

}  // namespace

string_view step_fault(string_view step) {
  if (step.empty()) return "is empty";
  if (step.front() == ' ' || step.back() == ' ') return "begins or ends with a blank";
  const auto legal = [](char c) { return is_step_letter(c) || c == '-' || c == ' '; };
  if (!std::ranges::all_of(step, legal))
    return "holds something else than letters, digits, '_', '-' and blanks";
  return is_step_letter(step[0]) ? "" : "does not begin with a letter, a digit or '_'";
}

string_view artifact_tag(string_view artifact) {
  const auto* const found =
      std::ranges::find(kTags, artifact, [](const auto& row) { return row[0]; });
  return found != kTags.end() ? (*found)[1] : string_view();
}

Result<std::optional<std::string>> wxcode_tag_line(const Event& event) {
  if (const auto* p = event.as<ArtifactUpdated>()) {
    const string_view tag = artifact_tag(p->artifact);
    if (tag.empty()) return refused(fmt::format("no tag reports the artifact '{}'", p->artifact));
    return tag_line(tag, p->path);
  }
  if (const auto* p = event.as<ServerReady>()) return tag_line("SERVER_READY", p->url);
  return std::optional<std::string>();
}

Result<std::optional<std::string>> comment_marker(const Event& event) {
  if (const auto* p = event.as<Question>()) return question(*p);
  if (event.kind() == Kind::completion_claimed)
    return std::optional<std::string>("<!--FINISHED-->");
  if (const auto* p = event.as<GoTo>()) return go_to(*p);
  return std::optional<std::string>();
}

}  // namespace dragoman
