// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "structured.hpp"

namespace dragoman::test {
namespace {

Heard codex(const std::string& input, ReaderOptions options = {}) {
  return hear(Dialect::codex, input, std::move(options));
}
Heard codex_capture(const std::string& file, ReaderOptions options = {}) {
  return hear_capture(Dialect::codex, file, std::move(options));
}

// What the same short run looks like in each of the shapes.
const Lines kRun = {"session_started s", "status turn_started",   "thinking why",
                    "tool_started Bash", "tool_finished Bash ok", "files_changed",
                    "text done"};

Lines without_end(const Heard& heard) {
  Lines lines = outline(heard);
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("usage") || line.starts_with("turn_finished") ||
           line == "status patch_apply_begin";
  });
  return lines;
}

TEST(CodexReader, ReadsTodaysShape) {
  const Heard heard = codex(
      R"({"type":"thread.started","thread_id":"s"})"
      "\n"
      R"({"type":"turn.started"})"
      "\n"
      R"({"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"why"}})"
      "\n"
      R"({"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"","exit_code":null,"status":"in_progress"}})"
      "\n"
      R"({"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"a\n","exit_code":0,"status":"completed"}})"
      "\n"
      R"({"type":"item.completed","item":{"id":"item_2","type":"file_change","changes":[{"path":"a.txt","kind":"add"}],"status":"completed"}})"
      "\n"
      R"({"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"done"}})"
      "\n"
      R"({"type":"turn.completed","usage":{"input_tokens":7,"cached_input_tokens":3,"output_tokens":2}})"
      "\n");
  EXPECT_EQ(without_end(heard), kRun);
  EXPECT_EQ(
      heard.data(Kind::usage),
      Lines{
          R"({"input_tokens":7,"cached_input_tokens":3,"output_tokens":2,"scope":"thread","final":true})"});
  EXPECT_EQ(heard.data(Kind::turn_finished),
            Lines{R"({"ok":true,"subtype":"completed","text":"done"})"});
}

TEST(CodexReader, ReadsTheMiddleShape) {
  const Heard heard = codex(
      R"({"type":"session.created","session_id":"s"})"
      "\n"
      R"({"type":"turn.started"})"
      "\n"
      R"({"type":"item.completed","item":{"id":"item_0","item_type":"reasoning","text":"why"}})"
      "\n"
      R"({"type":"item.added","item":{"id":"item_1","item_type":"command_execution","command":"ls"}})"
      "\n"
      R"({"type":"item.completed","item":{"id":"item_1","item_type":"command_execution","aggregated_output":"a","exit_code":0,"status":"completed"}})"
      "\n"
      R"({"type":"item.completed","item":{"id":"item_2","item_type":"file_change","changes":[{"path":"a.txt","kind":"add"}],"status":"completed"}})"
      "\n"
      R"({"type":"item.completed","item":{"id":"item_3","item_type":"assistant_message","text":"done"}})"
      "\n"
      R"({"type":"turn.completed","usage":{"input_tokens":7}})"
      "\n");
  EXPECT_EQ(without_end(heard), kRun);
}

TEST(CodexReader, ReadsTheOldestShapeAlsoInsideMcpNotifications) {
  const std::vector<std::string> messages = {
      R"({"type":"session_configured","session_id":"s","model":"m"})",
      R"({"type":"task_started"})",
      R"({"type":"agent_reasoning","text":"why"})",
      R"({"type":"exec_command_begin","call_id":"c","command":["bash","-lc","ls"]})",
      R"({"type":"exec_command_end","call_id":"c","aggregated_output":"a","exit_code":0})",
      R"({"type":"patch_apply_begin","call_id":"p","changes":{"a.txt":{"add":{"content":"x"}}}})",
      R"({"type":"patch_apply_end","call_id":"p","success":true})",
      R"({"type":"agent_message","message":"done"})",
      R"({"type":"token_count","info":{"total_token_usage":{"input_tokens":7,"output_tokens":2}}})",
      R"({"type":"task_complete","last_agent_message":"done"})",
  };
  std::string plain;
  std::string wrapped;
  for (const std::string& message : messages) {
    plain += R"({"id":"0","msg":)" + message + "}\n";
    wrapped +=
        R"({"jsonrpc":"2.0","method":"codex/event","params":{"id":"0","msg":)" + message + "}}\n";
  }
  for (const std::string& input : {plain, wrapped}) {
    const Heard heard = codex(input);
    EXPECT_EQ(without_end(heard), kRun);
    EXPECT_EQ(heard.all<ToolStarted>().at(0)->command.str(), "bash -lc ls");
    EXPECT_EQ(heard.data(Kind::files_changed),
              Lines{R"({"files":[{"path":"a.txt","action":"created"}],"claimed":false})"});
    EXPECT_EQ(heard.data(Kind::turn_finished),
              Lines{R"({"ok":true,"subtype":"completed","text":"done"})"});
    EXPECT_FALSE(heard.all<Usage>().at(0)->final);
  }
}

