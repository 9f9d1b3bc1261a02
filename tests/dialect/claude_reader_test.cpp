// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dragoman/json/writer.hpp"
#include "structured.hpp"

namespace dragoman::test {
namespace {

Heard claude_capture(const std::string& file, ReaderOptions options = {}) {
  return hear_capture(Dialect::claude, file, std::move(options));
}

std::string said(const std::string& text, const std::string& more = "") {
  std::string line = R"({"type":"assistant","message":{"id":"m","content":[{"type":"text","text":)";
  json::append_string(line, text);
  return line + "}]}" + more + "}\n";
}

constexpr std::string_view kStatusMarker =
    R"(<!-- WXCODE:STATUS:{"status":"completed","message":"m"} -->)";
constexpr std::string_view kQuestion =
    R"(<!--QUESTION:{"questions":[{"question":"Q?","header":"h","options":[{"label":"a"},{"label":"b"}]}]}-->)";

// The trust rule.

TEST(ClaudeReader, AMarkerInTheAgentsOwnWordsCounts) {
  const Heard heard = claude(said(std::string("a ") + std::string(kStatusMarker)));
  ASSERT_EQ(heard.count<Status>(), 1u);
  for (const Event& event : heard.events()) {
    if (event.as<Status>() == nullptr) continue;
    EXPECT_EQ(event.origin.dialect, Dialect::wxcode);
    EXPECT_EQ(event.origin.via, Dialect::claude);
    EXPECT_EQ(event.origin.channel, Channel::assistant_text);
    EXPECT_EQ(event.origin.at, 2u);
    EXPECT_EQ(event.origin.offset, 0u);
  }
}

TEST(ClaudeReader, NoMarkerIsReadWhereTheAgentDoesNotSpeak) {
  std::string marker;
  json::append_string(marker, std::string(kStatusMarker) +
                                  "\n[CODEX_COMPLETE] Task completed in 1 "
                                  "iterations\n" +
                                  std::string(kQuestion));
  const std::vector<std::string> lines = {
      R"({"type":"user","message":{"content":[{"type":"tool_result","content":)" + marker + "}]}}",
      R"({"type":"user","message":{"content":)" + marker + R"(},"isSynthetic":true})",
      R"({"type":"user","message":{"content":[{"type":"text","text":)" + marker + "}]}}",
      R"({"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":)" +
          marker + "}]}}",
      R"({"type":"assistant","is_api_error_message":true,"message":{"content":[{"type":"text","text":)" +
          marker + "}]}}",
      R"({"type":"assistant","message":{"content":[{"type":"thinking","thinking":)" + marker +
          "}]}}",
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":)" +
          marker + "}}]}}",
      R"({"type":"result","subtype":"success","result":)" + marker + "}",
      R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":)" +
          marker + R"(}}})" + "\n" + said("whole").substr(0, said("whole").size() - 1),
      R"({"type":"system","subtype":"informational","content":)" + marker + "}",
  };
  for (const std::string& line : lines) {
    const Heard heard = claude(line + "\n");
    EXPECT_EQ(heard.count<Question>(), 0u) << line;
    EXPECT_EQ(heard.count<CompletionClaimed>(), 0u) << line;
    EXPECT_EQ(heard.count<QuotedMarker>(), 0u) << line;
    for (const Event& event : heard.events()) {
      EXPECT_EQ(event.origin.dialect, Dialect::claude) << line;
    }
    EXPECT_FALSE(heard.events().empty()) << line;
  }
}

TEST(ClaudeReader, ASubagentsMarkerIsQuoted) {
  for (const std::string more : {R"(,"parent_tool_use_id":"toolu_1")", R"(,"isSidechain":true)"}) {
    const Heard heard = claude(said(std::string(kStatusMarker), more));
    ASSERT_EQ(heard.count<QuotedMarker>(), 1u);
    EXPECT_EQ(heard.all<QuotedMarker>()[0]->reason, "subagent");
    EXPECT_EQ(heard.count<Status>(), 0u);
  }
  const Heard heard = claude(said("x", R"(,"parent_tool_use_id":"toolu_1")"));
  EXPECT_EQ(heard.events()[0].origin.parent, "toolu_1");
  EXPECT_EQ(heard.events()[0].origin.channel, Channel::subagent_text);
}

// Pinned answers for structured streams.

TEST(ClaudePinned, AToolResultIsKeptAndNotSearched) {
  std::string text;
  json::append_string(
      text, "[CODEX_COMPLETE] x\n" + std::string(kStatusMarker) + "\n" + std::string(kQuestion));
  const Heard heard = claude(
      R"({"type":"user","message":{"content":[{"type":"tool_result","content":)" + text + "}]}}\n");
  EXPECT_EQ(outline(heard), Lines{"tool_finished  ok"});
  EXPECT_EQ(heard.all<ToolFinished>()[0]->output.str(),
            "[CODEX_COMPLETE] x\n" + std::string(kStatusMarker) + "\n" + std::string(kQuestion));
}

TEST(ClaudePinned, AQuestionInAFileThatWasReadIsNone) {
  std::string text;
  json::append_string(text, kQuestion);
  const Heard heard =
      claude(R"({"type":"user","message":{"content":[{"type":"tool_result","content":)" + text +
             "}]}}\n" + said("I write <!--QUESTION:...--> there"));
  EXPECT_EQ(heard.count<Question>(), 0u);
  EXPECT_EQ(heard.count<Malformed>(), 1u);
}

TEST(ClaudePinned, TheQuestionOfTheCaptureIsOneThoughItsTextComesTwice) {
  const Heard heard = claude_capture("question");
  ASSERT_EQ(heard.count<Question>(), 1u);
  EXPECT_EQ(heard.all<Question>()[0]->options.size(), 2u);
}

TEST(ClaudePinned, AskUserQuestionWithoutAnswerStaysUnanswered) {
  const Heard heard = claude_capture("ask");
  const auto states = questions_of(heard);
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states.begin()->first, "toolu_fakexxxxxxxxxxxxxx00006z#0");
  EXPECT_EQ(states.begin()->second, QuestionState::unanswered);
}

TEST(ClaudePinned, AskUserQuestionOverControlIsOneQuestionAnsweredJwt) {
  const Heard heard = claude_capture("control-ask");
  const auto states = questions_of(heard);
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states.begin()->second, QuestionState::answered);
  const std::vector<const Question*> all = heard.all<Question>();
  EXPECT_EQ(all.back()->answer, "JWT");
  EXPECT_EQ(all.back()->text, "Which authentication method should I use?");
  EXPECT_EQ(all.back()->options.size(), 2u);
  // The id to answer to is told when it is known.
  EXPECT_NE(
      heard.data(Kind::question)[1].find(R"("request_id":"a9ae9d74-5962-4e85-9ebf-050b56b3f817")"),
      std::string::npos);
}

