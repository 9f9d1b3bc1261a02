// SPDX-License-Identifier: Apache-2.0
// Small facts of Claude's lines that are easily lost.
#include <gtest/gtest.h>

#include "structured.hpp"

namespace dragoman::test {
namespace {

TEST(ClaudeLosses, AResultWithOneErrorHasItsWords) {
  const auto failure = [](const std::string& error) {
    return claude(
               R"({"type":"result","subtype":"error_during_execution","is_error":true,"error":)" +
               error + ",\"session_id\":\"s\"}\n")
        .data(Kind::failure)
        .at(0);
  };
  EXPECT_EQ(
      failure(R"("the disk is full")"),
      R"({"code":"error_during_execution","message":"the disk is full","recoverable":"unknown","reason":"agent_error"})");
  EXPECT_EQ(
      failure(R"({"type":"overloaded_error","message":"Overloaded"})"),
      R"({"code":"overloaded_error","message":"Overloaded","recoverable":true,"reason":"overloaded"})");
  const Heard both = claude(
      R"({"type":"result","subtype":"success","is_error":true,"result":"API Error: 500","error":"server_error","session_id":"s"})"
      "\n");
  EXPECT_EQ(both.all<Failure>().at(0)->message.str(), "API Error: 500");
  EXPECT_NE(both.data(Kind::turn_finished).at(0).find(R"("error":"server_error")"),
            std::string::npos);
}

TEST(ClaudeLosses, WhatBecameOfACompactionIsKept) {
  EXPECT_EQ(
      claude(
          R"({"type":"system","subtype":"status","status":null,"compact_result":"success","session_id":"s"})"
          "\n")
          .data(Kind::status),
      Lines{R"({"activity":"status","compact_result":"success"})"});
}

TEST(ClaudeLosses, WhenToTryAgainIsKept) {
  EXPECT_EQ(
      claude(
          R"({"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_after_ms":4000,"error_status":429,"error":"rate_limit","session_id":"s"})"
          "\n")
          .data(Kind::rate_limited),
      Lines{
          R"({"status":"retrying","limit":"rate_limit","attempt":1,"delay_ms":4000,"max_retries":10,"error_status":429,"retry_after_ms":4000})"});
  EXPECT_EQ(
      claude(
          R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":"five_hour","retry_after_ms":250},"session_id":"s"})"
          "\n")
          .data(Kind::rate_limited),
      Lines{R"({"status":"rejected","limit":"five_hour","delay_ms":250,"retry_after_ms":250})"});
}

// A call that was running when the program got SIGINT is told of as rejected by the user, whom
// nobody asked.
TEST(ClaudeLosses, ACallThatWasStoppedWithItsProgramIsNotDenied) {
  const Heard stopped = hear_capture(Dialect::claude, "sigint-in-tool");
  ASSERT_EQ(stopped.count<ToolFinished>(), 1U);
  EXPECT_EQ(stopped.all<ToolFinished>()[0]->outcome, Outcome::abandoned);
  EXPECT_NE(stopped.all<ToolFinished>()[0]->error.str().find("rejected"), std::string::npos);
  const Heard refused = hear_capture(Dialect::claude, "control-permission-interrupt");
  EXPECT_EQ(refused.all<ToolFinished>().at(0)->outcome, Outcome::denied);
  // In the transcript of a terminal session the user is asked on the screen.
  const Heard transcript = claude(
      R"({"type":"assistant","sessionId":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}})"
      "\n"
      R"({"type":"user","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"no"}]},"toolUseResult":"User rejected tool use","tool_result_meta":[{"id":"t","non_execution_kind":"user-rejected"}]})"
      "\n");
  EXPECT_EQ(transcript.all<ToolFinished>().at(0)->outcome, Outcome::denied);
}

}  // namespace
}  // namespace dragoman::test
