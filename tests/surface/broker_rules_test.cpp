// SPDX-License-Identifier: Apache-2.0
// What holds over all surfaces: one answer counts, nothing is lost or sent twice, policies.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/support/files.hpp"
#include "tests/support/scale.hpp"
#include "tests/surface/broker_fixture.hpp"

namespace dragoman::surface {
namespace {

using testing::HasSubstr;

TEST_F(BrokerTest, OfTwoSurfacesThatAnswerAtTheSameMomentOneCounts) {
  test::DiscordStandIn discord;
  test::SlackStandIn slack;
  start({test::discord_settings(discord.url()), test::slack_settings(slack.url())});
  const std::size_t rounds = std::max<std::size_t>(5, test::scaled(100));
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::string id = fmt::format("q{}", i);
    const std::string ref = question_ref(open(id));
    // As patient as a surface has to be that may write only so often a minute.
    ASSERT_TRUE(eventually(
        [&] {
          return discord.posts().size() == i + 1 && slack.posts().size() == i + 1 &&
                 value_of(Outbox(*log_, "chat").find(ref))->state == "shown";
        },
        120s))
        << id << ": " << discord.posts().size() << " on Discord, " << slack.posts().size()
        << " on Slack";
    std::atomic<int> ready = 0;
    const auto together = [&ready] {
      ++ready;
      while (ready < 2) {
      }
    };
    std::thread one([&] {
      together();
      EXPECT_EQ(click_discord(ref, 1, "i-" + id).status, 200);
    });
    std::thread two([&] {
      together();
      EXPECT_EQ(click_slack(ref, 2, id).status, 200);
    });
    one.join();
    two.join();
    const auto settled = question(id);
    const bool dora = settled.answered_by == "dora via chat" && shown_answer(settled) == "Cookie";
    const bool sam = settled.answered_by == "sam via team" && shown_answer(settled) == "Header";
    EXPECT_TRUE(dora || sam) << settled.answered_by << ": " << shown_answer(settled);
  }
  broker_->settle(10s);
  std::size_t accepted = 0;
  for (const auto& entry : value_of(log_->read("audit", 1, 100'000)))
    accepted += entry.body.find(R"("what":"answered")") != std::string::npos ? 1 : 0;
  EXPECT_EQ(accepted, rounds);
}

TEST_F(BrokerTest, AServerThatLosesRepliesShowsEveryQuestionOnce) {
  test::GithubStandIn github;
  test::SlackStandIn slack;
  test::DiscordStandIn discord;
  github.drop_replies(0.5);
  slack.drop_replies(0.5);
  discord.drop_replies(0.5);
  start({test::github_settings(github.url()), test::slack_settings(slack.url()),
         test::discord_settings(discord.url())});
  const std::size_t count = std::max<std::size_t>(6, test::scaled(200));
  for (std::size_t i = 0; i < count; ++i) open(fmt::format("q{}", i));
  EXPECT_TRUE(eventually(
      [&] {
        return github.posts().size() >= count && slack.posts().size() >= count &&
               discord.posts().size() >= count &&
               value_of(Outbox(*log_, "ops").unsettled()).size() == count;
      },
      1800s));
  broker_->settle(60s);
  EXPECT_EQ(github.posts().size(), count);
  EXPECT_EQ(slack.posts().size(), count);
  EXPECT_EQ(discord.posts().size(), count);
  EXPECT_TRUE(value_of(desk_.answer({.id = "q0", .typed = "1"}, "x")).accepted);
  EXPECT_TRUE(eventually(
      [&] {
        return value_of(Outbox(*log_, "ops").unsettled()).size() == count - 1 &&
               value_of(Outbox(*log_, "team").unsettled()).size() == count - 1;
      },
      1800s));
  const auto posts = github.posts();
  EXPECT_EQ(std::ranges::count_if(posts,
                                  [](const test::Post& post) {
                                    return post.text.find("answered by x") != std::string::npos;
                                  }),
            1);
}

TEST_F(BrokerTest, AMessageThatMayNotBeLookedForHoldsUpNoOther) {
  test::GithubStandIn github;
  github.refuse_reads("/comments", 403);
  github.fail_next("/comments", 500);
  start({test::github_settings(github.url())});
  const std::string lost = question_ref(open("q1"));
  const auto delivery = [&] { return value_of(Outbox(*log_, "ops").find(lost)); };
  ASSERT_TRUE(eventually([&] { return delivery() && delivery()->attempts > 0; }));
  for (const std::size_t i : {1U, 2U}) {  // the second while listening is refused too
    const std::string ref = question_ref(open(fmt::format("q{}", i + 1)));
    ASSERT_TRUE(eventually([&] { return github.posts().size() == i; }));
    EXPECT_THAT(github.posts().back().text, HasSubstr(ref));
  }
  EXPECT_EQ(delivery()->state, "sending");
  EXPECT_EQ(delivery()->attempts, 1) << "it is not looked for again at once";
  EXPECT_THAT(delivery()->error, HasSubstr("403"));
  EXPECT_THAT(audit(), HasSubstr("look_failed"));
}

TEST_F(BrokerTest, AMessageWhoseReplyWasLostIsFoundOnABusyIssue) {
  test::GithubStandIn github;
  for (int i = 0; i < 2'500; ++i) github.comment("crowd", "chat");
  github.drop_replies(1);
  start({test::github_settings(github.url())});
  const std::string ref = question_ref(open());
  ASSERT_TRUE(eventually(
      [&] {
        const auto delivery = value_of(Outbox(*log_, "ops").find(ref));
        return delivery && delivery->state == "shown";
      },
      60s));
  EXPECT_EQ(github.posts().size(), 1U);
}

// Only the newest hundred were looked at, and it was posted again.
TEST_F(BrokerTest, AMessageWhoseReplyWasLostIsFoundInABusyChannel) {
  test::DiscordStandIn discord;
  test::SlackStandIn slack;
  discord.refuse_reads("/messages", 502);
  slack.refuse_reads("/conversations.history", 502);
  discord.drop_replies(1);
  slack.drop_replies(1);
  start({test::discord_settings(discord.url()), test::slack_settings(slack.url())});
  const std::string ref = question_ref(open());
  ASSERT_TRUE(eventually([&] { return discord.posts().size() == 1 && slack.posts().size() == 1; }));
  for (int i = 0; i < 450; ++i) {
    discord.reply("1", "crowd", "chat");
    slack.say("chat");
  }
  discord.drop_replies(0);
  slack.drop_replies(0);
  discord.refuse_reads("/messages", 0);
  slack.refuse_reads("/conversations.history", 0);
  for (const auto& settings : {test::discord_settings(), test::slack_settings()}) {
    EXPECT_TRUE(eventually(
        [&] {
          const auto delivery = value_of(Outbox(*log_, settings.name).find(ref));
          return delivery && delivery->state == "shown";
        },
        60s))
        << settings.name;
  }
  EXPECT_EQ(discord.posts().size(), 1U);
  EXPECT_EQ(slack.posts().size(), 1U);
}

TEST_F(BrokerTest, AMessageThatIsFoundAfterItsAnswerSaysSo) {
  test::GithubStandIn github;
  github.refuse_reads("/comments", 502);  // it is there, and not found yet
  github.drop_replies(1);
  start({test::github_settings(github.url())});
  open();
  ASSERT_TRUE(eventually([&] { return github.posts().size() == 1; }));
  EXPECT_TRUE(value_of(desk_.answer({.id = question().key(), .typed = "1"}, "bob")).accepted);
  github.drop_replies(0);
  github.refuse_reads("/comments", 0);
  EXPECT_TRUE(eventually(
      [&] { return github.posts()[0].text.find("answered by bob") != std::string::npos; }, 60s));
  EXPECT_EQ(github.posts().size(), 1U);
}

TEST_F(BrokerTest, AThrottledSurfaceIsLeftAloneAndTheOthersGoOn) {
  test::GithubStandIn github;
  test::DiscordStandIn discord;
  github.throttle(3s, {429, {{"Retry-After", "3"}}, "slow down"});
  start({test::github_settings(github.url()), test::discord_settings(discord.url())});
  open();
  ASSERT_TRUE(eventually([&] { return discord.posts().size() == 1; }));
  EXPECT_EQ(github.posts().size(), 0U) << "the other one was first";
  ASSERT_TRUE(eventually([&] { return github.posts().size() == 1; }));
  EXPECT_EQ(github.early(), 0);
  EXPECT_THAT(audit(), HasSubstr("delayed"));
}

TEST_F(BrokerTest, AnotherBrokerKeepsTheSilenceThatAServerDemanded) {
  test::GithubStandIn github;
  github.throttle(4s, {403, {{"Retry-After", "4"}}, "secondary rate limit"});
  start({test::github_settings(github.url())});
  open();
  ASSERT_TRUE(eventually([&] { return github.requests() > 0; }));
  ASSERT_TRUE(eventually([&] { return audit().find("delayed") != std::string::npos; }));
  broker_.reset();
  broker_ = std::make_unique<Broker>(service_, BrokerOptions{settings_, {}, 2s});
  ASSERT_TRUE(eventually([&] { return github.posts().size() == 1; }));
  EXPECT_EQ(github.early(), 0);
}

TEST_F(BrokerTest, TwoBrokersOnOneStoreShowAQuestionOnce) {
  test::GithubStandIn github;
  start({test::github_settings(github.url())});
  const auto other_log = engine_.open();
  task::Service other(*other_log, {2, [] { return Result<void>(); }});
  Broker second(other, BrokerOptions{settings_, {}, 2s});
  for (int i = 0; i < 5; ++i) open(fmt::format("q{}", i));
  ASSERT_TRUE(eventually([&] { return github.posts().size() >= 5; }));
  broker_->settle(5s);
  EXPECT_EQ(github.posts().size(), 5U);
}

TEST_F(BrokerTest, ThePolicyAnswersWhenNobodyDoes) {
  Policy policy;
  policy.default_answer = "2";
  policy.default_after = 300ms;
  start({}, policy);
  open();
  ASSERT_TRUE(answered());
  EXPECT_EQ(question().answered_by, "policy");
  EXPECT_EQ(shown_answer(question()), "Header");
}

TEST_F(BrokerTest, AFailureIsOfferedWithRetryWhichSubmitsOnce) {
  test::DiscordStandIn discord;
  SurfaceSettings settings = test::discord_settings(discord.url());
  settings.offers = {"failure", "completion"};
  start({settings});
  ASSERT_TRUE(eventually([&] { return value_of(log_->get("surfaces", "chat")).has_value(); }));
  task::Task task;
  task.agent = "command";
  task.words = {"/bin/false"};
  task.working_dir = "/tmp";
  const auto submitted = value_of(service_.submit(task));
  EXPECT_TRUE(value_of(task::change_task(*log_, submitted.task.id, [](task::Task& found) {
    found.state = "failed";
    found.summary = "Task failed: no";
    return true;
  })));
  ASSERT_TRUE(eventually([&] { return discord.posts().size() == 1; }));
  const json components = discord.posts()[0].json["components"][0]["components"];
  EXPECT_EQ(components[0]["label"], "1. Retry");
  EXPECT_EQ(components[1]["label"], "2. Abort");
  const auto failure = value_of(desk_.find(submitted.task.id + "/failure"));
  EXPECT_EQ(json::parse(click_discord(question_ref(failure), 1, "i1").body)["type"], 7);
  const auto tasks = [&] { return value_of(log_->list({.bucket = "tasks"})).size(); };
  EXPECT_TRUE(eventually([&] { return tasks() == 2; }));
  broker_.reset();
  broker_ = std::make_unique<Broker>(service_, BrokerOptions{settings_, {}, 2s});
  broker_->settle(2s);
  EXPECT_EQ(tasks(), 2U);
}

// The mark that it was retried stayed, and nobody heard of it.
TEST_F(BrokerTest, ARetryThatCannotBeSubmittedIsToldAndMayBeWantedAgain) {
  test::DiscordStandIn discord;
  SurfaceSettings settings = test::discord_settings(discord.url());
  settings.offers = {"failure", "completion"};
  start({settings});
  ASSERT_TRUE(eventually([&] { return value_of(log_->get("surfaces", "chat")).has_value(); }));
  const test::TempDir place;
  const std::filesystem::path work = place.path() / "work";
  std::filesystem::create_directory(work);
  task::Task task;
  task.agent = "command";
  task.words = {"/bin/false"};
  task.working_dir = work;
  const std::string id = value_of(service_.submit(task)).task.id;
  EXPECT_TRUE(value_of(task::change_task(*log_, id, [](task::Task& found) {
    found.state = "failed";
    found.summary = "Task failed: no";
    return true;
  })));
  ASSERT_TRUE(eventually([&] { return discord.posts().size() == 1; }));
  const auto failure = [&] { return value_of(desk_.find(id + "/failure")); };
  std::filesystem::remove(work);
  EXPECT_EQ(click_discord(question_ref(failure()), 1, "i1").status, 200);
  ASSERT_TRUE(eventually([&] { return discord.posts().size() == 2; }));
  EXPECT_THAT(discord.posts()[1].text, testing::HasSubstr("could not be tried again"));
  EXPECT_THAT(discord.posts()[1].text, testing::HasSubstr("a directory that exists"));
  EXPECT_THAT(audit(), testing::HasSubstr("retry_failed"));
  std::filesystem::create_directory(work);
  EXPECT_EQ(click_discord(question_ref(failure()), 1, "i2").status, 200);
  EXPECT_TRUE(eventually([&] { return value_of(log_->list({.bucket = "tasks"})).size() == 2; }));
}

// As a broker leaves it that dies while it retries: the question is answered, and marked.
class BrokerRetryTest : public BrokerTest {
 protected:
  void SetUp() override {
    task::Task task;
    task.agent = "command";
    task.words = {"/bin/false"};
    task.working_dir = "/tmp";
    failed_ = value_of(service_.submit(task)).task.id;
    ask::QuestionRecord failure = test::a_question(failed_, "failure");
    failure.failure = true;
    failure.options = {{"Retry"}, {"Abort"}};
    EXPECT_TRUE(desk_.open(failure));
    EXPECT_TRUE(value_of(desk_.answer({.id = failure.key(), .typed = "1"}, "dora")).accepted);
    const LogRecord mark{failed_, json{{"as", again_}}.dump(), 0, "doing", wall_ms()};
    EXPECT_TRUE(value_of(write_one(*log_, Put{"retries", mark, 0})).applied);
  }
  bool retried() {
    return eventually([&] { return value_of(log_->get("retries", failed_))->state == "done"; });
  }
  std::size_t tasks() { return value_of(log_->list({.bucket = "tasks"})).size(); }

  std::string failed_;
  std::string again_ = task::new_run_id();
};

TEST_F(BrokerRetryTest, WhatADeadBrokerDidNotSubmitTheNextOneDoes) {
  start({});
  ASSERT_TRUE(retried());
  EXPECT_EQ(tasks(), 2U);
  EXPECT_EQ(value_of(service_.get(again_)).parent, failed_);
}

TEST_F(BrokerRetryTest, WhatADeadBrokerSubmittedIsNotSubmittedAgain) {
  EXPECT_TRUE(service_.repeat(failed_, again_));
  start({});
  ASSERT_TRUE(retried());
  EXPECT_EQ(tasks(), 2U);
}

TEST_F(BrokerRetryTest, OfManyBrokersThatSeeItOneSubmits) {
  const auto other_log = engine_.open();
  task::Service other(*other_log, {2, [] { return Result<void>(); }});
  start({});
  const Broker second(other, BrokerOptions{settings_, {}, 2s});
  const Broker third(other, BrokerOptions{settings_, {}, 2s});
  ASSERT_TRUE(retried());
  EXPECT_EQ(tasks(), 2U);
  EXPECT_THAT(audit(), testing::Not(HasSubstr("retry_failed")));
}

TEST_F(BrokerTest, ProgressEditsTheSameMessageUntilTheEnd) {
  test::SlackStandIn slack;
  SurfaceSettings settings = test::slack_settings(slack.url());
  settings.offers = {"progress", "completion"};
  start({settings});
  ASSERT_TRUE(eventually([&] { return value_of(log_->get("surfaces", "team")).has_value(); }));
  task::Task task;
  task.agent = "command";
  task.words = {"/bin/true"};
  task.working_dir = "/tmp";
  const std::string id = value_of(service_.submit(task)).task.id;
  EXPECT_TRUE(value_of(task::change_task(*log_, id, [](task::Task& found) {
    found.state = "working";
    found.progress.json = R"({"percent":25,"current_activity":"@here reading"})";
    return true;
  })));
  ASSERT_TRUE(eventually([&] { return slack.posts().size() == 1; }));
  EXPECT_THAT(slack.posts()[0].text, HasSubstr("25 %"));
  EXPECT_TRUE(value_of(task::change_task(*log_, id, [](task::Task& found) {
    found.state = "completed";
    found.summary = "All done";
    return true;
  })));
  EXPECT_TRUE(
      eventually([&] { return slack.posts()[0].text.find("All done") != std::string::npos; }));
  EXPECT_EQ(slack.posts().size(), 1U);
}

TEST_F(BrokerTest, AProgramAnswersAndIsEndedWhenItIsNotNeeded) {
  SurfaceSettings settings;
  settings.name = "script";
  settings.kind = "command";
  settings.offers = {"question"};
  settings.argv = {"/bin/sh", "-c", "grep -q 'Where do tokens live' && printf 'so so\\n'"};
  start({settings});
  open();
  ASSERT_TRUE(answered());
  EXPECT_EQ(shown_answer(question()), "so so");
  EXPECT_EQ(question().answered_by, "command via script");
}

TEST_F(BrokerTest, AProgramIsHeardAlsoAfterAnAnswerOfItWasRefused) {
  const test::TempDir place;
  SurfaceSettings settings;
  settings.name = "script";
  settings.kind = "command";
  settings.offers = {"question"};
  settings.argv = {"/bin/sh", "-c", "test -e \"$0\" && echo 1 || { : >\"$0\"; echo 9; }",
                   place.path() / "was-here"};
  start({settings});
  open();
  ASSERT_TRUE(eventually([&] { return audit().find("refused_answer") != std::string::npos; }));
  broker_.reset();
  broker_ = std::make_unique<Broker>(service_, BrokerOptions{settings_, {}, 2s});
  ASSERT_TRUE(answered());
  EXPECT_EQ(shown_answer(question()), "Cookie");
}

// The other process of the test below: it works until it is killed.
TEST(BrokerProcess, DISABLED_Works) {
  const char* const path = std::getenv("BROKER_STORE");
  ASSERT_NE(path, nullptr);
  auto log = open_sqlite_log({path, ""});
  ASSERT_TRUE(log);
  task::Service service(**log, {2, [] { return Result<void>(); }});
  Settings settings;
  settings.surfaces = {test::github_settings(std::getenv("BROKER_GITHUB")),
                       test::slack_settings(std::getenv("BROKER_SLACK"))};
  const Broker broker(service, BrokerOptions{settings, {}, 500ms});
  ::pause();
}

class OtherBroker {
 public:
  OtherBroker(const std::string& store, const std::string& github, const std::string& slack) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::setenv("BROKER_STORE", store.c_str(), 1);
    ::setenv("BROKER_GITHUB", github.c_str(), 1);
    ::setenv("BROKER_SLACK", slack.c_str(), 1);
    ::execl("/proc/self/exe", "tests", "--gtest_filter=BrokerProcess.*",
            "--gtest_also_run_disabled_tests", nullptr);
    ::_exit(127);
  }
  ~OtherBroker() { kill_it(); }
  OtherBroker(const OtherBroker&) = delete;
  OtherBroker& operator=(const OtherBroker&) = delete;
  void kill_it() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

TEST_F(BrokerTest, NothingIsLostOrSentTwiceWhenABrokerIsKilled) {
  test::GithubStandIn github;
  test::SlackStandIn slack;
  github.drop_replies(0.5);
  slack.drop_replies(0.5);
  const std::size_t count = std::max<std::size_t>(6, test::scaled(200));
  for (std::size_t i = 0; i < count; ++i) open(fmt::format("q{}", i));
  for (std::size_t round = 1; round <= 3; ++round) {
    OtherBroker broker(engine_.path(), github.url(), slack.url());
    const std::size_t enough = count * round / 5;
    EXPECT_TRUE(eventually([&] { return github.posts().size() > enough; }, 600s));
    broker.kill_it();
  }
  start({test::github_settings(github.url()), test::slack_settings(slack.url())});
  const auto all_shown = [&](const char* name) {
    const auto deliveries = value_of(Outbox(*log_, name).unsettled());
    return deliveries.size() == count && std::ranges::all_of(deliveries, [](const Delivery& one) {
             return one.state == "shown";
           });
  };
  EXPECT_TRUE(eventually([&] { return all_shown("ops") && all_shown("team"); }, 1800s));
  EXPECT_EQ(github.posts().size(), count);
  EXPECT_EQ(slack.posts().size(), count);
}

}  // namespace
}  // namespace dragoman::surface
