// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/check/check.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::check {
namespace {

using List = std::vector<std::string>;

// "line:column message" of the findings of rule `schema`.
List schema_faults(std::string_view input, Mode mode = Mode::standard) {
  List found;
  Checker checker({Dialect::delegator, mode}, [&found](const Finding& f) {
    if (f.rule == "schema") found.push_back(fmt::format("{}:{} {}", f.line, f.column, f.message));
  });
  checker.push(input);
  checker.finish();
  return found;
}

// An acknowledgment that is as it should be, but for what is given.
std::string envelope(std::string_view schema_id, std::string_view ts = "2025-11-18T10:05:22Z") {
  return fmt::format(
      R"({{"version":"3.6",{}"tool":"_codex_local_exec","tool_category":"execution_ack",)"
      R"("request_id":"uuid","ts":"{}","status":"ok","meta":{{"queue_position":0}},"data":{{"task_id":"T-local-abc123",)"
      R"("accepted":true,"capability":"background","started_at":"2025-11-18T10:05:22Z"}}}})",
      schema_id.empty() ? "" : fmt::format(R"("schema_id":"{}",)", schema_id), ts);
}

TEST(EnvelopeRules, TakeAGoodOne) {
  EXPECT_EQ(schema_faults(envelope("codex/v3.6/execution_ack/v1") + "\n"), List{});
}

TEST(EnvelopeRules, WantASchemaThatThereIs) {
  for (const Mode mode : {Mode::standard, Mode::strict}) {
    EXPECT_EQ(schema_faults(envelope("codex/v3.6/greeting/v1") + "\n", mode),
              List{"1:30 /schema_id: there is no schema 'codex/v3.6/greeting/v1'"});
    EXPECT_EQ(schema_faults(envelope("codex/v3.7/execution_ack/v1") + "\n", mode),
              List{"1:30 /schema_id: there is no schema 'codex/v3.7/execution_ack/v1'"});
  }
}

TEST(EnvelopeRules, WantASchemaOfAWrappedOneToo) {
  std::string line = R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":)";
  json::Writer(line).string(envelope("codex/v3.6/greeting/v1"));
  EXPECT_EQ(schema_faults(line + "}]}}\n"),
            List{"1:1 /schema_id: there is no schema 'codex/v3.6/greeting/v1'"});
}

TEST(EnvelopeRules, AnErrorThatNamesNoCategoryIsAVariantAndNoMore) {
  EXPECT_EQ(schema_faults(envelope("codex/v3.6/error/v1") + "\n"), List{});
}

TEST(EnvelopeRules, MissTheSchemaIdOfWhatHasACategory) {
  EXPECT_EQ(schema_faults(envelope("") + "\n"), List{"1:1 /: 'schema_id' is missing"});
  EXPECT_EQ(schema_faults("{\"hello\":1}\n"), List{});
}

TEST(EnvelopeRules, WantTimesAsTheyAreWritten) {
  EXPECT_EQ(schema_faults(envelope("codex/v3.6/execution_ack/v1", "yesterday") + "\n"),
            List{R"(1:144 /ts: must be a date-time, got "yesterday")"});
}

}  // namespace
}  // namespace dragoman::check
