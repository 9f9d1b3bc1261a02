// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/permission.hpp"

#include <array>

#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"

namespace dragoman {
namespace {

constexpr std::string_view kEdit =
    R"({"tool":"Edit","files":[{"path":"/w/a.txt","action":"modified","old_text":"one","new_text":""}],"cut":true})";

TEST(KeptWants, OutliveWhatTheyWereReadFrom) {
  KeptWants kept;
  {
    const std::string line(kEdit);
    kept = KeptWants::read(line);
  }
  const KeptWants copy = kept;
  kept = KeptWants();
  EXPECT_TRUE(kept.empty());
  EXPECT_EQ(copy.write(), kEdit);
  ASSERT_EQ(copy.get()->files.size(), 1U);
  EXPECT_EQ(copy.get()->files[0].old_text, "one");
  EXPECT_NE(copy.get()->files[0].new_text.data(), nullptr);
  EXPECT_EQ(copy.get()->files[0].diff.data(), nullptr);
  EXPECT_EQ(copy, KeptWants::read(kEdit));
  EXPECT_NE(copy, kept);
}

TEST(KeptWants, AreNothingWhereTheJsonIsSomethingElse) {
  for (const std::string_view odd : {"", "null", "[]", "{", "{} x", "7"})
    EXPECT_TRUE(KeptWants::read(odd).empty()) << odd;
  EXPECT_EQ(KeptWants::read("{}").write(), "{}");
  EXPECT_EQ(KeptWants::read(R"({"tool":7,"command":"ls","more":1})").write(),
            R"({"command":"ls"})");
}

TEST(PermissionText, SaysTheCommandOnLinesOfItsOwn) {
  Wants wants;
  wants.tool = "Bash";
  wants.command = "cd x\nmake";
  EXPECT_EQ(sentence_of("Allow Bash: cd x\nmake?", wants), "Allow Bash?");
  EXPECT_EQ(text_with_command("Allow Bash: cd x\nmake?", wants), "Allow Bash?\n$ cd x\nmake");
  EXPECT_EQ(sentence_of("May I?", wants), "May I?");
  EXPECT_EQ(text_with_command("May I?", std::nullopt), "May I?");
  wants.cut = true;
  EXPECT_EQ(text_with_command("May I?", wants), "May I?\n$ cd x\nmake\n" + std::string(kCutNote));
}

constexpr std::array kOptions = {Option{"Allow", {}, {}}, Option{"Deny", {}, {}}};

Question settled(std::optional<Grant> decision, std::string_view answer) {
  Question question;
  question.source = QuestionSource::permission;
  question.state = QuestionState::answered;
  question.options = kOptions;
  question.decision = decision;
  question.answer = answer;
  return question;
}

std::string words(const Question& question) {
  const auto decision = decision_in(question);
  return decision ? words_for(*decision) : "";
}

TEST(PermissionDecision, IsSaidInWords) {
  EXPECT_EQ(words(settled(Grant::allow_once, "Allow")), "allowed");
  EXPECT_EQ(words(settled(Grant::allow_session, "Allow")), "allowed for this session");
  EXPECT_EQ(words(settled(Grant::allow_always, {})), "always allowed");
  EXPECT_EQ(words(settled(Grant::deny, "Deny")), "denied");
  EXPECT_EQ(words(settled(Grant::deny, "use npm instead")), "denied: use npm instead");
}

// Events of recordings in which options did not say what they grant.
TEST(PermissionDecision, OfOldIsKnownByTheLabels) {
  EXPECT_EQ(words(settled({}, "Allow")), "allowed");
  EXPECT_EQ(words(settled({}, "Deny")), "denied");
  EXPECT_EQ(words(settled({}, "y")), "denied: y");
  EXPECT_EQ(words(settled({}, {})), "");
  Question open = settled({}, "Allow");
  open.state = QuestionState::open;
  EXPECT_EQ(words(open), "");
  Question other = settled({}, "Allow");
  other.source = QuestionSource::comment;
  EXPECT_EQ(words(other), "");
}

TEST(PermissionEvents, AreReadBackAsTheyWereWritten) {
  const std::string line =
      R"({"kind":"question","data":{"id":"t","kind":"approval","source":"permission",)"
      R"("state":"answered","text":"Allow Edit?","options":[{"label":"Allow","grants":"allow_once"},)"
      R"({"label":"Deny","grants":"deny"},{"label":"Odd"}],"multi_select":false,"free_text":true,)"
      R"("blocking":true,"wants":)" +
      std::string(kEdit) +
      R"(,"decision":"deny","answer":"no"},"origin":{"dialect":"claude","stream":"stdout",)"
      R"("offset":0,"length":1,"line":1,"channel":"control"}})";
  Arena arena;
  const auto event = read_event(line, arena);
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(to_json(*event), line);
}

}  // namespace
}  // namespace dragoman