TEST(ClaudePinned, TheForwardedSubagentHasNoEffectAndThereAreTwoResults) {
  const Heard heard = claude_capture("agent-forward");
  EXPECT_EQ(heard.count<TurnFinished>(), 2u);
  EXPECT_TRUE(heard.all<TurnFinished>()[1]->ok);
  EXPECT_EQ(heard.count<QuotedMarker>(), 0u);
}

TEST(ClaudePinned, TheMarkersOfTheTrickyCapture) {
  const Heard heard = claude_capture("tricky");
  EXPECT_EQ(heard.count<QuotedMarker>(), 1u);
  EXPECT_EQ(heard.count<Malformed>(), 2u);
  EXPECT_EQ(heard.count<Unknown>(), 1u);
  std::vector<std::string> wxcode;
  for (const Event& event : heard.events()) {
    if (event.origin.via != Dialect::claude || event.kind() > Kind::failure) continue;
    wxcode.emplace_back(name(event.kind()));
    if (const auto* status = event.as<Status>()) wxcode.back() += " " + std::string(status->status);
  }
  std::erase(wxcode, "text");
  EXPECT_EQ(wxcode,
            (Lines{"status in_progress", "tool_started", "status pending", "status paused"}));
}

TEST(ClaudePinned, TheMarkersOfTheWxcodeCaptureComeOnce) {
  for (const bool partial : {false, true}) {
    ReaderOptions options;
    options.partial = partial;
    const Heard heard = claude_capture("wxcode", options);
    std::vector<std::string> kinds;
    for (const Event& event : heard.events()) {
      if (event.origin.via == Dialect::claude && event.kind() != Kind::text) {
        kinds.emplace_back(name(event.kind()));
      }
    }
    std::erase(kinds, "diagnostic");
    EXPECT_EQ(kinds, (Lines{"command_started", "tool_started", "tool_finished", "status", "failure",
                            "status", "next_action"}));
  }
}