TEST(CodexReader, ReadsTheAppServer) {
  const Heard heard = codex(
      R"({"id":1,"result":{"userAgent":"x"}})"
      "\n"
      R"({"method":"thread/started","params":{"thread":{"id":"s","cwd":"/w"}}})"
      "\n"
      R"({"method":"turn/started","params":{"threadId":"s","turn":{"id":"t"}}})"
      "\n"
      R"({"method":"item/completed","params":{"item":{"type":"userMessage","id":"u","content":[{"type":"text","text":"hi"}]}}})"
      "\n"
      R"({"method":"item/completed","params":{"item":{"type":"reasoning","id":"r","summary":["why"],"content":[]}}})"
      "\n"
      R"({"method":"item/started","params":{"item":{"type":"commandExecution","id":"c","command":"ls","status":"inProgress"}}})"
      "\n"
      R"({"method":"item/completed","params":{"item":{"type":"commandExecution","id":"c","command":"ls","status":"completed","exitCode":0,"aggregatedOutput":"a","durationMs":12}}})"
      "\n"
      R"({"method":"item/completed","params":{"item":{"type":"fileChange","id":"f","status":"completed","changes":[{"path":"/w/a.txt","kind":{"type":"update"},"diff":""}]}}})"
      "\n"
      R"({"method":"item/agentMessage/delta","params":{"itemId":"m","delta":"do"}})"
      "\n"
      R"({"method":"item/completed","params":{"item":{"type":"agentMessage","id":"m","text":"done"}}})"
      "\n"
      R"({"method":"thread/tokenUsage/updated","params":{"tokenUsage":{"total":{"inputTokens":7,"cachedInputTokens":1,"outputTokens":2}}}})"
      "\n"
      R"({"method":"turn/completed","params":{"turn":{"id":"t","status":"completed","error":null}}})"
      "\n");
  EXPECT_EQ(outline(heard),
            (Lines{"status response", "session_started s", "status turn_started", "text hi",
                   "thinking why", "tool_started Bash", "tool_finished Bash ok", "files_changed",
                   "text done", "usage", "turn_finished ok completed"}));
  EXPECT_EQ(heard.data(Kind::files_changed),
            Lines{R"({"files":[{"path":"a.txt","action":"modified"}],"claimed":false})"});
  EXPECT_EQ(heard.all<ToolFinished>().at(0)->duration_ms, Number::of(std::int64_t{12}));
}

TEST(CodexReader, ServerRequestsAreQuestions) {
  const Heard heard = codex(
      R"({"id":7,"method":"item/commandExecution/requestApproval","params":{"itemId":"c","command":"rm x"}})"
      "\n"
      R"({"id":8,"method":"item/tool/requestUserInput","params":{"itemId":"q","questions":[{"id":"choice","header":"H","question":"Which?","options":[{"label":"a"},{"label":"b"}]}]}})"
      "\n"
      R"({"method":"item/completed","params":{"item":{"type":"commandExecution","id":"c","status":"declined"}}})"
      "\n"
      R"({"method":"serverRequest/resolved","params":{"requestId":8}})"
      "\n"
      R"({"id":9,"method":"item/tool/call","params":{}})"
      "\n");
  EXPECT_EQ(questions_of(heard),
            (std::map<std::string, QuestionState>{{"c", QuestionState::answered},
                                                  {"choice", QuestionState::withdrawn}}));
  const std::vector<const Question*> all = heard.all<Question>();
  EXPECT_EQ(all[0]->text, "Allow Bash: rm x?");
  EXPECT_EQ(all[1]->source, QuestionSource::request_user_input);
  EXPECT_FALSE(all[1]->free_text);
  EXPECT_EQ(all[2]->answer, "Deny");
  EXPECT_NE(heard.data(Kind::question)[0].find(R"("request_id":7)"), std::string::npos);
  EXPECT_EQ(heard.all<Unknown>().at(0)->type, "item/tool/call");
}

