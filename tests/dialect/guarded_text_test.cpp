// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/guarded_text.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/keep.hpp"
#include "tests/support/writing.hpp"

namespace dragoman {
namespace {

using test::event_of;
using test::text_event;
using test::written;

std::string guarded(std::vector<std::string_view> pieces) {
  std::vector<Event> events;
  for (const std::string_view piece : pieces) events.push_back(text_event(piece));
  return written(Target::wxcode, events);
}

struct Case {
  std::string_view text;
  std::string_view shown;
};

TEST(GuardedText, BreaksUpWhatWouldBeReadAsAMarker) {
  const std::vector<Case> cases = {
      {"plain <!-- a comment --> text\n", "plain <!-- a comment --> text\n"},
      {"<!-- WXCODE:STATUS:{} -->\n", "&lt;!-- WXCODE:STATUS:{} -->\n"},
      {"a <!--WXCODE:X--> b <!--\tQUESTION:{}-->",
       "a &lt;!--WXCODE:X--> b &lt;!--\tQUESTION:{}-->"},
      {"<!-- FINISHED -->", "&lt;!-- FINISHED -->"},
      {"<!-- FINISHED_LATER -->", "<!-- FINISHED_LATER -->"},
      {"<!-- GOTO: x -->", "&lt;!-- GOTO: x -->"},
      {"<!--QUESTION {}-->\n<!-- GOTO :x", "&lt;!--QUESTION {}-->\n&lt;!-- GOTO :x"},
      {"<!-- QUESTION for later -->", "<!-- QUESTION for later -->"},
      {"[PROGRESS] x\n", "&#91;PROGRESS] x\n"},
      {"  [CODEX_COMPLETE]", "  &#91;CODEX_COMPLETE]"},
      {"\t\u00a0[BLOCKED] x", "\t\u00a0&#91;BLOCKED] x"},
      {"see [PROGRESS] x", "see [PROGRESS] x"},
      {"[INFO] x\n[PROGRESS_X] y\n[progress] z\n", "[INFO] x\n[PROGRESS_X] y\n[progress] z\n"},
      {"[WXCODE:SERVER_READY] x", "&#91;WXCODE:SERVER_READY] x"},
      {"```\n[PROGRESS] x\n```\n", "```\n&#91;PROGRESS] x\n```\n"},
      {"> <!-- WXCODE:X:{} -->\n", "> &lt;!-- WXCODE:X:{} -->\n"},
      {"<!--\n\n FINISHED -->\n", "<!--\n\n &#70;INISHED -->\n"},
      {"<!--\nan ordinary comment\n-->\n", "<!--\nan ordinary comment\n-->\n"},
      {"a\r\n[PROGRESS] x\r\n", "a\r\n&#91;PROGRESS] x\r\n"},
      {"bad \xff byte\n", "bad \uFFFD byte\n"},
      {"\uFEFF[PROGRESS] x \uFEFF", "&#65279;&#91;PROGRESS] x \uFEFF"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(guarded({c.text}), c.shown);
    EXPECT_EQ(guarded({c.shown}), c.shown) << "guarding twice";
  }
}

TEST(GuardedText, DoesNotCareHowTheTextWasCut) {
  const std::string text =
      "a <!-- WXCODE:X:{} -->\n[PROGRESS] x\n<!--\n FINISHED-->\n```\nb\n```\n\u00e9 [QUESTION] "
      "c\n";
  const std::string whole = guarded({text});
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    EXPECT_EQ(guarded({std::string_view(text).substr(0, cut), std::string_view(text).substr(cut)}),
              whole)
        << "cut at " << cut;
  }
}

TEST(GuardedText, EndsAnOpenFenceBeforeAMarker) {
  Status status;
  status.status = "pending";
  status.message = std::string_view("m");
  const std::string marker =
      "<!-- WXCODE:STATUS:{\"status\":\"pending\",\"message\":\"m\"} -->\n\nm\n";
  EXPECT_EQ(written(Target::wxcode, {text_event("````c\nint x;\n```"), event_of(status)}),
            "````c\nint x;\n```\n````\n" + marker);
  EXPECT_EQ(written(Target::wxcode, {text_event("~~~\nx\n~~~\n"), event_of(status)}),
            "~~~\nx\n~~~\n" + marker);
  EXPECT_EQ(written(Target::wxcode, {text_event("```\nx\n```\v\n"), event_of(status)}),
            "```\nx\n```\v\n```\n" + marker);
  // The marker itself ends one in a list item.
  EXPECT_EQ(written(Target::wxcode, {text_event("- ```\n  x\n"), event_of(status)}),
            "- ```\n  x\n" + marker);
  EXPECT_EQ(written(Target::wxcode, {text_event("- a\n\n  ~~~\n  x\n~~~\n"), event_of(status)}),
            "- a\n\n  ~~~\n  x\n~~~\n~~~\n" + marker);
}

TEST(GuardedText, ParagraphsOfAnAgentsBlocksStayApart) {
  const auto block = [](std::string_view text, std::int64_t number) {
    DisplayText payload;
    payload.text = text;
    payload.block = number;
    return event_of(payload, Dialect::claude, Channel::assistant_text);
  };
  EXPECT_EQ(written(Target::wxcode, {block("one", 0), block(" and a half", 0), block("two", 1)}),
            "one and a half\n\ntwo\n");
}

TEST(GuardedText, LeavesOutWhatTheAgentDidNotSay) {
  const auto writer = make_writer(Target::wxcode);
  std::string out;
  DisplayText payload;
  payload.text = std::string_view("x");
  for (const Channel channel : {Channel::user, Channel::subagent_text, Channel::noise,
                                Channel::partial, Channel::stderr_}) {
    EXPECT_EQ(*writer->write(event_of(payload, Dialect::claude, channel), out), Written::no);
  }
  writer->finish(out);
  EXPECT_EQ(out, "");
}

TEST(GuardedText, LinesForPeopleCannotHoldMarkersEither) {
  Status status;
  status.status = "pending";
  status.message = std::string_view("[CODEX_COMPLETE] a\n[PROGRESS] b <!-- FINISHED -->");
  EXPECT_TRUE(written(Target::wxcode, {event_of(status)})
                  .ends_with(" -->\n\n&#91;CODEX_COMPLETE] a [PROGRESS] b &lt;!-- FINISHED -->\n"));
}

// However long a line is, not all of it is held, and no marker is made at a cut.
TEST(GuardedText, ALineWithoutEndIsGivenOutInParts) {
  const auto writer = make_writer(Target::markers);
  const std::string comment = "<!-- WXCODE:STATUS:{\"status\":\"completed\",\"message\":\"m\"} -->";
  std::string said;
  std::string out;
  std::size_t held = 0;
  for (int i = 0; i < 64; ++i) {
    const std::string part = std::string(100'000, 'x') + comment.substr(0, 9);
    for (const std::string& piece : {part, comment.substr(9)}) {
      DisplayText text;
      text.text = std::string_view(piece);
      ASSERT_TRUE(writer->write(event_of(text, Dialect::text, Channel::stdout_), out));
      said += piece;
    }
    held = std::max(held, said.size() > out.size() ? said.size() - out.size() : 0);
  }
  writer->finish(out);
  EXPECT_LT(held, std::size_t{2} << 20U);
  const auto reader = make_reader(Dialect::wxcode);
  EventList list;
  reader->push(out, list);
  reader->finish(list);
  for (const Event& event : list.events()) EXPECT_NE(event.kind(), Kind::status);
}

}  // namespace
}  // namespace dragoman