// Sessions.

TEST(ClaudeSession, StartsOnceThoughInitComesWithEveryTurn) {
  EXPECT_EQ(claude_capture("background").count<SessionStarted>(), 1u);
  const Heard heard = claude_capture("agent");
  ASSERT_EQ(heard.count<SessionStarted>(), 1u);
  const SessionStarted& session = *heard.all<SessionStarted>()[0];
  EXPECT_EQ(session.session_id, "20985942-0439-4499-af20-027fec491f60");
  EXPECT_EQ(session.model, "claude-opus-5-5");
  EXPECT_EQ(session.cwd, "/home/dev/work/claude/agent");
  EXPECT_EQ(session.version, "2.1.325");
  EXPECT_EQ(session.tools.size(), 22u);
}

TEST(ClaudeSession, AFailedResultBeforeAnyInitNamesNone) {
  const Heard heard = claude_capture("resume-unknown");
  EXPECT_EQ(heard.count<SessionStarted>(), 0u);
  ASSERT_EQ(heard.count<Failure>(), 1u);
  EXPECT_EQ(heard.all<Failure>()[0]->reason, "session_expired");
  EXPECT_EQ(heard.all<Failure>()[0]->recoverable, Recoverable::false_);
}

TEST(ClaudeSession, ASingleResultNamesIt) {
  const Heard heard = claude_capture("format-json");
  EXPECT_EQ(heard.count<SessionStarted>(), 1u);
  EXPECT_EQ(heard.count<TurnFinished>(), 1u);
  EXPECT_EQ(heard.count<DisplayText>(), 0u);
}

TEST(ClaudeSession, AStreamWithoutInitNamesItAtTheEnd) {
  const Heard heard =
      claude(R"({"type":"system","subtype":"status","status":"requesting","session_id":"s1"})"
             "\n");
  EXPECT_EQ(outline(heard), (Lines{"status status", "session_started s1"}));
  EXPECT_EQ(heard.events()[1].origin.length, 0u);
}

TEST(ClaudeSession, AHookBeforeInitDoesNotTakeItsPlace) {
  const Heard heard = claude_capture("hooks");
  ASSERT_EQ(heard.count<SessionStarted>(), 1u);
  EXPECT_EQ(heard.all<SessionStarted>()[0]->model, "claude-opus-5-5");
}

TEST(ClaudeSession, ANewConversationIsANewSession) {
  const std::string init = R"({"type":"system","subtype":"init","session_id":"a"})"
                           "\n";
  const std::string reset =
      R"({"type":"conversation_reset","new_conversation_id":"n","session_id":"a"})"
      "\n";
  EXPECT_EQ(claude(init + init).count<SessionStarted>(), 1u);
  EXPECT_EQ(claude(init + reset + init).count<SessionStarted>(), 2u);
}

TEST(ClaudeSession, AFailedMcpServerIsAWarning) {
  const Heard heard = claude(
      R"({"type":"system","subtype":"init","session_id":"a","mcp_servers":[{"name":"x","status":"failed"}],"mcp_server_errors":["y"]})"
      "\n");
  EXPECT_EQ(heard.rules(), (Lines{"mcp_server", "mcp_server"}));
}

TEST(ClaudeSession, ReadsTranscriptFiles) {
  const Heard heard = claude(
      R"({"type":"summary","summary":"About tests","leafUuid":"u0"})"
      "\n"
      R"({"parentUuid":null,"isSidechain":false,"cwd":"/w","sessionId":"s","version":"2.0.1","type":"user","message":{"role":"user","content":"hi"},"uuid":"u1"})"
      "\n"
      R"({"parentUuid":"u1","isSidechain":false,"cwd":"/w","sessionId":"s","version":"2.0.1","type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Write","input":{"file_path":"/w/a.txt","content":""}}]},"uuid":"u2"})"
      "\n"
      R"({"sessionId":"s","type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]},"toolUseResult":{"type":"create","filePath":"/w/a.txt"},"uuid":"u3"})"
      "\n");
  EXPECT_EQ(outline(heard),
            (Lines{"status summary", "session_started s", "text hi", "tool_started Write",
                   "tool_finished Write ok", "files_changed"}));
  EXPECT_EQ(heard.data(Kind::files_changed)[0],
            R"({"files":[{"path":"a.txt","action":"created"}],"claimed":false})");
}

