// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dragoman/json/writer.hpp"
#include "structured.hpp"

namespace dragoman::test {
namespace {

Heard delegator(const std::string& input, ReaderOptions options = {}) {
  return hear(Dialect::delegator, input, std::move(options));
}

std::string tool_of(const std::string& category) {
  if (category == "execution_ack") return "_codex_local_exec";
  if (category == "wait_result") return "_codex_local_wait";
  if (category == "status_snapshot") return "_codex_local_status";
  return category == "result_set" ? "_codex_local_results" : "_codex_cleanup_registry";
}

std::string envelope(const std::string& category, const std::string& rest) {
  return R"({"version":"3.6","schema_id":"codex/v3.6/)" + category + R"(/v1","tool":")" +
         tool_of(category) + R"(","tool_category":")" + category +
         R"(","request_id":"r","ts":"2025-11-18T10:05:22Z","status":"ok",)" + rest + "}";
}

const std::string kAck = envelope(
    "execution_ack",
    R"("meta":{"queue_position":2},"data":{"task_id":"T-1","thread_id":"th","accepted":true,"capability":"background","started_at":"2025-11-18T10:05:22Z"})");

const std::string kResult = envelope("wait_result",
                                     R"("meta":{"started_ts":"2025-11-18T10:05:22Z",
  "completed_ts":"2025-11-18T10:15:22Z","duration_ms":600000,"exit_code":0},
 "data":{"task_id":"T-1","state":"completed","summary":"Modified 2 files",
  "metadata":{"duration":600,
   "file_operations":{"modified_files":["src/api.ts"],"added_files":["t.ts"],"deleted_files":[],"lines_changed":3},
   "test_results":{"passed":47,"failed":1,"skipped":2,"failed_tests":["t1"]},
   "thread_info":{"thread_id":"th","cache_hit_rate":0.93,"token_usage":{"input_tokens":12000,"cached_input_tokens":11160,"output_tokens":3500}}},
  "output":{"included":true,"stdout":"[CODEX_COMPLETE] x","stderr":"","truncated":false,"max_bytes":65536}})");

const Lines kResultOutline = {"session_started th",
                              "text [CODEX_COMPLETE] x",
                              "files_changed",
                              "test_results",
                              "usage",
                              "turn_finished ok completed"};

TEST(DelegatorReader, AnAcknowledgmentStartsASession) {
  const Heard heard = delegator(kAck + "\n");
  EXPECT_EQ(outline(heard), (Lines{"session_started th", "status execution_ack"}));
  EXPECT_EQ(heard.all<Status>()[0]->task, "T-1");
}

TEST(DelegatorReader, AResultOverSeveralLinesIsOneRecord) {
  const std::string input = kResult + "\n" + kAck + "\n";
  const Heard heard = delegator(input);
  Lines expected = kResultOutline;
  expected.emplace_back("status execution_ack");
  EXPECT_EQ(outline(heard), expected);
  EXPECT_EQ(heard.records().size(), 2u);
  EXPECT_TRUE(tiles(heard.records(), input.size()));
  EXPECT_EQ(
      heard.data(Kind::test_results),
      Lines{R"({"passed":47,"failed":1,"skipped":2,"tests":[{"name":"t1","status":"failed"}]})"});
  EXPECT_EQ(
      heard.data(Kind::files_changed),
      Lines{
          R"({"files":[{"path":"src/api.ts","action":"modified"},{"path":"t.ts","action":"created"}],"claimed":false})"});
  EXPECT_EQ(
      heard.data(Kind::usage),
      Lines{
          R"({"input_tokens":12000,"cached_input_tokens":11160,"output_tokens":3500,"scope":"run","final":true})"});
  EXPECT_EQ(
      heard.data(Kind::turn_finished),
      Lines{
          R"({"ok":true,"subtype":"completed","duration_ms":600000,"text":"Modified 2 files","task_id":"T-1","exit_code":0})"});
}

