// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/surface/broker_place.hpp"
#include "tests/surface/hostile_words.hpp"

namespace dragoman::surface {
namespace {

using test::eventually;
using testing::HasSubstr;
using testing::Not;

// In the place of notify-send: as strict with its options, and a person who presses a button.
constexpr std::string_view kNotifySend = R"(#!/usr/bin/env python3
import json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
words = sys.argv[1:]
end = words.index("--")
options, rest = words[:end], words[end + 1:]
for option in options:
    if not option.startswith(("--app-name=", "--action=")) and option != "--wait":
        sys.exit("notify-send: unknown option " + option)
if len(rest) != 2 or not rest[0]:
    sys.exit("notify-send: summary and body")
with open(os.path.join(here, "seen.tmp"), "w") as f:
    json.dump({"options": options, "summary": rest[0], "body": rest[1]}, f)
os.rename(os.path.join(here, "seen.tmp"), os.path.join(here, "seen"))
if "--wait" in options:
    print("2")
)";

class Desktop : public BrokerPlace {
 protected:
  void SetUp() override {
    const auto program = directory_.path() / "notify-send";
    test::write_file(program, std::string(kNotifySend));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    SurfaceSettings desktop;
    desktop.name = "desk";
    desktop.kind = "desktop";
    desktop.texts = {{"program", program.string()}};
    desktop.offers = {"question"};
    desktop.poll = std::chrono::milliseconds(20);
    start(desktop);
  }
  std::string seen() {
    const auto file = directory_.path() / "seen";
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(file); }));
    return test::read_file(file);
  }

  test::TempDir directory_;
};

TEST_F(Desktop, AButtonIsAnAnswer) {
  open("q1");
  ASSERT_TRUE(eventually([&] { return question("q1").state == QuestionState::answered; }));
  EXPECT_EQ(shown_answer(question("q1")), "Header");
  EXPECT_EQ(question("q1").answered_by, "desktop via desk");
  EXPECT_THAT(seen(), HasSubstr(R"("--action=1=Cookie", "--action=2=Header")"));
}

TEST_F(Desktop, HostileWordsAreTextWithoutMarkupAndShort) {
  open(test::hostile_question(200));
  const auto shown = nlohmann::json::parse(seen());
  test::no_controls(shown["summary"]);
  for (const auto& option : shown["options"]) test::no_controls(option);
  const std::string body = shown["body"];  // the only part that knows markup
  test::no_controls(body);
  EXPECT_THAT(body, Not(HasSubstr("<")));
  EXPECT_THAT(body, HasSubstr("&lt;img"));
  EXPECT_LT(body.size(), 3000U);
}

TEST_F(Desktop, ASecretIsNotAskedForInANotification) {
  ask::QuestionRecord secret = test::a_question("T-local-1");
  secret.secret = true;
  open(secret);
  EXPECT_THAT(seen(), Not(HasSubstr("--action")));
  EXPECT_EQ(question("q1").state, QuestionState::open);
}

}  // namespace
}  // namespace dragoman::surface