TEST(ClaudeSession, ReadsTheArrayOfOutputFormatJson) {
  const Heard heard = claude_capture("format-json-verbose");
  EXPECT_EQ(heard.count<SessionStarted>(), 1u);
  EXPECT_EQ(heard.count<TurnFinished>(), 1u);
  EXPECT_EQ(heard.count<DisplayText>(), 1u);
  EXPECT_EQ(heard.records().size(), 1u);
}

// Tools.

TEST(ClaudeTools, ResultsAreMatchedByIdInOrderOfCompletion) {
  const Heard heard = claude_capture("parallel");
  std::vector<std::string> order;
  for (const ToolFinished* tool : heard.all<ToolFinished>()) {
    order.emplace_back(tool->id.substr(tool->id.size() - 2));
    EXPECT_EQ(tool->tool, "Bash");
  }
  EXPECT_EQ(order, (Lines{"3u", "3t", "3v"}));
  EXPECT_EQ(heard.all<ToolFinished>()[2]->outcome, Outcome::failed);
  EXPECT_EQ(heard.all<ToolFinished>()[2]->exit_code, 1);
}

TEST(ClaudeTools, ADeniedToolIsDenied) {
  for (const char* file : {"bash-denied-dontask", "control-permission-interrupt"}) {
    const Heard heard = claude_capture(file);
    ASSERT_EQ(heard.count<ToolFinished>(), 1u) << file;
    EXPECT_EQ(heard.all<ToolFinished>()[0]->outcome, Outcome::denied) << file;
  }
}

TEST(ClaudeTools, ASuccessfulEditChangesAFileAFailedOneDoesNot) {
  EXPECT_EQ(claude_capture("edit").data(Kind::files_changed),
            (Lines{R"({"files":[{"path":"greet.txt","action":"created"}],"claimed":false})",
                   R"({"files":[{"path":"greet.txt","action":"modified"}],"claimed":false})"}));
  EXPECT_EQ(claude_capture("edit-fail").count<FilesChanged>(), 0u);
}

TEST(ClaudeTools, WhatNeverEndsIsAbandonedAtTheEnd) {
  const Heard heard = claude_capture("sigkill-in-tool");
  ASSERT_EQ(heard.count<ToolFinished>(), 1u);
  EXPECT_EQ(heard.all<ToolFinished>()[0]->outcome, Outcome::abandoned);
  EXPECT_EQ(heard.events().back().origin.length, 0u);
}

TEST(ClaudeTools, AResultEndsTheToolsOfTheMainThreadOnly) {
  const auto call = [](const std::string& id, const std::string& more) {
    return R"({"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":")" + id +
           R"(","name":"Bash","input":{}}]})" + more + "}\n";
  };
  const Heard heard = claude(call("a", "") + call("b", R"(,"parent_tool_use_id":"a0")") +
                             R"({"type":"result","subtype":"success","is_error":false})" + "\n");
  EXPECT_EQ(outline(heard),
            (Lines{"tool_started Bash", "tool_started Bash", "tool_finished Bash abandoned",
                   "turn_finished ok success", "tool_finished Bash abandoned"}));
  EXPECT_EQ(heard.all<ToolFinished>()[0]->id, "a");
  EXPECT_EQ(heard.events().back().origin.parent, "a0");
}

TEST(ClaudeTools, PartsOfAnOutputAreJoinedAndOthersKept) {
  const Heard heard = claude(
      R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a\"b"},{"type":"text","text":"c"},{"type":"image","source":{"data":"xyz"}}]}]}})"
      "\n");
  EXPECT_EQ(heard.all<ToolFinished>().at(0)->output.str(), "a\"b\nc");
  EXPECT_NE(heard.data(Kind::tool_finished)[0].find(R"("data":"xyz")"), std::string::npos);
}