TEST(DelegatorReader, DoesNotCareHowTheBytesWereChunked) {
  const std::string input = "noise\n\n" + kResult + "\n" + kAck + "\n{\"broken\":\n]\nmore\n";
  const auto whole_reader = make_reader(Dialect::delegator);
  const StreamReading whole = read_whole(*whole_reader, input);
  for (std::size_t cut = 1; cut < input.size(); ++cut) {
    const auto reader = make_reader(Dialect::delegator);
    ASSERT_EQ(read_in_chunks(*reader, input,
                             [&](std::size_t at) { return at == 0 ? cut : input.size(); }),
              whole)
        << "cut at " << cut;
  }
}

TEST(DelegatorReader, ASnapshotIsOneStatusForEachTask) {
  const Heard heard = delegator(envelope(
      "status_snapshot",
      R"("meta":{"total":3},"data":{"summary":{"running":1,"queued":1,"recently_completed":1},
   "tasks":[{"task_id":"a","state":"working","progress":{"percent":50,"completed_steps":1,"total_steps":2,"current_activity":"Analyzing"}}],
   "queue":[{"task_id":"b","position":0}],"recently_completed":[{"task_id":"c","state":"failed"}]})"));
  EXPECT_EQ(
      heard.data(Kind::status),
      (Lines{
          R"({"status":"working","message":"Analyzing","progress":50,"task":"a","activity":"status_snapshot","steps":{"done":1,"total":2}})",
          R"({"status":"queued","task":"b","activity":"status_snapshot","position":0})",
          R"({"status":"failed","task":"c","activity":"status_snapshot"})"}));
}

TEST(DelegatorReader, AListedTaskHasTheStateThatItNames) {
  const std::string input = envelope(
      "status_snapshot",
      R"("meta":{},"data":{"tasks":[{"task_id":"a"}],"queue":[{"task_id":"b","position":0}],
   "recently_completed":[{"task_id":"c","status":"failed"},{"task_id":"d","state":"canceled"},
    {"task_id":"e"},{"task_id":"f","state":"completed_with_errors"}]})");
  const Heard heard = delegator(input);
  Lines states;
  for (const Status* task : heard.all<Status>()) {
    states.push_back(std::string(task->task) + " " + std::string(task->status));
  }
  EXPECT_EQ(states, (Lines{"a working", "b queued", "c failed", "d cancelled", "e ", "f failed"}));
  Lines notes;
  for (const Diagnostic* note : heard.all<Diagnostic>()) {
    EXPECT_EQ(note->rule, "delegator_variant");
    notes.emplace_back(note->message);
  }
  EXPECT_EQ(notes, (Lines{"a task has status in place of state", "state is \"canceled\"",
                          "state is \"completed_with_errors\""}));
  ReaderOptions strict;
  strict.mode = Mode::strict;
  EXPECT_EQ(outline(delegator(input, strict)), Lines{"malformed delegator_variant"});
}

TEST(DelegatorReader, ErrorsAndFailedStatesAreFailures) {
  const Heard error = delegator(
      R"({"version":"3.6","schema_id":"codex/v3.6/execution_ack/v1","tool":"t","tool_category":"execution_ack","status":"error","meta":{},"error":{"code":"NOT_FOUND","message":"no task","details":{"reason":"task"},"retryable":false}})");
  EXPECT_EQ(outline(error), Lines{"failure task"});
  EXPECT_EQ(error.all<Failure>()[0]->code, "NOT_FOUND");
  EXPECT_EQ(error.all<Failure>()[0]->recoverable, Recoverable::false_);
  const Heard failed = delegator(envelope(
      "result_set",
      R"("meta":{"count":1},"data":{"task_id":"T","state":"failed","summary":"Task failed","duration_seconds":145,"metadata":{"duration":145,"error_context":{"error_message":"null","error_type":"TypeError","suggestions":["look"]},"task_status":"failed"}})"));
  EXPECT_EQ(outline(failed), (Lines{"turn_finished not ok failed", "failure agent_error"}));
  EXPECT_EQ(failed.all<Failure>()[0]->suggestion, "look");
  EXPECT_EQ(failed.all<TurnFinished>()[0]->duration_ms, Number::of(std::int64_t{145000}));
}