TEST(CodexReader, RequestUserInputOfExecIsAQuestion) {
  const Heard heard = codex(
      R"({"type":"request_user_input","call_id":"c","questions":[{"id":"q0","question":"Which?","isOther":true,"isSecret":true,"options":[{"label":"a"}]}]})"
      "\n");
  EXPECT_EQ(heard.rules(), Lines{});
  ASSERT_EQ(heard.count<Question>(), 1u);
  const Question& question = *heard.all<Question>()[0];
  EXPECT_EQ(question.id, "q0");
  EXPECT_TRUE(question.free_text);
  EXPECT_EQ(question.secret, true);
}

TEST(CodexReader, MarkersCountInAgentMessagesAndNowhereElse) {
  const std::string marker = R"([CODEX_COMPLETE] Task completed in 3 iterations)";
  const auto item = [&](const std::string& fields) {
    return R"({"type":"item.completed","item":{"id":"i",)" + fields + "}}\n";
  };
  EXPECT_EQ(
      codex(item(R"("type":"agent_message","text":")" + marker + "\"")).count<CompletionClaimed>(),
      1u);
  for (const std::string& fields : {R"("type":"reasoning","text":")" + marker + "\"",
                                    R"("type":"command_execution","aggregated_output":")" + marker +
                                        R"(","exit_code":0,"status":"completed")",
                                    R"("type":"error","message":")" + marker + "\""}) {
    EXPECT_EQ(codex(item(fields)).count<CompletionClaimed>(), 0u) << fields;
  }
}

TEST(CodexPinned, ACommandThatOutlivesItsTurnIsAbandoned) {
  const Heard heard = codex_capture("command-long-yield");
  EXPECT_EQ(outline(heard),
            (Lines{"session_started 01a1e0cb-a2e0-7202-b447-a49f2d3e7b2f", "status turn_started",
                   "tool_started Bash", "text It is still running, but I am done.",
                   "tool_finished Bash abandoned", "turn_finished ok completed", "usage"}));
  EXPECT_EQ(heard.all<ToolFinished>()[0]->id, "item_0");
}

TEST(CodexReader, OutcomesFollowTheStatus) {
  const auto outcome = [](const std::string& status, const std::string& code) {
    return codex(
               R"({"type":"item.completed","item":{"id":"i","type":"command_execution","status":")" +
               status + R"(","exit_code":)" + code + "}}\n")
        .all<ToolFinished>()
        .at(0)
        ->outcome;
  };
  EXPECT_EQ(outcome("completed", "0"), Outcome::ok);
  EXPECT_EQ(outcome("failed", "1"), Outcome::failed);
  EXPECT_EQ(outcome("declined", "null"), Outcome::denied);
  EXPECT_EQ(outcome("completed", "null"), Outcome::abandoned);
}

TEST(CodexReader, FilesAreShownFromTheWorkingDirectory) {
  ReaderOptions options;
  options.cwd = "/home/dev/work/codex/file-all";
  const Heard heard = codex_capture("file-all", options);
  std::vector<std::string> files;
  for (const FilesChanged* changed : heard.all<FilesChanged>()) {
    for (const FileChange& file : changed->files) files.emplace_back(file.path);
  }
  EXPECT_EQ(files, (Lines{"from.txt", "gone.txt", "keep.txt", "sub/new.txt"}));
}