TEST(ClaudeTools, TheDocumentsShapeWithAResultInsideTheAssistantIsRead) {
  const Heard heard = claude(
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Read","input":{"file":"a.ts"}},{"type":"tool_result","tool_use_id":"t","content":"x"}]}})"
      "\n");
  EXPECT_EQ(outline(heard), (Lines{"tool_started Read", "tool_finished Read ok"}));
  EXPECT_EQ(heard.all<ToolStarted>()[0]->file, "a.ts");
}

TEST(ClaudeTools, ServerToolsAreTools) {
  EXPECT_EQ(claude_capture("search").count<ToolFinished>(), 1u);
  EXPECT_EQ(claude_capture("mcp").all<ToolStarted>().at(0)->mcp_tool, "mcp__demo__echo");
}

// Permissions.

TEST(ClaudeControl, ARequestForPermissionIsAQuestionUntilTheToolEnds) {
  const Heard heard = claude_capture("control-permission-interrupt");
  const std::vector<const Question*> all = heard.all<Question>();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]->kind, QuestionKind::approval);
  EXPECT_EQ(all[0]->text, "Allow Bash: touch made-by-agent && echo made?");
  EXPECT_EQ(all[0]->header, "Permission");
  EXPECT_EQ(all[0]->state, QuestionState::open);
  EXPECT_EQ(all[1]->state, QuestionState::answered);
  EXPECT_EQ(all[1]->answer, "Deny");
  EXPECT_EQ(all[0]->id, all[1]->id);
}

TEST(ClaudeControl, ACancelledRequestIsWithdrawn) {
  const std::string ask =
      R"({"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t"}})"
      "\n";
  const Heard heard = claude(ask + R"({"type":"control_cancel_request","request_id":"r1"})" + "\n");
  EXPECT_EQ(questions_of(heard),
            (std::map<std::string, QuestionState>{{"t", QuestionState::withdrawn}}));
}

TEST(ClaudeControl, OtherRequestsAreUnknownWithTheIdToRefuse) {
  const Heard heard =
      claude(R"({"type":"control_request","request_id":"r9","request":{"subtype":"hook_callback"}})"
             "\n");
  ASSERT_EQ(heard.count<Unknown>(), 1u);
  EXPECT_EQ(heard.all<Unknown>()[0]->type, "control_request/hook_callback");
  EXPECT_NE(heard.all<Unknown>()[0]->raw.json.find("r9"), std::string_view::npos);
}

// Usage.

TEST(ClaudeUsage, ACostBelowZeroIsLeftOut) {
  const Heard heard = claude(
      R"({"type":"result","subtype":"success","is_error":false,"total_cost_usd":-0.5,"usage":{"input_tokens":-1,"output_tokens":2}})"
      "\n");
  ASSERT_EQ(heard.count<Usage>(), 1u);
  EXPECT_EQ(heard.all<Usage>()[0]->cost_usd, std::nullopt);
  EXPECT_EQ(heard.all<Usage>()[0]->input_tokens, std::nullopt);
  EXPECT_EQ(heard.all<Usage>()[0]->output_tokens, 2);
}

TEST(ClaudeUsage, IsGivenPerMessageAndPerTurn) {
  const Heard heard = claude_capture("parallel");
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> by_id;
  std::pair<std::int64_t, std::int64_t> turn;
  for (const Usage* usage : heard.all<Usage>()) {
    const std::pair figures{*usage->input_tokens, *usage->output_tokens};
    if (usage->scope == UsageScope::message) by_id[std::string(usage->message_id)] = figures;
    if (usage->scope == UsageScope::turn) turn = figures;
  }
  std::pair<std::int64_t, std::int64_t> live;
  for (const auto& [id, figures] : by_id) {
    live.first += figures.first;
    live.second += figures.second;
  }
  EXPECT_EQ(live, (std::pair<std::int64_t, std::int64_t>{84, 2}));
  EXPECT_EQ(turn, (std::pair<std::int64_t, std::int64_t>{84, 130}));
}

