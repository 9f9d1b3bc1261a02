// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/malformed.hpp"

#include <fmt/format.h>

#include "dragoman/check/rules.hpp"

namespace dragoman::check {
namespace {

struct Row {
  std::string_view reason;
  std::string_view line;     // of a JSON line
  std::string_view comment;  // of a comment; a bracket marker has no such reason
};
constexpr Row kRows[] = {
    {"bad_json", "write the line as one valid JSON object",
     "write what stands behind the colon as valid JSON"},
    {"not_an_object", "write the line as one JSON object: {…}",
     "write a JSON object behind the colon: {…}"},
    {"newline", "write the object on one line, a line break in a text as \\n",
     "write the whole comment on one line, a line break in a text as \\n"},
    {"too_deep", "put fewer objects and lists inside one another",
     "put fewer objects and lists inside one another"},
    {"truncated_tail", "the stream ends within this line: let its writer end it",
     "the stream ends within this marker: let its writer end it"},
};

}  // namespace

std::string message_of(const Malformed& malformed) {
  if (malformed.detail.empty()) return std::string(malformed.reason);
  return fmt::format("{}: {}", malformed.reason, more_than_reason(malformed));
}

std::string_view hint_for(const Malformed& malformed, Dialect dialect) {
  const bool comment = dialect == Dialect::wxcode || dialect == Dialect::question;
  const std::string_view reason = malformed.reason;
  if (reason == "no_terminator" || reason == "unterminated") {
    return dialect == Dialect::question ? "close the comment with '-->' right behind the JSON"
                                        : "close the comment with exactly ' -->'";
  }
  if (reason == "empty_value") return "write the value behind the bracket, on the same line";
  if (reason == "missing_field" && malformed.type == "QUESTION")
    return R"(ask at least one question: {"questions":[{"question":…,"options":[…]}]})";
  for (const Row& row : kRows) {
    if (row.reason == reason) return comment ? row.comment : row.line;
  }
  const Rule* const rule = find_rule(reason);
  return rule != nullptr ? rule->hint : std::string_view();
}

}  // namespace dragoman::check