TEST(DelegatorReader, AnErrorTypeIsTheReasonWhereItIsOne) {
  const auto failure = [](std::string_view type) {
    const Heard heard = delegator(envelope(
        "result_set",
        R"("meta":{"count":1},"data":{"task_id":"T","state":"failed","summary":"x","metadata":{"error_context":{"error_message":"m","error_type":")" +
            std::string(type) + R"("},"task_status":"failed"}})"));
    return heard.data(Kind::failure);
  };
  EXPECT_EQ(
      failure("rate_limited"),
      Lines{R"({"code":"TOOL_ERROR","message":"m","recoverable":true,"reason":"rate_limited"})"});
  EXPECT_EQ(
      failure("TypeError"),
      Lines{
          R"({"code":"TOOL_ERROR","message":"m","recoverable":"unknown","reason":"agent_error","error_type":"TypeError"})"});
  // Nor does it end the run in a way that only its supervisor can know.
  EXPECT_EQ(
      failure("cancelled"),
      Lines{
          R"({"code":"TOOL_ERROR","message":"m","recoverable":"unknown","reason":"agent_error","error_type":"cancelled"})"});
}

TEST(DelegatorReader, ARunningTaskHasNotFinished) {
  EXPECT_EQ(
      outline(delegator(envelope(
          "wait_result",
          R"("meta":{},"data":{"task_id":"T","state":"working","summary":"still running","metadata":{}})"))),
      Lines{"status wait_result"});
}

TEST(DelegatorReader, RegistryInfoIsStatus) {
  EXPECT_EQ(
      outline(delegator(envelope("registry_info", R"("meta":{},"data":{"summary":"Cleaned 3"})"))),
      Lines{"status registry_info"});
}

TEST(DelegatorReader, UnwrapsToolResultsOnce) {
  std::string text;
  json::append_string(text, kAck);
  const std::string result = R"({"content":[{"type":"text","text":)" + text + "}]}";
  for (const std::string& input :
       {result, R"({"jsonrpc":"2.0","id":3,"result":)" + result + "}",
        R"({"jsonrpc":"2.0","id":3,"result":{"content":[],"structuredContent":)" + kAck + "}}"}) {
    EXPECT_EQ(outline(delegator(input + "\n")),
              (Lines{"session_started th", "status execution_ack"}));
  }
  std::string twice;
  json::append_string(twice, result);
  EXPECT_EQ(outline(delegator(R"({"content":[{"type":"text","text":)" + twice + "}]}\n")),
            Lines{"unknown "});
}

struct Variant {
  std::string what;
  std::string json;
};

TEST(DelegatorReader, OtherSpellingsAreUnderstoodNotedAndRefusedInStrictMode) {
  const auto result = [](const std::string& data) {
    return envelope("result_set", R"("meta":{},"data":{"task_id":"T",)" + data + "}");
  };
  const std::vector<Variant> rows = {
      {"the schema_id names no category",
       R"({"schema_id":"codex/v3.6/error/v1","tool_category":"x","meta":{},"status":"error","error":{"code":"INTERNAL","message":"m"}})"},
      {"error.details is an array",
       R"({"schema_id":"codex/v3.6/wait_result/v1","tool_category":"wait_result","meta":{},"status":"error","error":{"code":"VALIDATION","message":"m","details":["a"]}})"},
      {"state is \"canceled\"", result(R"("state":"canceled")")},
      {"state is \"completed_with_warnings\"", result(R"("state":"completed_with_warnings")")},
      {"state is \"completed_with_errors\"", result(R"("state":"completed_with_errors")")},
      {"metadata has files_changed, files_added or files_deleted",
       result(R"("state":"completed","metadata":{"files_changed":["a"]})")},
      {"metadata has lines_added or lines_removed",
       result(R"("state":"completed","metadata":{"lines_added":3})")},
      {"metadata has tokens",
       result(
           R"("state":"completed","metadata":{"tokens":{"input":3,"cached":1,"output":2,"total":5}})")},
      {"metadata has duration_seconds",
       result(R"("state":"completed","metadata":{"duration_seconds":3})")},
      {"task_status is an object", result(R"("metadata":{"task_status":{"status":"completed"}})")},
      {"cache_hit_rate is a percentage",
       result(R"("state":"completed","metadata":{"thread_info":{"cache_hit_rate":93}})")},
  };
  for (const Variant& row : rows) {
    const Heard heard = delegator(row.json);
    ASSERT_EQ(heard.rules(), Lines{"delegator_variant"}) << row.what;
    EXPECT_EQ(heard.all<Diagnostic>()[0]->message, row.what);
    EXPECT_EQ(heard.count<Malformed>(), 0u);
    EXPECT_GE(heard.events().size(), 2u) << row.what;
    ReaderOptions strict;
    strict.mode = Mode::strict;
    EXPECT_EQ(outline(delegator(row.json, strict)), Lines{"malformed delegator_variant"});
  }
  EXPECT_EQ(delegator(kResult).rules(), Lines{});
}

