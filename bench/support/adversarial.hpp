// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/event/origin.hpp"

namespace dragoman::bench {

// Input made to hurt a careless reader: one idea, in any size.
struct Adversary {
  std::string_view name;
  dragoman::Dialect dialect;
  std::function<std::string(std::size_t bytes)> make;
};

namespace adversary {

// `unit` again and again, at least `bytes` of it.
inline std::string repeated(std::string_view unit, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + unit.size());
  while (text.size() < bytes) text += unit;
  return text;
}

inline auto repeat(std::string_view unit) {
  return [unit](std::size_t bytes) { return repeated(unit, bytes); };
}

inline auto wrapped(std::string_view head, std::string_view unit, std::string_view tail) {
  return [head, unit, tail](std::size_t bytes) {
    return std::string(head) + repeated(unit, bytes) + std::string(tail);
  };
}

// The same line with another number in it each time: nothing can be folded together.
inline auto numbered(std::string_view before, std::string_view after) {
  return [before, after](std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; text.size() < bytes; ++i) {
      text += before;
      text += std::to_string(i);
      text += after;
    }
    return text;
  };
}

// Calls that are all open at once, then answered from the last to the first.
inline std::string calls_answered_backwards(std::size_t bytes) {
  constexpr std::string_view kCall =
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{},"id":"t)";
  constexpr std::string_view kResult =
      R"({"type":"user","message":{"content":[{"type":"tool_result","content":"","tool_use_id":"t)";
  const std::size_t count = bytes / 200;
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += std::string(kCall) + std::to_string(i) + "\"}]}}\n";
  for (std::size_t i = count; i > 0; --i) {
    text += std::string(kResult) + std::to_string(i - 1) + "\"}]}}\n";
  }
  return text;
}

inline constexpr std::string_view kTextLine =
    R"({"type":"assistant","message":{"content":[{"type":"text","text":")";
inline constexpr std::string_view kTextLineEnd = "\"}]}}\n";

