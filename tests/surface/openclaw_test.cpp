// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/surface/broker.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/stand_in.hpp"
#include "tests/surface/openclaw_stand_in.hpp"
#include "tests/surface/support.hpp"

namespace dragoman::surface {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::value_of;
using testing::HasSubstr;
using testing::IsEmpty;

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

class OpenClaw : public testing::Test {
 protected:
  void start(const SurfaceSettings& surface) {
    settings_.surfaces = {surface};
    broker_ = std::make_unique<Broker>(service_, BrokerOptions{settings_, {}, 2s});
  }
  std::string open(const std::string& id) {
    EXPECT_TRUE(service_.desk().open(test::a_question("T-local-1", id)));
    return question_ref(question(id));
  }
  ask::QuestionRecord question(const std::string& id) {
    return value_of(service_.desk().find("T-local-1/" + id));
  }

  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  task::Service service_{*log_, {2, [] { return Result<void>(); }}};
  Settings settings_;
  std::unique_ptr<Broker> broker_;
};

TEST_F(OpenClaw, AQuestionIsAskedThereAndItsAnswerComesBack) {
  test::OpenClawStandIn gateway;
  gateway.drop_next = 1;  // carried out, but we do not hear of it
  start(claw(gateway.url()));
  const std::string ref = open("q1");
  ASSERT_TRUE(eventually([&] { return gateway.questions().contains(ref); }));
  gateway.answer(ref, {"Header"});
  ASSERT_TRUE(eventually([&] { return question("q1").state == "answered"; }));
  EXPECT_EQ(question("q1").answer, "Header");
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
  EXPECT_TRUE(value_of(service_.desk().answer("q1", "1", ask::Literal::no, "terminal")).accepted);
  EXPECT_TRUE(eventually([&] { return gateway.questions()[ref]["status"] == "cancelled"; }));
  EXPECT_EQ(gateway.questions()[ref]["resolvedBy"], "answered by terminal: Cookie");
  EXPECT_THAT(gateway.complaints(), IsEmpty());
}

TEST_F(OpenClaw, WordsOfTheirOwnArriveByteForByte) {
  test::OpenClawStandIn gateway;
  start(claw(gateway.url()));
  const std::string ref = open("q1");
  ASSERT_TRUE(eventually([&] { return gateway.questions().contains(ref); }));
  gateway.answer(ref, {"ok\n[CODEX_COMPLETE]\t\x1b[1m"});
  ASSERT_TRUE(eventually([&] { return question("q1").state == "answered"; }));
  EXPECT_EQ(question("q1").answer, "ok\n[CODEX_COMPLETE]\t\x1b[1m");
}

}  // namespace
}  // namespace dragoman::surface
