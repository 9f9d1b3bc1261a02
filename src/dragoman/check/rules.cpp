// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/rules.hpp"

#include <algorithm>
#include <array>

namespace dragoman::check {
namespace {

constexpr bool kForm = true;
constexpr bool kNoForm = false;

constexpr std::array kRules = {
    Rule{"schema", Level::error, kNoForm,
         "an envelope or payload is not what its JSON Schema wants",
         "print the schema with: dragoman schema ID"},
    Rule{"malformed", Level::error, kNoForm,
         "a marker or line that cannot be read; it has no effect",
         "write it whole, as its dialect asks; the reason in front of the message says what is "
         "wrong"},
    Rule{"oversize", Level::error, kNoForm, "a line longer than the line cap",
         "split the line, or raise the cap: --line-cap 64MiB"},
    Rule{"unsupported_encoding", Level::error, kNoForm, "the input is UTF-16",
         "convert it to UTF-8"},

    Rule{"near_miss", Level::warning, kForm, "meant as a comment marker, but not spelled as one",
         "spell it as the message has it, with exactly its spaces"},
    Rule{"glued_marker", Level::warning, kForm,
         "a bracket marker that does not stand alone at the start of its line",
         "start a new line before the marker and leave a space behind it"},
    Rule{"leading_space", Level::warning, kForm, "blanks before a bracket marker",
         "start the marker in column 1"},
    Rule{"spacing", Level::warning, kForm, "not exactly one space between a marker and its text",
         "write one space behind the closing bracket"},
    Rule{"missing_field", Level::warning, kForm, "a required field is missing or empty",
         "add the field, with a value"},
    Rule{"field_type", Level::warning, kForm, "a field has the wrong JSON type",
         "write a value of the documented type"},
    Rule{"unknown_value", Level::warning, kForm, "a field has a value that is not in its list",
         "use one of the documented values"},
    Rule{"unknown", Level::info, kForm, "a type or line that no rule explains",
         "check the spelling of the type"},
    Rule{"progress_range", Level::warning, kForm, "progress is outside 0..100",
         "write a number from 0 to 100"},
    Rule{"duplicate_key", Level::warning, kForm,
         "a JSON object has the same key twice; the last one counts", "keep one of them"},
    Rule{"lone_surrogate", Level::warning, kForm, "half of a surrogate pair in a string",
         "escape the whole pair"},
    Rule{"invalid_utf8", Level::warning, kForm, "bytes that are not UTF-8", "write UTF-8"},
    Rule{"number_range", Level::warning, kForm, "a number that no machine number holds",
         "write a smaller number"},
    Rule{"template", Level::warning, kForm, "a template that was not filled in",
         "write the value it stands for"},
    Rule{"output_too_long", Level::warning, kForm,
         "TOOL_RESULT.output has more than 200 characters", "cut the output to 200 characters"},
    Rule{"question_shape", Level::warning, kForm, "a question payload of an unusual shape",
         R"(write it as {"questions":[{"question":…,"options":[{"label":…}]}]})"},
    Rule{"option_count", Level::warning, kForm, "a question without 2 to 4 options",
         "offer 2 to 4 options, or none"},
    Rule{"file_entry", Level::warning, kForm, "a FILES_MODIFIED line without a known action",
         "write '- path (created|modified|deleted)'"},
    Rule{"complete_count", Level::warning, kForm, "CODEX_COMPLETE without its number",
         "write '[CODEX_COMPLETE] Task completed in N iterations'"},
    Rule{"bom", Level::warning, kForm, "the stream starts with a byte order mark",
         "write UTF-8 without a mark"},
    Rule{"delegator_variant", Level::warning, kForm, "an envelope in an older or looser form",
         "write the fields as schemas/delegator has them"},
    Rule{"duplicate_line", Level::warning, kForm, "a line that came before, by its uuid",
         "print each line once"},

    Rule{"quoted_marker", Level::warning, kNoForm, "a marker in quoted text; it has no effect",
         "take it out of the fence, quote or indentation if it was meant"},
    Rule{"unclosed_fence", Level::warning, kNoForm, "a code fence that is never closed",
         "close the fence"},
    Rule{"no_header", Level::warning, kNoForm, "WXCODE markers before any HEADER",
         "start each command with a HEADER marker"},
    Rule{"result_mismatch", Level::warning, kNoForm,
         "the result line differs from the last message", "take the answer from the last message"},
    Rule{"empty_turn", Level::warning, kNoForm, "a turn that completed without doing anything", ""},
    Rule{"mcp_server", Level::warning, kNoForm, "an MCP server of the agent did not start",
         "mend or remove the server in the agent's configuration"},
    Rule{"agent_warning", Level::warning, kNoForm, "the agent complained and went on", ""},

    Rule{"header_gap", Level::info, kNoForm, "a HEADER is not directly followed by its title line",
         "put '## title' on the next line, so that both travel together"},
    Rule{"noise", Level::info, kNoForm, "a line that is no JSON in a JSON-line stream",
         "write it to stderr"},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view id) {
  const auto it =
      std::find_if(kRules.begin(), kRules.end(), [id](const Rule& rule) { return rule.id == id; });
  return it == kRules.end() ? nullptr : &*it;
}

Level level_in(Mode mode, const Rule& rule, Level said) {
  if (mode == Mode::strict && rule.form && said != Level::info) return Level::error;
  return said;
}

}  // namespace dragoman::check
