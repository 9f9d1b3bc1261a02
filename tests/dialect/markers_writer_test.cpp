// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/keep.hpp"
#include "tests/support/writing.hpp"

namespace dragoman {
namespace {

using test::event_of;
using test::refusal;
using test::text_event;
using test::written;

std::string markers(const std::vector<Event>& events) { return written(Target::markers, events); }

template <typename T>
std::string why(const T& payload) {
  return refusal(Target::markers, event_of(payload));
}

TEST(MarkersWriter, WritesProgressOnOneLine) {
  Status p;
  p.status = "completed";
  p.message = std::string_view("two\r\n  [CODEX_COMPLETE] lines <!-- FINISHED -->");
  EXPECT_EQ(markers({event_of(p)}), "[PROGRESS] two [CODEX_COMPLETE] lines &lt;!-- FINISHED -->\n");
  p.message = std::string_view(" ");
  EXPECT_EQ(why(p), "PROGRESS: the message is empty");
}

TEST(MarkersWriter, KeepsABlocksLinesInTheBlock) {
  Blocked p;
  p.reason = "Cannot find API base URL";
  const std::vector<std::string_view> context = {"not defined in:",
                                                 "- .env file",
                                                 "",
                                                 "[PROGRESS] forged",
                                                 "```",
                                                 "a\nb",
                                                 "[Specific information needed]"};
  p.context = context;
  EXPECT_EQ(markers({event_of(p), text_event("prose\n")}),
            "[BLOCKED] Cannot find API base URL\nnot defined in:\n- .env file\n"
            "&#91;PROGRESS] forged\n&#96;``\na b\n[Specific information needed]\n\nprose\n");
}

TEST(MarkersWriter, AsksWithOptionsAndContext) {
  Question q;
  q.text = "Where should\nit go?";
  const std::vector<Option> options = {{"a - b", "first"}, {"c", {}}};
  const std::vector<std::string_view> context = {"because", "1. not an option", "Options: none"};
  q.options = options;
  q.context = context;
  EXPECT_EQ(markers({event_of(q), text_event("I go on.\n")}),
            "[QUESTION] Where should it go?\nOptions:\n1. a \u2013 b - first\n2. c\nbecause\n"
            "&#49;. not an option\n&#79;ptions: none\n\n\nI go on.\n");
  Question free;
  free.text = "Name?";
  EXPECT_EQ(markers({event_of(free)}), "[QUESTION] Name?\n");
  EXPECT_EQ(why(Question{}), "QUESTION: the text is empty");
}

TEST(MarkersWriter, CountsBlankLinesThatTheTextBringsItself) {
  Question q;
  q.text = "Name?";
  EXPECT_EQ(markers({event_of(q), text_event("\n"), text_event("\n"), text_event("x\n")}),
            "[QUESTION] Name?\n\n\nx\n");
  EXPECT_EQ(markers({event_of(q), text_event("\n"), text_event("x\n")}),
            "[QUESTION] Name?\n\n\nx\n");
}

TEST(MarkersWriter, ListsFilesWithTheirActions) {
  const std::vector<FileChange> files = {
      {"src/a b.ts", FileAction::created, {}, {}},
      {"b (deleted).ts", FileAction::modified, {}, "was (new) before"},
      {"new.c", FileAction::renamed, "old.c", {}},
      {"d", FileAction::unknown, {}, {}},
  };
  EXPECT_EQ(markers({event_of(FilesChanged{files, true})}),
            "[FILES_MODIFIED]\n- src/a b.ts (created)\n"
            "- b (deleted).ts (modified) was &#40;new) before\n- old.c -> new.c (renamed)\n- d\n");
  EXPECT_EQ(markers({event_of(FilesChanged{{}, true})}), "[FILES_MODIFIED]\n- none\n");
  const auto path = [](std::string_view p) {
    const std::vector<FileChange> one = {{p, FileAction::created, {}, {}}};
    return why(FilesChanged{one, true});
  };
  EXPECT_EQ(path("a\n- /etc/passwd (deleted)"),
            "FILES_MODIFIED: the path 'a\n- /etc/passwd (deleted)' holds a line end");
  EXPECT_EQ(path(""), "FILES_MODIFIED: the path '' is empty");
  EXPECT_EQ(path("\xff"), "FILES_MODIFIED: the path '\xff' is not UTF-8");
}

TEST(MarkersWriter, ClaimsCompletionWithItsCount) {
  EXPECT_EQ(markers({event_of(CompletionClaimed{"codex_complete", 8, {}})}),
            "[CODEX_COMPLETE] Task completed in 8 iterations\n");
  EXPECT_EQ(markers({event_of(CompletionClaimed{"codex_complete", {}, "done"})}),
            "[CODEX_COMPLETE] done\n");
  EXPECT_EQ(markers({event_of(CompletionClaimed{"finished", {}, {}})}), "[CODEX_COMPLETE]\n");
}

TEST(MarkersWriter, WritesTheFurtherMarkers) {
  ContextRequest need;
  need.type = "context7";
  need.library = "react";
  need.query = "use \"effect\" \\ cleanup";
  EXPECT_EQ(
      markers({event_of(need)}),
      "[NEED_CONTEXT] type=context7 library=react query=\"use \\\"effect\\\" \\\\ cleanup\"\n");

  TestResults results;
  results.passed = 45;
  results.failed = 2;
  results.duration_s = 12.4;
  results.framework = "jest";
  const std::vector<TestCase> tests = {{"adds (two) numbers", "failed", "timeout"}};
  results.tests = tests;
  EXPECT_EQ(markers({event_of(results)}),
            "[TEST_RESULTS] passed=45 failed=2 skipped=0 duration=12.4s framework=jest\n"
            "- adds (two) numbers (failed) timeout\n");

  LintWarnings lint;
  const std::vector<LintItem> items = {
      {"src/a.ts", 3, 7, "error", "'x' is never used", "no-unused-vars"},
      {"b.ts", 1, {}, {}, "see [docs]", {}}};
  lint.items = items;
  lint.summary = "2 problems";
  EXPECT_EQ(markers({event_of(lint)}),
            "[LINT_WARNINGS] 2 problems\n"
            "- src/a.ts:3:7: error 'x' is never used [no-unused-vars]\n"
            "- b.ts:1: warning see [docs&#93;\n");

  const std::vector<Dependency> one = {{"axios", "^1.7", "npm", "HTTP client"}};
  EXPECT_EQ(markers({event_of(DependencyNeeded{one})}),
            "[DEPENDENCY_NEEDED] axios@^1.7 (npm) - HTTP client\n");
  const std::vector<Dependency> two = {{"@scope/name", "1.2", {}, {}}, {"left-pad", {}, {}, {}}};
  EXPECT_EQ(markers({event_of(DependencyNeeded{two})}),
            "[DEPENDENCY_NEEDED]\n- @scope/name@1.2\n- left-pad\n");
}

TEST(MarkersWriter, SuggestsACommitThatEndsWhereItShould) {
  EXPECT_EQ(markers({event_of(CommitSuggestion{"feat: x", "why\n  - a"}), text_event("prose\n")}),
            "[GIT_COMMIT_SUGGESTION] feat: x\n\nwhy\n  - a\n\n\nprose\n");
  EXPECT_EQ(markers({event_of(CommitSuggestion{"s", "one\n\ntwo\n\n[PROGRESS] three\n"})}),
            "[GIT_COMMIT_SUGGESTION] s\none\n\ntwo\n&#91;PROGRESS] three\n");
  EXPECT_EQ(markers({event_of(CommitSuggestion{"s", "one\n  [NEW_NAME] two\n[X] three"})}),
            "[GIT_COMMIT_SUGGESTION] s\n\none\n  &#91;NEW_NAME] two\n[X] three\n");
  EXPECT_EQ(markers({event_of(CommitSuggestion{"s", {}})}), "[GIT_COMMIT_SUGGESTION] s\n");
}

TEST(MarkersWriter, HasNoWordsForTools) {
  const auto writer = make_writer(Target::markers);
  std::string out;
  for (const Event& event : {event_of(ToolStarted{}), event_of(ToolFinished{}), event_of(Failure{}),
                             event_of(NextAction{}), event_of(Status{})}) {
    EXPECT_EQ(*writer->write(event, out), Written::no) << name(event.kind());
  }
  EXPECT_EQ(out, "");
}

TEST(QuestionWriter, WritesQuestionsAndTextAlone) {
  Question q;
  q.text = "What should I name it?";
  q.header = "Endpoint";
  q.free_text = true;
  EXPECT_EQ(written(Target::question, {text_event("Hm.\n"), event_of(q)}),
            "Hm.\n<!--QUESTION:{\"questions\":[{\"question\":\"What should I name it?\",\"header\":"
            "\"Endpoint\",\"options\":[],\"freeText\":true}]}-->\n");
  const auto writer = make_writer(Target::question);
  std::string out;
  EXPECT_EQ(*writer->write(event_of(NextAction{}), out), Written::no);
}

Event at(Event event, std::uint64_t offset, std::uint64_t length) {
  event.origin.offset = offset;
  event.origin.length = length;
  return event;
}

TEST(MarkersWriter, WritesABlockThatGrewOnce) {
  const std::vector<std::string_view> context = {"not in .env"};
  const Event early = at(event_of(Blocked{"no url", {}}, Dialect::markers), 4, 10);
  const Event late = at(event_of(Blocked{"no url", context}, Dialect::markers), 4, 22);
  const Event next = at(event_of(Blocked{"no key", {}}, Dialect::markers), 30, 10);
  EXPECT_EQ(
      markers({early, event_of(Diagnostic{"leading_space", Level::warning, "x"}), late, next}),
      "[BLOCKED] no url\nnot in .env\n[BLOCKED] no key\n");
  EXPECT_EQ(markers({early, next}), "[BLOCKED] no url\n[BLOCKED] no key\n");
}

TEST(MarkersWriter, DoesNotAskWhatWasAnswered) {
  Question q;
  q.id = "t#0";
  q.source = QuestionSource::ask_user_question;
  q.text = "Which?";
  const Event asked = event_of(q, Dialect::claude, Channel::tool_input);
  q.state = QuestionState::answered;
  const Event answered = event_of(q, Dialect::claude, Channel::tool_result);
  const Event turn = event_of(TurnFinished{}, Dialect::claude, Channel::result);
  EXPECT_EQ(markers({asked, text_event("wait\n"), answered, text_event("go\n")}), "wait\ngo\n");
  EXPECT_EQ(markers({asked, text_event("wait\n"), turn, answered}),
            "[QUESTION] Which?\n\n\nwait\n");

  const auto writer = make_writer(Target::markers);
  std::string out;
  EXPECT_EQ(*writer->write(asked, out), Written::yes);
  EXPECT_EQ(*writer->write(answered, out), Written::no);
}

TEST(MarkersWriter, LeavesTheActivityOfAProgramOut) {
  Status p;
  p.status = "completed";
  p.message = std::string_view("Background task is done");
  p.activity = "task_notification";
  EXPECT_EQ(markers({event_of(p, Dialect::claude, Channel::system)}), "");
  EXPECT_EQ(written(Target::wxcode, {event_of(p, Dialect::claude, Channel::system)}), "");
}

TEST(MarkersWriter, WritesAParagraphThatIsContextAndTextOnce) {
  const auto again = [](std::string_view bytes) {
    EventList list;
    const auto reader = make_reader(Dialect::markers);
    reader->push(bytes, list);
    reader->finish(list);
    return written(Target::markers, {list.events().begin(), list.events().end()});
  };
  for (const std::string_view bytes : {
           "[QUESTION] Q?\nOptions:\n1. a\n2. b\n\nPara context.\n\nother\n",
           "[QUESTION] Q?\nOptions:\n1. a\nin the block\n\nPara\ncontext.\n\nother\n",
           "[QUESTION] Q?\nOptions:\n1. a\n\nPara context.\n[PROGRESS] p\n",
           "[QUESTION] Q?\nOptions:\n1. a\n\nPara context.\n",
           "[QUESTION] Q?\nOptions:\n1. a\nin the block\n\n\nother\n",
       }) {
    EXPECT_EQ(again(bytes), bytes);
  }
}

TEST(MarkersWriter, KeepsContextThatTheTextDoesNotRepeat) {
  Question question;
  question.text = "Q?";
  const std::vector<std::string_view> context = {"one", "two"};
  question.context = context;
  EXPECT_EQ(written(Target::markers, {event_of(question), text_event("\ntwo\nthree\n")}),
            "[QUESTION] Q?\nOptions:\none\ntwo\n\n\ntwo\nthree\n");
}

TEST(MarkersWriter, DoesNotRepeatWhatAMessageSaidBeforeItsQuestion) {
  Question question;
  question.text = "Q?";
  question.source = QuestionSource::comment;
  const std::vector<std::string_view> context = {"Before."};
  question.context = context;
  Event asked = event_of(question, Dialect::question, Channel::assistant_text);
  asked.origin.via = Dialect::claude;
  EXPECT_EQ(written(Target::markers, {text_event("Before.\n\n"), asked}),
            "Before.\n\n[QUESTION] Q?\n");
}

}  // namespace
}  // namespace dragoman
