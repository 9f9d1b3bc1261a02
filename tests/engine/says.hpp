// SPDX-License-Identifier: Apache-2.0
// What agents say, a line each.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace dragoman::test::says {

constexpr std::string_view kSession = "01a1e0cc-1d02-7023-8251-bb6257d0d124";

// ---- Claude
inline std::string init() {
  return fmt::format(
      R"({{"type":"system","subtype":"init","session_id":"{}","cwd":".","model":"m"}})"
      "\n",
      kSession);
}
inline std::string result(bool ok = true) {
  return fmt::format(
      R"({{"type":"result","subtype":"{}","is_error":{},"result":"done","session_id":"{}"}})"
      "\n",
      ok ? "success" : "error_during_execution", !ok, kSession);
}
inline std::string text(std::string_view words) {  // as it stands in JSON
  return fmt::format(R"({{"type":"assistant","message":{{"id":"1","role":"assistant","content":)"
                     R"([{{"type":"text","text":"{}"}}]}}}})"
                     "\n",
                     words);
}
// What Claude says when it takes a line of its input that has a uuid.
inline std::string echo(std::string_view line) {
  const std::size_t end = line.rfind('}');
  return fmt::format("{},\"isReplay\":true}}\n", line.substr(0, end));
}
inline std::string receipt(std::string_view state) {
  return fmt::format(R"({{"type":"command_lifecycle","command_uuid":"u","state":"{}"}})"
                     "\n",
                     state);
}
inline std::string comment_question(std::string_view words) {
  return text(fmt::format(
      R"(<!--QUESTION:{{\"questions\":[{{\"question\":\"{}\",\"freeText\":true}}]}}-->)", words));
}
inline std::string call(std::string_view id, std::string_view tool, std::string_view input) {
  return fmt::format(R"({{"type":"assistant","message":{{"id":"1","role":"assistant","content":)"
                     R"([{{"type":"tool_use","id":"{}","name":"{}","input":{}}}]}}}})"
                     "\n",
                     id, tool, input);
}
inline std::string tool_done(std::string_view id, bool failed = false) {
  return fmt::format(
      R"({{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result",)"
      R"("tool_use_id":"{}","is_error":{},"content":"ok"}}]}}}})"
      "\n",
      id, failed);
}
// What an AskUserQuestion that was answered gives back.
inline std::string answered(std::string_view id,
                            std::initializer_list<std::string_view> questions) {
  std::string answers;
  for (const std::string_view question : questions)
    answers += fmt::format(R"({}"{}":"A")", answers.empty() ? "" : ",", question);
  return fmt::format(
      R"({{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result",)"
      R"("tool_use_id":"{}","content":"ok"}}]}},"tool_use_result":{{"answers":{{{}}}}}}})"
      "\n",
      id, answers);
}
inline std::string may_use(std::string_view request, std::string_view id, std::string_view tool,
                           std::string_view input) {
  return fmt::format(
      R"({{"type":"control_request","request_id":"{}","request":{{"subtype":"can_use_tool",)"
      R"("tool_name":"{}","tool_use_id":"{}","input":{}}}}})"
      "\n",
      request, tool, id, input);
}
inline std::string asks_leave(std::string_view request, std::string_view id) {
  return may_use(request, id, "Bash", R"({"command":"make"})");
}
inline std::string questions(std::string_view first, std::string_view second = {}) {
  constexpr std::string_view kOne =
      R"({{"question":"{}","options":[{{"label":"A"}},{{"label":"B"}}]}})";
  std::string out = R"({"questions":[)" + fmt::format(kOne, first);
  if (!second.empty()) out += "," + fmt::format(kOne, second);
  return out + "]}";
}
inline std::string ask_user(std::string_view request, std::string_view id, std::string_view input) {
  return may_use(request, id, "AskUserQuestion", input);
}
inline std::string cancel(std::string_view request) {
  return fmt::format(R"({{"type":"control_cancel_request","request_id":"{}"}})"
                     "\n",
                     request);
}
inline std::string control(std::string_view request_id_json, std::string_view body) {
  return fmt::format(R"({{"type":"control_request","request_id":{},"request":{}}})"
                     "\n",
                     request_id_json, body);
}

// ---- Codex
inline std::string thread() {
  return fmt::format(R"({{"type":"thread.started","thread_id":"{}"}})"
                     "\n"
                     R"({{"type":"turn.started"}})"
                     "\n",
                     kSession);
}
inline std::string message(std::string_view words) {
  return fmt::format(
      R"({{"type":"item.completed","item":{{"id":"1","type":"agent_message","text":"{}"}}}})"
      "\n",
      words);
}
inline std::string turn(bool ok = true) {
  return ok ? R"({"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}})"
              "\n"
            : R"({"type":"turn.failed","error":{"message":"it broke"}})"
              "\n";
}

}  // namespace dragoman::test::says
