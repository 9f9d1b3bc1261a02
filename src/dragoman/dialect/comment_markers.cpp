// SPDX-License-Identifier: Apache-2.0
// The lines and comments that stand beside the six WXCODE types.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/dialect/line_value.hpp"
#include "dragoman/dialect/refused.hpp"
#include "dragoman/dialect/wxcode_markers.hpp"
#include "dragoman/json/cursor.hpp"
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

// What the agent has a word for that our fields say: it is written from them.
constexpr std::array<string_view, 20> kFieldsOfQuestions = {
    "id",        "question", "text",    "prompt",      "header",       "options",    "freeText",
    "free_text", "type",     "isOther", "multiSelect", "multi_select", "isBlocking", "isSecret",
    "kind",      "source",   "state",   "context",     "blocking",     "secret"};

// Whether the option is as the document has it, whatever else it says.
bool is_well_formed(string_view option) {
  json::Cursor cursor(option);
  if (!cursor.next_is(json::Kind::object)) return false;
  bool labelled = false;
  string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool label = key == "label";
    const bool words = label || key == "description";
    const json::Value value = cursor.skip();
    if (words && !value.is(json::Kind::string)) return false;
    labelled = labelled || label;
  }
  return labelled;
}

// The options as they were read, where they say more than our fields do and all of them count.
std::optional<Raw> whole_options(const Event& event, const Question& q) {
  const auto found = std::ranges::find(event.extra, "options", &Extra::key);
  if (event.origin.dialect != Dialect::question || found == event.extra.end()) return std::nullopt;
  json::Cursor cursor(found->value.json);
  if (!cursor.next_is(json::Kind::array)) return std::nullopt;
  std::size_t count = 0;
  for (json::Elements elements(cursor); elements.next(); ++count) {
    if (!is_well_formed(cursor.skip().raw)) return std::nullopt;
  }
  return count == q.options.size() ? std::optional(found->value) : std::nullopt;
}

void put_options(json::Writer& w, const Question& q) {
  w.begin_array();
  for (const Option& option : q.options) {
    w.begin_object().key("label").string(option.label);
    if (option.description.data() != nullptr) w.key("description").string(option.description);
    w.end_object();
  }
  w.end_array();
}

// What a QUESTION comment says besides; the fields of another dialect mean nothing here.
void put_rest(json::Writer& w, const Event& event) {
  if (event.origin.dialect != Dialect::question) return;
  for (const Extra& extra : event.extra) {
    if (std::ranges::find(kFieldsOfQuestions, extra.key) == kFieldsOfQuestions.end())
      w.key(extra.key).raw(extra.value);
  }
}

Result<std::optional<std::string>> question(const Event& event, const Question& q) {
  if (trimmed(q.text).empty()) return refused("QUESTION: the text is empty");
  for (const Option& option : q.options) {
    if (option.label.empty()) return refused("QUESTION: an option without a label");
  }
  std::string out = "<!--QUESTION:";
  json::Writer w(out, json::Escapes::in_comment);
  w.begin_object().key("questions").begin_array().begin_object();
  w.key("question").string(q.text);
  if (q.header.data() != nullptr) w.key("header").string(q.header);
  w.key("options");
  if (const auto whole = whole_options(event, q)) {
    w.raw(*whole);
  } else {
    put_options(w, q);
  }
  if (q.multi_select) w.key("multiSelect").boolean(true);
  // A question without options takes free text anyway, one with options too unless it says no.
  if (q.free_text == q.options.empty()) w.key("freeText").boolean(q.free_text);
  if (q.secret) w.key("isSecret").boolean(*q.secret);
  put_rest(w, event);
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
  if (const auto* p = event.as<Question>()) return question(event, *p);
  if (event.kind() == Kind::completion_claimed)
    return std::optional<std::string>("<!--FINISHED-->");
  if (const auto* p = event.as<GoTo>()) return go_to(*p);
  return std::optional<std::string>();
}

}  // namespace dragoman