TEST(CodexReader, AFailedPatchChangesNothing) {
  const Heard heard = codex(
      R"({"type":"item.completed","item":{"id":"i","type":"file_change","changes":[{"path":"a","kind":"add"}],"status":"failed"}})"
      "\n");
  EXPECT_EQ(outline(heard),
            (Lines{"tool_started apply_patch", "tool_finished apply_patch failed"}));
}

TEST(CodexReader, AnErrorLineIsNotTheEnd) {
  const Heard heard =
      codex(R"({"type":"turn.started"})"
            "\n"
            R"({"type":"error","message":"Reconnecting... 2/5 [stream disconnected]"})"
            "\n"
            R"({"type":"error","message":"Reconnecting... waiting for network"})"
            "\n"
            R"({"type":"error","message":"something odd"})"
            "\n"
            R"({"type":"item.completed","item":{"id":"i","type":"agent_message","text":"ok"}})"
            "\n"
            R"({"type":"turn.completed","usage":{}})"
            "\n");
  EXPECT_EQ(outline(heard),
            (Lines{"status turn_started", "rate_limited", "status reconnecting",
                   "diagnostic agent_warning", "text ok", "turn_finished ok completed", "usage"}));
  EXPECT_EQ(heard.all<RateLimited>()[0]->attempt, 2);
}

struct Failed {
  std::string capture;
  std::string reason;
};

TEST(CodexReader, AFailedTurnSaysWhy) {
  const std::vector<Failed> rows = {
      {"error403", "auth_required"},   {"error429", "rate_limited"},
      {"usage-limit", "rate_limited"}, {"context-exceeded", "context_too_long"},
      {"idle-timeout", "network"},     {"no-key", "auth_required"},
  };
  for (const Failed& row : rows) {
    const Heard heard = codex_capture(row.capture);
    ASSERT_EQ(heard.count<Failure>(), 1u) << row.capture;
    EXPECT_EQ(heard.all<Failure>()[0]->reason, row.reason) << row.capture;
    ASSERT_EQ(heard.count<TurnFinished>(), 1u);
    EXPECT_FALSE(heard.all<TurnFinished>()[0]->ok);
  }
  // The message was JSON in a string.
  EXPECT_EQ(codex_capture("context-exceeded").all<Failure>()[0]->message.str(),
            "Your input exceeds the context window of this model.");
  EXPECT_EQ(codex_capture("context-exceeded").all<Failure>()[0]->code, "context_length_exceeded");
}

TEST(CodexReader, ATurnWithoutAnyItemIsEmpty) {
  EXPECT_EQ(codex_capture("nothing").rules(), Lines{"empty_turn"});
  EXPECT_TRUE(codex_capture("nothing").all<TurnFinished>().at(0)->ok);
  EXPECT_EQ(codex_capture("plain").rules(), Lines{});
}

TEST(CodexReader, UsageCountsTheWholeThread) {
  EXPECT_EQ(codex_capture("resume").all<Usage>().at(0)->scope, UsageScope::thread);
  EXPECT_TRUE(codex_capture("resume").all<Usage>().at(0)->final);
}

TEST(CodexReader, ToDoListsHaveSteps) {
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  const Heard heard = codex_capture("todo");
  for (const Status* status : heard.all<Status>()) {
    if (status->steps.has_value()) steps.emplace_back(status->steps->done, status->steps->total);
  }
  EXPECT_EQ(steps,
            (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 3}, {1, 3}, {3, 3}, {3, 3}}));
}

TEST(CodexReader, AWebSearchCarriesItsIdTwiceAndTheLastPairs) {
  const std::string item =
      R"("item":{"id":"item_0","type":"web_search","id":"ws_1","query":"q","action":{}}})";
  const Heard heard = codex(R"({"type":"item.started",)" + item + "\n" +
                            R"({"type":"item.completed",)" + item + "\n");
  EXPECT_EQ(outline(heard), (Lines{"tool_started WebSearch", "tool_finished WebSearch ok"}));
  EXPECT_EQ(heard.all<ToolFinished>()[0]->id, "ws_1");
  // Anything else that is there twice is told.
  for (const char* other : {R"({"id":"a","type":"web_search","id":"b","query":"q","query":"r"})",
                            R"({"id":"a","type":"web_search","id":"b","id":"c","query":"q"})",
                            R"({"id":"a","type":"command_execution","id":"b","command":"ls"})"}) {
    const std::string line = R"({"type":"item.started","item":)" + std::string(other) + "}\n";
    EXPECT_EQ(codex(line).rules(), Lines{"duplicate_key"}) << other;
  }
}

