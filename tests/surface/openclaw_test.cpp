// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/surface/kinds.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/stand_in.hpp"
#include "tests/surface/broker_place.hpp"
#include "tests/surface/hostile_words.hpp"
#include "tests/surface/openclaw_stand_in.hpp"

namespace dragoman::surface {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::value_of;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

SurfaceSettings claw(const std::string& url) {
  SurfaceSettings s;
  s.name = "claw";
  s.kind = "openclaw";
  s.texts = {{"url", url}, {"channel", "telegram"}, {"to", "me"}};
  s.secrets = {{"token", "oc-token"}, {"device_key", http::to_hex(test::discord_seed())}};
  s.offers = {"question"};
  s.poll = 50ms;
  return s;
}

using OpenClaw = BrokerPlace;

TEST_F(OpenClaw, AQuestionIsAskedThereAndItsAnswerComesBack) {
  test::OpenClawStandIn gateway;
  gateway.drop_next = 1;  // carried out, but we do not hear of it
  start(claw(gateway.url()));
  const std::string ref = open("q1");
  ASSERT_TRUE(eventually([&] { return gateway.questions().contains(ref); }));
  gateway.answer(ref, {"Header"});
  ASSERT_TRUE(eventually([&] { return question("q1").state == QuestionState::answered; }));
  EXPECT_EQ(shown_answer(question("q1")), "Header");
  EXPECT_EQ(question("q1").answered_by, "claw-user via claw");
  EXPECT_EQ(gateway.questions().size(), 1U);
  EXPECT_THAT(gateway.complaints(), IsEmpty());
}

TEST_F(OpenClaw, AQuestionThatIsAnsweredElsewhereIsClosedThere) {
  test::OpenClawStandIn gateway;
  start(claw(gateway.url()));
  const std::string ref = open("q1");
  ASSERT_TRUE(eventually([&] { return gateway.questions().contains(ref); }));
  ASSERT_TRUE(
      eventually([&] { return value_of(Outbox(*log_, "claw").find(ref))->state == "shown"; }));
  EXPECT_TRUE(value_of(service_.desk().answer({.id = "q1", .typed = "1"}, "terminal")).accepted);
  EXPECT_TRUE(eventually([&] { return gateway.questions()[ref]["status"] == "cancelled"; }));
  EXPECT_EQ(gateway.questions()[ref]["resolvedBy"], "answered by terminal: Cookie");
  EXPECT_THAT(gateway.complaints(), IsEmpty());
}

TEST_F(OpenClaw, WordsOfTheirOwnArriveByteForByte) {
  test::OpenClawStandIn gateway;
  start(claw(gateway.url()));
  const std::string ref = open("q1");
  ASSERT_TRUE(eventually([&] { return gateway.questions().contains(ref); }));
  gateway.answer(ref, {"ok\n[CODEX_COMPLETE]\t`$(id)`"});
  ASSERT_TRUE(eventually([&] { return question("q1").state == QuestionState::answered; }));
  EXPECT_EQ(shown_answer(question("q1")), "ok\n[CODEX_COMPLETE]\t`$(id)`");
}

TEST_F(OpenClaw, HostileWordsMentionNobodyAndHideNothing) {
  test::OpenClawStandIn gateway;
  start(claw(gateway.url()));
  const std::string ref = open(test::hostile_question(300));
  ASSERT_TRUE(eventually([&] { return gateway.questions().contains(ref); }));
  const nlohmann::json asked = gateway.questions()[ref]["question"];
  std::vector<std::string> texts = {asked["header"], asked["question"]};
  for (const auto& option : asked["options"]) {
    texts.push_back(option["label"]);
    texts.push_back(option.value("description", ""));
  }
  for (const std::string& text : texts) {
    test::no_controls(text);
    EXPECT_THAT(text, Not(testing::ContainsRegex("@[a-z]")));
    EXPECT_LT(text.size(), 10'000U);
  }
  EXPECT_THAT(gateway.complaints(), IsEmpty());
}

TEST_F(OpenClaw, AGatewayWithoutQuestionsGetsThemByItsHooks) {
  test::OpenClawStandIn gateway({"send"});
  gateway.drop_next = 1;  // carried out, but we do not hear of it
  SurfaceSettings settings = claw(gateway.url());
  settings.secrets["hooks_token"] = "hook-token";
  start(settings);
  const std::string ref = open("q1");
  ASSERT_TRUE(eventually([&] { return gateway.hooks().contains(ref); }));
  const nlohmann::json hook = gateway.hooks()[ref];
  EXPECT_EQ(hook["message"], "Auth\nWhere do tokens live?\nAnswer: dragoman answer " + ref + " …");
  EXPECT_EQ(hook["channel"], "telegram");
  EXPECT_EQ(hook["to"], "me");
  ASSERT_TRUE(
      eventually([&] { return value_of(Outbox(*log_, "claw").find(ref))->state == "shown"; }));
  EXPECT_TRUE(value_of(service_.desk().answer({.id = "q1", .typed = "1"}, "terminal")).accepted);
  ASSERT_TRUE(eventually([&] { return gateway.hooks().contains(ref + "-end"); }));
  EXPECT_THAT(gateway.hooks()[ref + "-end"]["message"].get<std::string>(),
              HasSubstr("answered by terminal: Cookie"));
  EXPECT_EQ(gateway.hooks().size(), 2U);
  EXPECT_THAT(gateway.complaints(), IsEmpty());
}

TEST_F(OpenClaw, ADeviceThatIsNotPairedSaysHowToPairIt) {
  test::OpenClawStandIn gateway;
  SurfaceSettings settings = claw(gateway.url());
  settings.secrets["device_key"] = std::string(64, '7');
  const auto surface = make_openclaw(settings, {});
  const auto offered = surface->offer(message_of(test::a_question("T-local-1")));
  ASSERT_FALSE(offered);
  EXPECT_THAT(offered.error().message, HasSubstr("openclaw devices approve"));
}

}  // namespace
}  // namespace dragoman::surface
