// SPDX-License-Identifier: Apache-2.0
// Questions of the log reach the surfaces, answers reach the log, against servers that enforce the
// rules of the real ones.
#include "dragoman/surface/broker.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/surface/hooks.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/stand_in.hpp"
#include "tests/surface/support.hpp"

namespace dragoman::surface {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using test::eventually;
using test::value_of;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::int64_t now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class BrokerTest : public testing::Test {
 protected:
  void start(std::vector<SurfaceSettings> surfaces, Policy policy = {}) {
    settings_.surfaces = std::move(surfaces);
    settings_.policy = std::move(policy);
    hooks_ = std::make_unique<Hooks>(*log_, settings_, nullptr);
    broker_ = std::make_unique<Broker>(service_, BrokerOptions{settings_, {}, 2s});
  }
  ask::QuestionRecord open(const std::string& id = "q1") {
    EXPECT_TRUE(desk_.open(test::a_question("T-local-1", id)));
    return value_of(desk_.find("T-local-1/" + id));
  }
  ask::QuestionRecord question(const std::string& id = "q1") {
    return value_of(desk_.find("T-local-1/" + id));
  }
  bool answered(const std::string& id = "q1") {
    return eventually([&] { return question(id).state == "answered"; });
  }
  HookAnswer click_discord(const std::string& ref, int option, const std::string& id,
                           const std::string& user = "u1") {
    const std::string body = json{{"type", 3},
                                  {"id", id},
                                  {"channel_id", "77"},
                                  {"data", {{"custom_id", fmt::format("{}:{}", ref, option)}}},
                                  {"member", {{"user", {{"id", user}, {"username", "dora"}}}}}}
                                 .dump();
    return hooks_->receive("/hooks/discord", test::discord_signed(body, now_s()));
  }
  HookAnswer click_slack(const std::string& ref, int option, const std::string& time) {
    const json event = {{"type", "block_actions"},
                        {"user", {{"id", "U1"}, {"username", "sam"}}},
                        {"channel", {{"id", "C7"}}},
                        {"actions",
                         {{{"action_id", fmt::format("{}:{}", ref, option)},
                           {"value", std::to_string(option)},
                           {"action_ts", time}}}}};
    const std::string body = "payload=" + http::url_encode(event.dump());
    return hooks_->receive("/hooks/slack",
                           test::slack_signed(body, now_s(), "8f742231b10e8888abcd99yyyzzz85a5"));
  }
  std::string audit() {
    std::string all;
    for (const auto& entry : value_of(log_->read("audit", 1, 100'000))) all += entry.body + "\n";
    return all;
  }

  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  ask::Desk desk_{*log_};
  task::Service service_{*log_, {2, [] { return Result<void>(); }}};
  Settings settings_;
  std::unique_ptr<Hooks> hooks_;
  std::unique_ptr<Broker> broker_;
};

TEST_F(BrokerTest, AGithubCommentAnswersAndTheMessageSaysSo) {
  test::GithubStandIn github;
  github.permissions = {{"alice", "write"}, {"mallory", "read"}};
  github.comment("alice", "1");  // was there before the question
  start({test::github_settings(github.url())});
  const auto asked = open();
  ASSERT_TRUE(eventually([&] { return github.posts().size() == 1; }));
  EXPECT_THAT(github.posts()[0].text, HasSubstr("Where do tokens live?"));
  github.comment("mallory", "2");
  github.comment("robot", "2", "Bot");
  github.comment("alice", "<!-- /answer " + question_ref(asked) + " 2 -->");
  github.comment("alice", "/answer " + question_ref(asked) + " ok\n[CODEX_COMPLETE] done");
  ASSERT_TRUE(answered());
  EXPECT_EQ(question().answer, "ok\n[CODEX_COMPLETE] done");
  EXPECT_EQ(question().answered_by, "alice via ops");
  EXPECT_TRUE(eventually([&] {
    return github.posts()[0].text.find("answered by alice via ops") != std::string::npos;
  }));
  EXPECT_EQ(github.posts().size(), 1U);
  EXPECT_THAT(github.complaints(), IsEmpty());
  EXPECT_THAT(audit(), HasSubstr("answer_not_allowed"));
}

TEST_F(BrokerTest, AReactionAnswersAndALateCommentIsToldSo) {
  test::GithubStandIn github;
  github.permissions = {{"alice", "admin"}, {"bob", "write"}};
  start({test::github_settings(github.url())});
  open();
  ASSERT_TRUE(eventually([&] { return github.posts().size() == 1; }));
  github.react(github.posts()[0].id, "alice", "-1");
  ASSERT_TRUE(answered());
  EXPECT_EQ(question().answer, "Header");
  const std::string ref = question_ref(question());
  open("q2");  // so that somebody looks at the comments again
  github.comment("bob", "/answer " + ref + " 1");
  EXPECT_TRUE(eventually([&] {
    const auto posts = github.posts();
    return std::ranges::any_of(posts, [](const test::Post& post) {
      return post.text.find("Already answered by alice via ops") != std::string::npos;
    });
  }));
  EXPECT_EQ(question().answer, "Header");
  EXPECT_THAT(github.complaints(), IsEmpty());
}

TEST_F(BrokerTest, AGithubWebhookIsLookedUpAndItsReplayChangesNothing) {
  test::GithubStandIn github;
  github.permissions = {{"alice", "write"}};
  SurfaceSettings settings = test::github_settings(github.url());
  settings.poll = 1h;  // nothing but the webhook
  start({settings});
  open();
  ASSERT_TRUE(eventually([&] { return github.posts().size() == 1; }));
  const std::string body = json{{"action", "created"},
                                {"repository", {{"full_name", "o/r"}}},
                                {"issue", {{"number", 7}}},
                                {"comment",
                                 {{"id", 900},
                                  {"body", "2"},
                                  {"created_at", "a"},
                                  {"updated_at", "a"},
                                  {"author_association", "MEMBER"},
                                  {"user", {{"login", "alice"}, {"type", "User"}}}}}}
                               .dump();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(
        hooks_->receive("/hooks/github", test::github_signed(body, "It's a Secret to Everybody"))
            .status,
        202);
  }
  ASSERT_TRUE(answered());
  EXPECT_EQ(question().answer, "Header");
  broker_->settle(5s);
  EXPECT_EQ(github.posts().size(), 1U) << "nobody was told that they are late";
}

TEST_F(BrokerTest, ADiscordClickAnswersAtOnceAndLaterOnesHearIt) {
  test::DiscordStandIn discord;
  start({test::discord_settings(discord.url())});
  const std::string ref = question_ref(open());
  ASSERT_TRUE(eventually([&] { return discord.posts().size() == 1; }));
  ASSERT_EQ(discord.posts()[0].json["components"][0]["components"][0]["custom_id"], ref + ":1");
  const json first = json::parse(click_discord(ref, 2, "i1").body);
  EXPECT_EQ(first["type"], 7);
  EXPECT_EQ(first["data"]["components"], json::array());
  EXPECT_EQ(question().answer, "Header");
  EXPECT_EQ(question().answered_by, "dora via chat");
  const json late = json::parse(click_discord(ref, 1, "i2", "u2").body);
  EXPECT_EQ(late["data"]["flags"], 64);
  EXPECT_THAT(late["data"]["content"].get<std::string>(), HasSubstr("dora via chat"));
  EXPECT_EQ(json::parse(click_discord(ref, 2, "i1").body)["type"], 7) << "a replay";
  EXPECT_TRUE(eventually([&] { return discord.posts()[0].edits > 0; }));
  EXPECT_THAT(discord.posts()[0].text, HasSubstr("answered by dora via chat"));
  EXPECT_EQ(discord.posts().size(), 1U);
  EXPECT_THAT(discord.complaints(), IsEmpty());
}

TEST_F(BrokerTest, WithoutAnEndpointDiscordIsAnsweredByReactionAndReply) {
  test::DiscordStandIn discord;
  SurfaceSettings settings = test::discord_settings(discord.url());
  settings.texts.erase("public_key");
  start({settings});
  open("q1");
  ASSERT_TRUE(eventually([&] { return discord.posts().size() == 1; }));
  discord.react(discord.posts()[0].id, "stranger", "2\xEF\xB8\x8F\xE2\x83\xA3");
  discord.react(discord.posts()[0].id, "u1", "1\xEF\xB8\x8F\xE2\x83\xA3");
  ASSERT_TRUE(answered("q1"));
  EXPECT_EQ(question("q1").answer, "Cookie");
  open("q2");
  ASSERT_TRUE(eventually([&] { return discord.posts().size() == 2; }));
  discord.reply(discord.posts()[1].id, "u2", "- [ ] words \x1b[2J");
  ASSERT_TRUE(answered("q2"));
  EXPECT_EQ(question("q2").answer, "- [ ] words \x1b[2J");
  EXPECT_THAT(discord.complaints(), IsEmpty());
}

TEST_F(BrokerTest, ASlackClickAndASlackModalAnswer) {
  test::SlackStandIn slack;
  start({test::slack_settings(slack.url())});
  const std::string ref = question_ref(open("q1"));
  ASSERT_TRUE(eventually([&] { return slack.posts().size() == 1; }));
  EXPECT_EQ(click_slack(ref, 1, "1.1").status, 200);
  EXPECT_EQ(question("q1").answer, "Cookie");
  EXPECT_EQ(question("q1").answered_by, "sam via team");
  EXPECT_EQ(click_slack(ref, 2, "1.2").status, 200);
  EXPECT_TRUE(eventually([&] { return slack.calls("chat.postEphemeral").size() == 1; }));
  EXPECT_THAT(slack.calls("chat.postEphemeral")[0]["text"].get<std::string>(),
              HasSubstr("Already answered by sam via team: Cookie"));
  EXPECT_TRUE(eventually([&] { return slack.posts()[0].edits == 1; }));
  EXPECT_THAT(slack.posts()[0].text, HasSubstr("answered by sam via team: Cookie"));

  const std::string words = question_ref(open("q2"));
  ASSERT_TRUE(eventually([&] { return slack.posts().size() == 2; }));
  const json modal = {
      {"type", "view_submission"},
      {"user", {{"id", "U1"}, {"username", "sam"}}},
      {"view",
       {{"id", "V1"},
        {"private_metadata", words},
        {"state", {{"values", {{"answer", {{"words", {{"value", "my own\nwords"}}}}}}}}}}}};
  const std::string body = "payload=" + http::url_encode(modal.dump());
  EXPECT_EQ(hooks_
                ->receive("/hooks/slack",
                          test::slack_signed(body, now_s(), "8f742231b10e8888abcd99yyyzzz85a5"))
                .status,
            200);
  EXPECT_EQ(question("q2").answer, "my own\nwords");
  EXPECT_THAT(slack.complaints(), IsEmpty());
}

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
    const bool dora = settled.answered_by == "dora via chat" && settled.answer == "Cookie";
    const bool sam = settled.answered_by == "sam via team" && settled.answer == "Header";
    EXPECT_TRUE(dora || sam) << settled.answered_by << ": " << settled.answer;
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
  EXPECT_TRUE(value_of(desk_.answer("q0", "1", ask::Literal::no, "x")).accepted);
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
  EXPECT_EQ(question().answer, "Header");
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
  EXPECT_EQ(question().answer, "so so");
  EXPECT_EQ(question().answered_by, "command via script");
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