TEST(CodexReader, APatchThatWasNotAppliedIsAToolThatWasUsed) {
  const std::string changes = R"("changes":[{"path":"src/a.ts","kind":"update"}])";
  const std::string failed = R"({"type":"item.completed","item":{"id":"p","type":"file_change",)" +
                             changes + R"(,"status":"failed"}})" + "\n";
  const Lines told = {"tool_started apply_patch", "tool_finished apply_patch failed"};
  const Heard alone = codex(failed);
  EXPECT_EQ(outline(alone), told);
  EXPECT_EQ(alone.all<ToolStarted>().at(0)->description, "src/a.ts");
  EXPECT_EQ(alone.all<ToolStarted>().at(0)->id, alone.all<ToolFinished>().at(0)->id);
  EXPECT_EQ(outline(codex(R"({"type":"item.started","item":{"id":"p","type":"file_change",)" +
                          changes + "}}\n" + failed)),
            told);
  EXPECT_EQ(
      outline(codex(
          R"({"id":"1","msg":{"type":"patch_apply_begin","call_id":"c","changes":{"a.txt":{"add":{}}}}})"
          "\n"
          R"({"id":"1","msg":{"type":"patch_apply_end","call_id":"c","success":false,"stderr":"no"}})"
          "\n")),
      (Lines{"status patch_apply_begin", "tool_started apply_patch",
             "tool_finished apply_patch failed"}));
}

TEST(CodexReader, WordsKeepThePhaseOfTheirMessage) {
  const Heard heard = codex(
      R"({"type":"item.completed","item":{"id":"a","type":"agent_message","text":"Looking.","phase":"commentary"}})"
      "\n"
      R"({"type":"item.completed","item":{"id":"b","type":"agent_message","text":"It is 42.","phase":"final_answer"}})"
      "\n"
      R"({"type":"item.completed","item":{"id":"c","type":"agent_message","text":"Bye.","phase":null}})"
      "\n");
  EXPECT_EQ(heard.data(Kind::text),
            (Lines{R"({"text":"Looking.","block":0,"phase":"commentary"})",
                   R"({"text":"It is 42.","block":1,"phase":"final_answer"})",
                   R"({"text":"Bye.","block":2})"}));
}

TEST(CodexReader, OtherToolsHaveTheirNames) {
  EXPECT_EQ(codex_capture("mcp").all<ToolStarted>().at(0)->tool, "mcp__demo__echo");
  EXPECT_EQ(codex_capture("mcp").all<ToolFinished>().at(0)->output.str(), "echo: hi from mcp");
  EXPECT_EQ(codex_capture("subagent-v2").all<ToolStarted>().at(0)->tool, "Agent");
}

TEST(CodexReader, TheSpellingsOfTheDelegatorsSamplesAreAccepted) {
  const Heard heard = codex(
      R"({"type":"thread.started","threadId":"s"})"
      "\n"
      R"({"type":"turn.started","turnId":"turn_001"})"
      "\n"
      R"({"type":"item.completed","data":{"item":{"id":"i","type":"agent_message","text":"hi"}}})"
      "\n");
  EXPECT_EQ(outline(heard), (Lines{"session_started s", "status turn_started", "text hi"}));
}

TEST(CodexReader, NewItemsAndTypesAreUnknown) {
  const Heard heard = codex(R"({"type":"item.completed","item":{"id":"i","type":"hologram"}})"
                            "\n"
                            R"({"type":"thread.renamed","name":"x"})"
                            "\n"
                            R"({"prompt":"p"})"
                            "\n"
                            R"({"id":"0","msg":{"type":"hologram"}})"
                            "\n");
  EXPECT_EQ(outline(heard), (Lines{"unknown item/hologram", "unknown thread.renamed", "unknown ",
                                   "unknown hologram"}));
}