inline std::vector<Adversary> all() {
  using enum dragoman::Dialect;
  return {
      {"OpenersOfPayloads", wxcode, repeat("<!-- WXCODE:X:{")},
      {"Openers", wxcode, repeat("<!-- WXCODE:")},
      {"CommentStarts", wxcode, repeat("<!--")},
      {"CommentStartsWithBlanks", wxcode, repeat("<!--                    ")},
      {"OneCommentOfBlanks", wxcode, wrapped("<!--", " ", "")},
      {"AngleBrackets", wxcode, repeat("<")},
      {"AStringThatNeverEnds", wxcode, wrapped("<!-- WXCODE:STATUS:{\"a\":\"", "a} -->", "")},
      {"OpenersInAString", wxcode,
       wrapped("<!-- WXCODE:STATUS:{\"a\":\"", "<!-- WXCODE:X:{\"a\":\"", "")},
      {"ObjectsInObjects", wxcode, wrapped("<!-- WXCODE:STATUS:", "{\"a\":", "")},
      {"PayloadsWithANewline", wxcode, repeat("<!-- WXCODE:STATUS:{\"a\":1,\n")},
      {"PayloadsWithoutTerminator", wxcode, repeat("<!-- WXCODE:STATUS:{\"a\":1}  ")},
      {"ManyKeys", wxcode,
       [](std::size_t bytes) {
         return "<!-- WXCODE:STATUS:{" + numbered("\"key", "\":1,")(bytes) + "\"z\":1} -->";
       }},
      {"TheSameKey", wxcode, wrapped("<!-- WXCODE:STATUS:{", "\"a\":1,", "\"a\":1} -->")},
      {"ToolsNeverClosed", wxcode, numbered("<!-- WXCODE:TOOL:{\"tool\":\"T", "\"} -->")},
      {"ToolsOfOneName", wxcode,
       [](std::size_t bytes) {
         return repeated("<!-- WXCODE:TOOL:{\"tool\":\"Bash\"} -->\n", bytes / 2) +
                repeated("<!-- WXCODE:TOOL_RESULT:{\"tool\":\"Bash\",\"success\":true} -->\n",
                         bytes / 2);
       }},
      {"AnEscapedString", wxcode,
       wrapped("<!-- WXCODE:STATUS:{\"a\":\"", "\\u0041\\\\", "\"} -->")},
      {"QuestionOpeners", question, repeat("<!--QUESTION:")},
      {"QuestionOpenersWithObject", question, repeat("<!--QUESTION:{\"questions\":[")},
      {"QuestionOpenersOnLines", question, repeat("<!--QUESTION:{\"questions\":[\n")},
      {"QuestionsInAString", question,
       wrapped("<!--QUESTION:{\"a\":\"", "<!--QUESTION:{\"a\":", "")},
      {"TheSameQuestion", question,
       repeat("<!--QUESTION:{\"questions\":[{\"question\":\"Q\"}]}-->")},
      {"DifferentQuestions", question,
       numbered("<!--QUESTION:{\"questions\":[{\"question\":\"Q", "\"}]}-->")},
      {"AGotoThatNeverEnds", question, wrapped("<!-- GOTO: ", "a - ", "")},
      {"Brackets", markers, repeat("[")},
      {"HalfMarkers", markers, repeat("[PROGRESS")},
      {"HalfMarkersOnLines", markers, repeat("[PROGRESS\n")},
      {"GluedMarkers", markers, repeat("x [PROGRESS] ")},
      {"OneLine", markers, wrapped("[PROGRESS] ", "words ", "")},
      {"BlankLines", markers, repeat("\n")},
      {"CarriageReturns", markers, repeat("\r")},
      {"Blanks", markers, repeat(" ")},
      {"Fences", markers, repeat("```\n")},
      {"OneFenceLine", markers, repeat("`")},
      {"FencesWithInfo", markers, repeat("```` a\n")},
      {"OptionsWithoutEnd", markers, wrapped("[QUESTION] Q\nOptions:\n", "1. a - b\n", "")},
      {"OneOptionWithoutEnd", markers, wrapped("[QUESTION] Q\nOptions:\n1. a\n", "   more\n", "")},
      {"QuestionTextWithoutEnd", markers, wrapped("[QUESTION] Q\n", "more\n", "")},
      {"ABlockWithoutEnd", markers, wrapped("[BLOCKED] reason\n", "line\n", "")},
      {"FilesWithoutEnd", markers, wrapped("[FILES_MODIFIED]\n", "- a (created)\n", "")},
      {"CommitMessageWithoutEnd", markers, wrapped("[GIT_COMMIT_SUGGESTION] s\n", "body\n", "")},
      {"TestsWithoutEnd", markers, wrapped("[TEST_RESULTS]\n", "- a (passed)\n", "")},
      {"Pairs", markers, wrapped("[NEED_CONTEXT] ", "a=1 ", "")},
      {"BrokenUtf8", markers, repeat("\xe2\x82\xff")},
      {"CallsNeverAnswered", claude,
       numbered(R"({"type":"assistant","message":{"content":[{"type":"tool_use","name":"B","id":")",
                "\"}]}}\n")},
      {"CallsAnsweredBackwards", claude, calls_answered_backwards},
      {"BlocksInOneLine", claude,
       wrapped(R"({"type":"assistant","message":{"content":[)", R"({"type":"text","text":"a"},)",
               R"({"type":"text","text":"a"}]}})")},
      {"MarkersInOneBlock", claude,
       wrapped(kTextLine, R"(<!-- WXCODE:STATUS:{\"status\":\"completed\"} -->)", kTextLineEnd)},
      {"OpenersInOneBlock", claude, wrapped(kTextLine, "<!-- WXCODE:X:{", kTextLineEnd)},
      {"ALineThatNeverEnds", claude, wrapped(kTextLine, "a", "")},
      {"Backslashes", claude, wrapped(kTextLine, "\\\\", kTextLineEnd)},
      {"LoneSurrogates", claude, wrapped(kTextLine, "\\ud800", kTextLineEnd)},
      {"Arrays", claude, repeat("[")},
      {"Objects", claude, repeat("{\"a\":")},
      {"OneNumber", claude, wrapped(R"({"type":"system","n":)", "1", "}\n")},
      {"TheSameKeyInALine", claude, wrapped(R"({"type":"system",)", "\"a\":1,", "\"a\":1}\n")},
      {"Noise", claude, repeat("npm warn\n")},
      {"HalfObjects", claude, repeat("{\n")},
      {"Deltas", claude,
       repeat(R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":)"
              R"({"type":"text_delta","text":"a"}}})"
              "\n")},
      {"ItemsNeverCompleted", codex,
       numbered(R"({"type":"item.started","item":{"type":"command_execution","id":"item_)",
                "\"}}\n")},
      {"CodexText", codex,
       wrapped(R"({"type":"item.completed","item":{"type":"agent_message","text":")",
               "[PROGRESS] a\\n", "\"}}\n")},
  };
}

}  // namespace adversary

inline std::span<const Adversary> adversaries() {
  static const std::vector<Adversary> all = adversary::all();
  return all;
}

}  // namespace dragoman::bench
