// SPDX-License-Identifier: Apache-2.0
// Families of input made to cost a reader time or memory: each grows to any size.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::test {

struct HostileInput {
  std::string name;
  std::string bytes;
};

inline std::string repeat_to(std::size_t size, std::string_view piece) {
  std::string out;
  while (out.size() < size) out += piece;
  return out;
}

// About `size` bytes of each family.
inline std::vector<HostileInput> hostile_inputs(std::size_t size) {
  const auto times = [size](std::string_view piece) { return repeat_to(size, piece); };
  const auto json_line = [](std::string_view inside) {
    return "{\"type\":\"assistant\",\"session_id\":\"s\",\"message\":{\"id\":\"m\",\"role\":"
           "\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" +
           std::string(inside) + "\"}]}}\n";
  };
  std::vector<HostileInput> all = {
      {"openers", times("<!-- WXCODE:X:{")},
      {"openers_with_text", times("<!-- WXCODE:STATUS:{\"a\":1 text ")},
      {"openers_in_strings", times("<!-- WXCODE:X:{\"a\":\"")},
      {"openers_by_line", times("<!-- WXCODE:X:{\n")},
      {"half_openers", times("<!-- WXCODE")},
      {"comment_starts", times("<!--")},
      {"angle_brackets", times("<")},
      {"unterminated_object", "<!-- WXCODE:STATUS:{\"a\":" + times("[")},
      {"unterminated_string", "<!-- WXCODE:STATUS:{\"a\":\"" + times("x")},
      {"unterminated_question", "<!--QUESTION:{\"questions\":[" + times("{\"question\":\"q\"},")},
      {"question_openers", times("<!--QUESTION:{")},
      {"question_openers_by_line", times("<!--QUESTION:{\"a\":\n")},
      {"question_white_space", times("<!--QUESTION:      ")},
      {"goto_names", "<!-- GOTO: " + times("a ")},
      {"payload_newlines", times("<!-- WXCODE:X:{\"a\":\n1} -->")},
      {"quotes", times("\"")},
      {"backslashes", "<!-- WXCODE:X:{\"a\":\"" + times("\\")},
      {"brackets", times("[")},
      {"marker_starts", times("[PROGRESS")},
      {"markers", times("[PROGRESS] x\n")},
      {"glued_markers", times("x[PROGRESS] ")},
      {"fences", times("```\n")},
      {"fence_without_end", times("`")},
      {"tildes_by_line", times("~~~~\n~~~\n")},
      {"quoted_markers", "```\n" + times("<!-- WXCODE:STATUS:{\"status\":\"x\"} -->")},
      {"block_quotes", times("> <!-- WXCODE:X:{\n")},
      {"long_line", times("a")},
      {"blank_lines", times("\n")},
      {"short_lines", times("a\n")},
      {"carriage_returns", times("\r")},
      {"blanks", times(" ")},
      {"tabs_by_line", times("\t\n")},
      {"blocked_context", "[BLOCKED] x\n" + times("line\n")},
      {"blocked_long_line", "[BLOCKED] x\n" + times("y")},
      {"question_text", "[QUESTION] x\n" + times("more\n")},
      {"question_options", "[QUESTION] x\nOptions:\n" + times("1. a - b\n")},
      {"question_descriptions", "[QUESTION] x\n1. a\n" + times("   more\n")},
      {"question_paragraph", "[QUESTION] x\n1. a\n\n" + times("more\n")},
      {"questions", times("[QUESTION] x\n1. a\n\n")},
      {"files", "[FILES_MODIFIED]\n" + times("- a (created)\n")},
      {"test_list", "[TEST_RESULTS] 1 passed\n" + times("- a (passed)\n")},
      {"lint_list", "[LINT_WARNINGS]\n" + times("- a:1:2: error x [r]\n")},
      {"commit_body", "[GIT_COMMIT_SUGGESTION] x\n\n" + times("body\n")},
      {"need_context", "[NEED_CONTEXT] " + times("a=b ")},
      {"open_tools", times("<!-- WXCODE:TOOL:{\"tool\":\"Read\",\"description\":\"d\"} -->\n")},
      {"invalid_utf8", times("\xFF")},
      {"split_characters", times("\xF0\x9F\x98")},
      {"deep_json", times("{\"a\":")},
      {"deep_arrays", times("[[[[")},
      {"json_line_unfinished", "{\"type\":\"assistant\",\"message\":\"" + times("x")},
      {"json_lines_unknown", times("{\"type\":\"x\"}\n")},
      {"json_lines_broken", times("{\"type\":\n")},
      {"json_lists_by_line", times("{\"a\":[\n{},\n")},
      {"json_list_without_end", "{\"a\":[\n" + times("{},\n")},
      {"json_text_of_markers", json_line(times("<!-- WXCODE:X:{"))},
      {"json_text_of_lines", json_line(times("[PROGRESS] x\\n"))},
      {"json_text_of_questions", json_line(times("[QUESTION] x\\n"))},
      {"json_escapes", json_line(times("\\u0041\\ud83d\\ude00\\n"))},
      {"json_tools", ""},
      {"json_keys", "{\"type\":\"assistant\",\"session_id\":\"s\""},
      {"duplicate_keys", "<!-- WXCODE:STATUS:{\"a\":1"},
      {"many_keys", "<!-- WXCODE:STATUS:{\"a\":1"},
      {"codex_items", "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n"},
      {"many_questions", ""},
  };
  std::size_t n = 0;
  for (HostileInput& input : all) {
    std::string& bytes = input.bytes;
    const bool grows = bytes.size() < size;
    for (; grows && bytes.size() < size; ++n) {
      const std::string id = std::to_string(n);
      if (input.name == "json_tools") {
        bytes +=
            "{\"type\":\"assistant\",\"session_id\":\"s\",\"message\":{\"content\":[{\"type\":"
            "\"tool_use\",\"id\":\"t" +
            id + "\",\"name\":\"Bash\",\"input\":{}}]}}\n";
      } else if (input.name == "json_keys" || input.name == "many_keys") {
        bytes += ",\"k" + id + "\":1";
      } else if (input.name == "duplicate_keys") {
        bytes += ",\"a\":1";
      } else if (input.name == "codex_items") {
        bytes +=
            "{\"type\":\"item.started\",\"item\":{\"id\":\"i" + id +
            "\",\"type\":\"command_execution\",\"command\":\"c\",\"status\":\"in_progress\"}}\n";
      } else if (input.name == "many_questions") {
        bytes +=
            "<!--QUESTION:{\"questions\":[{\"question\":\"q" + id + "\",\"options\":[]}]}-->\n";
      } else {
        break;
      }
    }
    if (input.name == "json_keys") bytes += ",\"message\":{}}\n";
    if (input.name == "many_keys" || input.name == "duplicate_keys") bytes += "} -->\n";
  }
  return all;
}

}  // namespace dragoman::test