TEST(ClaudeUsage, CostsAreRunningTotals) {
  std::vector<double> costs;
  std::int64_t output = 0;
  const Heard heard = claude_capture("background");
  for (const Usage* usage : heard.all<Usage>()) {
    if (usage->scope != UsageScope::turn) continue;
    costs.push_back(*usage->cost_usd);
    output += *usage->output_tokens;
    EXPECT_TRUE(usage->final);
  }
  EXPECT_EQ(costs, (std::vector<double>{0.0027058, 0.0038168}));
  EXPECT_EQ(output, 76);
}

// The end of a turn.

struct Ending {
  std::string capture;
  std::string turn;
  std::string reason;  // of the failure, if any
};

TEST(ClaudeResult, EndsAsItEnded) {
  const std::vector<Ending> rows = {
      {"plain", "turn_finished ok success", ""},
      {"bash-denied-dontask", "turn_finished ok success", ""},
      {"error400", "turn_finished not ok success", "agent_error"},
      {"error401", "turn_finished not ok success", "auth_required"},
      {"error403", "turn_finished not ok success", "auth_required"},
      {"error529", "turn_finished not ok success", "overloaded"},
      {"toolong", "turn_finished not ok success", "context_too_long"},
      {"max-turns", "turn_finished not ok error_max_turns", "max_turns"},
      {"max-budget", "turn_finished not ok error_max_budget_usd", "budget"},
      {"sigint", "turn_finished not ok error_during_execution", "interrupted"},
      {"sigint-in-tool", "turn_finished not ok error_during_execution", "interrupted"},
      {"resume-unknown", "turn_finished not ok error_during_execution", "session_expired"},
      {"hooks-block-prompt", "turn_finished ok success", ""},
  };
  for (const Ending& row : rows) {
    const Heard heard = claude_capture(row.capture);
    std::vector<std::string> turns;
    for (const std::string& line : outline(heard)) {
      if (line.starts_with("turn_finished")) turns.push_back(line);
    }
    EXPECT_EQ(turns, Lines{row.turn}) << row.capture;
    const auto failures = heard.all<Failure>();
    EXPECT_EQ(failures.empty() ? "" : failures.back()->reason, row.reason) << row.capture;
  }
}

TEST(ClaudeResult, WithoutResultThereIsNoTurn) {
  EXPECT_EQ(claude_capture("sigterm").count<TurnFinished>(), 0u);
  EXPECT_EQ(claude_capture("sigkill-in-tool").count<TurnFinished>(), 0u);
}

TEST(ClaudeResult, ADifferenceToTheLastMessageIsReported) {
  EXPECT_EQ(claude_capture("twotexts").rules(), Lines{"result_mismatch"});
  for (const char* file : {"plain", "agent", "background", "format-json", "hooks-block-prompt",
                           "error529", "cut-partial"}) {
    for (const std::string& rule : claude_capture(file).rules())
      EXPECT_NE(rule, "result_mismatch") << file;
  }
}

TEST(ClaudeResult, ARepeatedLineIsReadOnce) {
  const std::string line = said("once", R"(,"uuid":"5ce39d22-097e-4562-9e65-65a753b5d763")");
  const Heard heard = claude(line + line + said("twice") + said("twice"));
  EXPECT_EQ(outline(heard),
            (Lines{"text once", "diagnostic duplicate_line", "text twice", "text twice"}));
}

// Limits and activity.

TEST(ClaudeSystem, LimitsAreRateLimitedAndOtherRetriesAreNot) {
  EXPECT_EQ(
      claude_capture("ratelimit-headers").data(Kind::rate_limited),
      Lines{
          R"({"status":"allowed_warning","resets_at":1900000000,"limit":"five_hour","utilization":0.93})"});
  EXPECT_GE(claude_capture("error429once").count<RateLimited>(), 1u);
  EXPECT_EQ(claude_capture("cut-partial").count<RateLimited>(), 0u);
}

TEST(ClaudeSystem, BackgroundTasksAreTold) {
  std::vector<std::string> tasks;
  const Heard heard = claude_capture("background");
  for (const Status* status : heard.all<Status>()) {
    if (status->task.empty()) continue;
    tasks.push_back(std::string(status->activity) + " " + std::string(status->task) + " " +
                    std::string(status->status));
  }
  EXPECT_EQ(tasks, (Lines{"task_started btsfvnvu9 ", "task_updated btsfvnvu9 completed",
                          "task_notification btsfvnvu9 completed"}));
}