TEST(DelegatorReader, VariantStatesMeanWhatTheyMean) {
  const auto subtype = [](const std::string& state) {
    return std::string(
        delegator(
            envelope("result_set", R"("meta":{},"data":{"task_id":"T","state":")" + state + "\"}"))
            .all<TurnFinished>()
            .at(0)
            ->subtype);
  };
  EXPECT_EQ(subtype("canceled"), "cancelled");
  EXPECT_EQ(subtype("completed_with_warnings"), "completed");
  EXPECT_EQ(subtype("completed_with_errors"), "failed");
}

TEST(DelegatorReader, AProgressNotificationIsStatus) {
  const Heard heard = delegator(
      R"({"method":"notifications/progress","params":{"progressToken":"T","progress":1,"total":4,"message":"m"}})"
      "\n");
  EXPECT_EQ(heard.data(Kind::status),
            Lines{R"({"message":"m","progress":25,"task":"T","activity":"progress"})"});
}

TEST(DelegatorReader, ProgressOutsideItsRangeIsLeftOutAndReported) {
  const auto progress = [](const std::string& fields) {
    return delegator(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{)" + fields +
                     "}}\n");
  };
  const Heard beyond = progress(R"("progressToken":7,"progress":250)");
  EXPECT_EQ(beyond.data(Kind::status), Lines{R"({"task":"7","activity":"progress"})"});
  EXPECT_EQ(beyond.rules(), Lines{"progress_range"});
  EXPECT_EQ(beyond.all<Diagnostic>().at(0)->message, "progress 250 is outside 0..100");
  for (const std::string& fields : Lines{R"("progress":-1)", R"("progress":5,"total":4)",
                                         R"("progress":1e308,"total":0.001)"}) {
    const Heard heard = progress(fields);
    EXPECT_EQ(heard.data(Kind::status), Lines{R"({"activity":"progress"})"}) << fields;
    EXPECT_EQ(heard.rules(), Lines{"progress_range"}) << fields;
  }
  EXPECT_EQ(progress(R"("progressToken":7,"progress":3,"total":3)").data(Kind::status),
            Lines{R"({"progress":100,"task":"7","activity":"progress"})"});
  const Heard snapshot = delegator(
      envelope("status_snapshot",
               R"("meta":{},"data":{"tasks":[{"task_id":"a","progress":{"percent":150}}]})"));
  EXPECT_EQ(snapshot.data(Kind::status),
            Lines{R"({"status":"working","task":"a","activity":"status_snapshot"})"});
  EXPECT_EQ(snapshot.rules(), Lines{"progress_range"});
}

TEST(DelegatorReader, BrokenAndCutDocumentsAreMalformed) {
  EXPECT_EQ(outline(delegator("{\n \"a\": 1,\n")), Lines{"malformed truncated_tail"});
  EXPECT_EQ(outline(delegator("{\n \"a\": ]\n" + kAck + "\n")),
            (Lines{"malformed bad_json", "session_started th", "status execution_ack"}));
  EXPECT_EQ(outline(delegator("{\"a\":1} x\n")), Lines{"malformed bad_json"});
}

TEST(DelegatorReader, ADocumentOverTheCapIsOversize) {
  ReaderOptions options;
  options.line_cap = 100;
  std::string input = "{\n";
  for (int i = 0; i < 20; ++i) input += "\"key" + std::to_string(i) + "\":1,\n";
  const Heard heard = delegator(input, options);
  EXPECT_EQ(heard.count<Oversize>(), 1u);
  EXPECT_TRUE(tiles(heard.records(), input.size()));
}