TEST(CodexReader, ALineThatLacksWhatItIsAboutIsUnknownAndKept) {
  const std::string limits =
      R"({"id":"0","msg":{"type":"token_count","info":null,"rate_limits":{"primary":{"used_percent":99}}}})";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"({"type":"thread.started"})", "thread.started"},
      {R"({"type":"session.created","session_id":""})", "session.created"},
      {R"({"id":"0","msg":{"type":"session_configured"}})", "session_configured"},
      {R"({"method":"thread/started","params":{"thread":{}}})", "thread/started"},
      {R"({"method":"thread/tokenUsage/updated","params":{}})", "thread/tokenUsage/updated"},
      {R"({"type":"item.completed","item":{"id":"i","type":"agent_message"}})",
       "item/agent_message"},
      {limits, "token_count"},
  };
  for (const auto& [line, type] : rows) {
    const Heard heard = codex(line + "\n");
    EXPECT_EQ(outline(heard), Lines{"unknown " + type}) << line;
  }
  EXPECT_EQ(codex(limits + "\n").data(Kind::unknown),
            Lines{R"({"type":"token_count","raw":)" + limits + "}"});
}

TEST(CodexReader, WhatIsNoItemLeavesATurnEmpty) {
  const auto message = [](const std::string& fields) {
    return R"({"id":"0","msg":{)" + fields + "}}\n";
  };
  EXPECT_EQ(outline(codex(message(R"("type":"task_started")") +
                          message(R"("type":"token_count","info":null)") +
                          message(R"("type":"background_event","message":"x")") +
                          message(R"("type":"task_complete")"))),
            (Lines{"status turn_started", "unknown token_count", "status background_event",
                   "diagnostic empty_turn", "turn_finished ok completed"}));
}

TEST(CodexReader, LimitsStandBesideTheUsageTheyCameWith) {
  const Heard heard = codex(
      R"({"id":"0","msg":{"type":"token_count","info":{"total_token_usage":{"input_tokens":7}},"rate_limits":{"primary":{"used_percent":9}}}})"
      "\n");
  EXPECT_EQ(
      heard.data(Kind::usage),
      Lines{
          R"({"input_tokens":7,"scope":"thread","final":false,"rate_limits":{"primary":{"used_percent":9}}})"});
}

TEST(CodexReader, AnAbortedTurnFailed) {
  const Heard heard = codex(R"({"id":"0","msg":{"type":"task_started"}})"
                            "\n"
                            R"({"id":"0","msg":{"type":"turn_aborted","reason":"interrupted"}})"
                            "\n");
  EXPECT_EQ(outline(heard),
            (Lines{"status turn_started", "turn_finished not ok aborted", "failure interrupted"}));
}

TEST(CodexReader, ReadsTheSpellingsOfTheDelegatorDocument) {
  const Heard heard = codex(
      R"({"type":"item.started","itemId":"i","data":{"type":"command_execution","command":"ls"}})"
      "\n"
      R"({"type":"item.completed","itemId":"i","data":{"type":"command_execution","command":"ls","exit_code":0,"status":"completed"}})"
      "\n");
  EXPECT_EQ(heard.data(Kind::tool_started), Lines{R"({"id":"i","tool":"Bash","command":"ls"})"});
  EXPECT_EQ(heard.data(Kind::tool_finished),
            Lines{R"({"id":"i","tool":"Bash","outcome":"ok","exit_code":0})"});
}

TEST(CodexReader, TheCodeInsideAWrappedMessageIsTheReason) {
  const Heard heard = codex(
      R"({"type":"turn.failed","error":{"message":"{\"error\":{\"message\":\"slow down\",\"code\":\"rate_limit_exceeded\"}}"}})"
      "\n");
  EXPECT_EQ(outline(heard), (Lines{"turn_finished not ok failed", "failure rate_limited"}));
}

TEST(CodexReader, AnUnknownMessageOfTheOldestShapeKeepsItsType) {
  EXPECT_EQ(outline(codex("{\"id\":\"0\",\"msg\":{\"type\":\"zzz\"}}\n")), Lines{"unknown zzz"});
}

}  // namespace
}  // namespace dragoman::test