TEST(ClaudeSystem, KnownTypesAreStatusAndNewOnesUnknown) {
  const Heard heard = claude(R"({"type":"keep_alive"})"
                             "\n"
                             R"({"type":"auth_status"})"
                             "\n"
                             R"({"type":"system","subtype":"session_state_changed","state":"idle"})"
                             "\n"
                             R"({"type":"system","subtype":"memory_recall"})"
                             "\n"
                             R"({"type":"active_goal"})"
                             "\n"
                             R"({"no":"type"})"
                             "\n");
  EXPECT_EQ(outline(heard),
            (Lines{"status keep_alive", "status auth_status", "status session_state_changed",
                   "unknown system/memory_recall", "unknown active_goal", "unknown "}));
}

// Partial messages.

std::string delta(const std::string& text) {
  std::string line =
      R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":)";
  json::append_string(line, text);
  return line + "}}}\n";
}

TEST(ClaudePartial, FragmentsAreShownOnlyWhenAskedFor) {
  ReaderOptions partial;
  partial.partial = true;
  EXPECT_EQ(outline(claude(delta("a") + delta("b") + said("ab"), partial)),
            (Lines{"text a (partial)", "text b (partial)", "text ab"}));
  EXPECT_EQ(outline(claude(delta("a") + delta("b") + said("ab"))), Lines{"text ab"});
}

TEST(ClaudePartial, WhatTheStreamCutOffIsReadOnceAtTheEndAndClaimsNothing) {
  const Heard heard = claude(delta("hello <!-- WXCODE:STA") +
                             delta(R"(TUS:{"status":"in_progress","message":"m"} -->)"
                                   "\n<!-- FINISHED -->\n") +
                             delta("[CODEX_COMPLETE] Task completed in 2 iterations\n"));
  EXPECT_EQ(heard.count<Status>(), 1u);
  EXPECT_EQ(heard.count<CompletionClaimed>(), 0u);
  for (const Event& event : heard.events()) EXPECT_TRUE(event.partial);
}

TEST(ClaudePartial, ANewStartOrAnAbandonedBlockVoidsWhatWasCollected) {
  const std::string start =
      R"({"type":"stream_event","event":{"type":"message_start","message":{"id":"m"}}})"
      "\n";
  EXPECT_EQ(outline(claude(start + delta("old") + start + delta("new"))),
            Lines{"text new (partial)"});
  const std::string gone =
      R"({"type":"stream_event","event":{"type":"message_stop"},"abandoned_blocks":{"api_message_id":"m","from_block_index":0}})"
      "\n";
  EXPECT_EQ(outline(claude(start + delta("old") + gone)), Lines{});
  const std::string later =
      R"({"type":"stream_event","event":{"type":"message_stop"},"abandoned_blocks":{"api_message_id":"m","from_block_index":1}})"
      "\n";
  EXPECT_EQ(outline(claude(start + delta("old") + later)), Lines{"text old (partial)"});
}

// Hostile streams.

TEST(ClaudeReader, EndlessOpenToolsDoNotGrowWithoutBound) {
  std::string input;
  for (int i = 0; i < 3000; ++i) {
    input += R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"t)" +
             std::to_string(i) + R"(","name":"Bash","input":{}}]}})" + "\n";
  }
  const Heard heard = claude(input);
  EXPECT_EQ(heard.count<ToolStarted>(), 3000u);
  EXPECT_EQ(heard.count<ToolFinished>(), 3000u);
  EXPECT_EQ(heard.all<ToolFinished>()[0]->id, "t0");
}

TEST(ClaudeTools, AResultWithoutIdEndsNoTool) {
  const Heard heard = claude(
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{}},{"type":"tool_use","name":"Read","input":{}}]}})"
      "\n"
      R"({"type":"user","message":{"content":[{"type":"tool_result","content":"ok"}]}})"
      "\n");
  EXPECT_EQ(outline(heard),
            (Lines{"tool_started Bash", "tool_started Read", "tool_finished  ok",
                   "tool_finished Bash abandoned", "tool_finished Read abandoned"}));
}

}  // namespace
}  // namespace dragoman::test