// What the specification asks for, and one thing changed in it.
TEST(DelegatorReader, StrictHoldsAnEnvelopeToTheSpecification) {
  const std::string snapshot = envelope(
      "status_snapshot",
      R"("meta":{"snapshot_ts":"2025-11-18T10:05:22Z","total":1},"data":{"summary":{"running":1,"queued":0,"recently_completed":0},"tasks":[{"task_id":"T-1","state":"working","started_ts":"2025-11-18T10:05:22Z","elapsed_seconds":3,"progress":null}]})");
  const std::string error =
      R"({"version":"3.6","schema_id":"codex/v3.6/execution_ack/v1","tool":"_codex_local_run","tool_category":"execution_ack","request_id":"r","ts":"2025-11-18T10:10:22Z","status":"error","meta":{},"error":{"code":"TIMEOUT","message":"m","details":{},"retryable":false}})";
  struct StrictRow {
    std::string json;
    std::string from;
    std::string to;
    std::string reason;  // empty: it is good
  };
  const std::vector<StrictRow> rows = {
      {kAck, "", "", ""},
      {kResult, "", "", ""},
      {snapshot, "", "", ""},
      {error, "", "", ""},
      {kAck, R"("request_id":"r",)", "", "missing_field"},
      {kAck, R"("ts":"2025)", R"("ts":5,"x":"2025)", "field_type"},
      {kAck, R"("status":"ok")", R"("status":"fine")", "unknown_value"},
      {kAck, R"("tool_category":"execution_ack")", R"("tool_category":"chat")", "unknown_value"},
      {kAck, "v3.6/execution_ack", "v3.6/wait_result", "unknown_value"},
      {kAck, R"("task_id":"T-1",)", "", "missing_field"},
      {kAck, R"("accepted":true)", R"("accepted":"true")", "field_type"},
      {kAck, R"("capability":"background")", R"("capability":"x")", "unknown_value"},
      {kResult, R"("state":"completed")", R"("state":"done")", "unknown_value"},
      {kResult, R"("state":"completed",)", "", "missing_field"},
      {kResult, R"("duration_ms":600000,)", "", "missing_field"},
      {kResult, R"("added_files":["t.ts"])", R"("added_files":"t.ts")", "field_type"},
      {snapshot, R"("state":"working")", R"("state":"busy")", "unknown_value"},
      {snapshot, R"("queued":0,)", "", "missing_field"},
      {error, R"("code":"TIMEOUT")", R"("code":"OOPS")", "unknown_value"},
      {error, R"(,"retryable":false)", "", "missing_field"},
      // What the document requires of no answer, and what a real Delegator leaves out.
      {kAck, R"("queue_position":2)", "", ""},
      {kResult, R"("output":{)", R"("printed":{)", ""},
      {error, R"("details":{},)", "", ""},
      {kResult, R"("metadata":{)", R"("metadata":{"error_context":null,)", ""},
      // What it has in examples alone.
      {kResult, R"("duration":)", R"("took":)", ""},
      {kResult, R"("file_operations":{)", R"("files":{)", ""},
      {kResult, R"("added_files":["t.ts"])", R"("added":["t.ts"])", ""},
      {kResult, R"("passed":)", R"("good":)", ""},
      {snapshot, R"("progress":null)", R"("progress":{"current_activity":"Reading"})", ""},
      // What it requires of each.
      {kResult, R"("started_ts":"2025-11-18T10:05:22Z",)", "", "missing_field"},
      {kAck, R"("ts":"2025-11-18T10:05:22Z")", R"("ts":"yesterday")", "schema"},
      {kAck, "_codex_local_exec", "_codex_local_wait", "unknown_value"},
  };
  ReaderOptions strict;
  strict.mode = Mode::strict;
  for (const StrictRow& row : rows) {
    std::string json = row.json;
    if (!row.from.empty()) {
      ASSERT_NE(json.find(row.from), std::string::npos) << row.from;
      json.replace(json.find(row.from), row.from.size(), row.to);
    }
    const Heard heard = delegator(json, strict);
    const Lines malformed = {"malformed " + row.reason};
    if (row.reason.empty()) {
      EXPECT_TRUE(heard.all<Malformed>().empty()) << json << outline(heard).front();
    } else {
      EXPECT_EQ(outline(heard), malformed) << json;
    }
  }
}

}  // namespace
}  // namespace dragoman::test
