// SPDX-License-Identifier: Apache-2.0
// Questions of the log reach the surfaces, answers reach the log, against servers that enforce the
// rules of the real ones.
#include "tests/surface/broker_fixture.hpp"

namespace dragoman::surface {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

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
  EXPECT_EQ(shown_answer(question()), "ok\n[CODEX_COMPLETE] done");
  EXPECT_EQ(question().answered_by, "alice via ops");
  EXPECT_TRUE(eventually([&] {
    return github.posts()[0].text.find("answered by alice via ops") != std::string::npos;
  }));
  EXPECT_EQ(github.posts().size(), 1U);
  EXPECT_THAT(github.complaints(), IsEmpty());
  EXPECT_THAT(audit(), HasSubstr("answer_not_allowed"));
}

TEST_F(BrokerTest, OfABusyIssueEachCommentIsReadOnceAndTheNewestIsSeen) {
  test::GithubStandIn github;
  github.permissions = {{"alice", "write"}};
  for (int i = 0; i < 2'500; ++i) github.comment("crowd", "chat");
  start({test::github_settings(github.url())});
  open();
  ASSERT_TRUE(eventually([&] { return github.posts().size() == 1; }));
  github.comment("alice", "/answer " + question_ref(question()) + " 2");
  ASSERT_TRUE(answered());
  const int pages = github.later_pages();
  EXPECT_LE(pages, 40);
  // Of what follows, only what is new; an answer to the next question too.
  open("q2");
  ASSERT_TRUE(eventually([&] { return github.posts().size() == 2; }));
  github.comment("alice", "/answer " + question_ref(question("q2")) + " 1");
  ASSERT_TRUE(answered("q2"));
  EXPECT_LE(github.later_pages(), pages + 2);
  EXPECT_THAT(github.complaints(), IsEmpty());
}

TEST_F(BrokerTest, AReactionAnswersAndALateCommentIsToldSo) {
  test::GithubStandIn github;
  github.permissions = {{"alice", "admin"}, {"bob", "write"}};
  start({test::github_settings(github.url())});
  open();
  ASSERT_TRUE(eventually([&] { return github.posts().size() == 1; }));
  github.react(github.posts()[0].id, "alice", "-1");
  ASSERT_TRUE(answered());
  EXPECT_EQ(shown_answer(question()), "Header");
  const std::string ref = question_ref(question());
  open("q2");  // so that somebody looks at the comments again
  github.comment("bob", "/answer " + ref + " 1");
  EXPECT_TRUE(eventually([&] {
    const auto posts = github.posts();
    return std::ranges::any_of(posts, [](const test::Post& post) {
      return post.text.find("Already answered by alice via ops") != std::string::npos;
    });
  }));
  EXPECT_EQ(shown_answer(question()), "Header");
  EXPECT_THAT(github.complaints(), IsEmpty());
}

TEST_F(BrokerTest, AnAnswerCountsAlsoWhenTheLookThatFoundItWasCutShort) {
  test::GithubStandIn github;
  github.permissions = {{"alice", "write"}};
  start({test::github_settings(github.url())});
  const std::vector<std::string> paths = {"/permission", "/reactions"};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string id = fmt::format("q{}", i);
    open(id);
    ASSERT_TRUE(eventually([&] { return github.posts().size() == i + 1; }));
    github.fail_next(paths[i], 502);
    github.comment("alice", "2");
    EXPECT_TRUE(answered(id)) << paths[i];
  }
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
  EXPECT_EQ(shown_answer(question()), "Header");
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
  EXPECT_EQ(shown_answer(question()), "Header");
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
  EXPECT_EQ(shown_answer(question("q1")), "Cookie");
  open("q2");
  ASSERT_TRUE(eventually([&] { return discord.posts().size() == 2; }));
  discord.reply(discord.posts()[1].id, "u2", "\x1b[B");  // no words: an arrow key
  ASSERT_TRUE(eventually([&] { return discord.posts().size() == 3; }));
  EXPECT_THAT(discord.posts()[2].text, HasSubstr("without control characters"));
  discord.reply(discord.posts()[1].id, "u2", "- [ ] words <!-- x -->");
  ASSERT_TRUE(answered("q2"));
  EXPECT_EQ(shown_answer(question("q2")), "- [ ] words <!-- x -->");
  EXPECT_THAT(discord.complaints(), IsEmpty());
}

TEST_F(BrokerTest, AReplyIsFoundBehindALongConversation) {
  test::DiscordStandIn discord;
  SurfaceSettings settings = test::discord_settings(discord.url());
  settings.texts.erase("public_key");
  start({settings});
  open();
  ASSERT_TRUE(eventually([&] { return discord.posts().size() == 1; }));
  for (int i = 0; i < 250; ++i) discord.reply("1", "u1", "what about lunch?");
  discord.reply(discord.posts()[0].id, "u1", "2");
  EXPECT_TRUE(answered());
  EXPECT_THAT(discord.complaints(), IsEmpty());
}

TEST_F(BrokerTest, ASlackClickAndASlackModalAnswer) {
  test::SlackStandIn slack;
  start({test::slack_settings(slack.url())});
  const std::string ref = question_ref(open("q1"));
  ASSERT_TRUE(eventually([&] { return slack.posts().size() == 1; }));
  EXPECT_EQ(click_slack(ref, 1, "1.1").status, 200);
  EXPECT_EQ(shown_answer(question("q1")), "Cookie");
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
  EXPECT_EQ(shown_answer(question("q2")), "my own\nwords");
  EXPECT_THAT(slack.complaints(), IsEmpty());
}

TEST_F(BrokerTest, AModalThatWasMendedTooLateIsToldSo) {
  test::SlackStandIn slack;
  start({test::slack_settings(slack.url())});
  const std::string ref = question_ref(open());
  ASSERT_TRUE(eventually([&] { return slack.posts().size() == 1; }));
  const auto submit = [&](const std::string& words) {
    const json modal = {{"type", "view_submission"},
                        {"user", {{"id", "U1"}, {"username", "sam"}}},
                        {"view",
                         {{"id", "V1"},
                          {"private_metadata", ref},
                          {"state", {{"values", {{"answer", {{"words", {{"value", words}}}}}}}}}}}};
    const std::string body = "payload=" + http::url_encode(modal.dump());
    return hooks_
        ->receive("/hooks/slack",
                  test::slack_signed(body, now_s(), "8f742231b10e8888abcd99yyyzzz85a5"))
        .body;
  };
  EXPECT_THAT(submit("99"), HasSubstr("That is no answer"));
  EXPECT_TRUE(value_of(desk_.answer({.id = question().key(), .typed = "1"}, "bob")).accepted);
  EXPECT_THAT(submit("2"), HasSubstr("Already answered by bob"));
  EXPECT_EQ(shown_answer(question()), "Cookie");
}

TEST_F(BrokerTest, ThereIsAnEndpointOnlyWhereItsCallsCanBeChecked) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  EXPECT_THAT(Hooks(*log_, {}, nullptr).open_paths(), IsEmpty());
  SurfaceSettings github = test::github_settings();
  SurfaceSettings discord = test::discord_settings();
  const SurfaceSettings slack = test::slack_settings();
  settings_.surfaces = {github, discord, slack};
  EXPECT_THAT(Hooks(*log_, settings_, nullptr).open_paths(),
              ElementsAre("/hooks/github", "/hooks/discord", "/hooks/slack"));
  github.secrets.erase("webhook_secret");
  discord.texts.erase("public_key");
  settings_.surfaces = {github, discord, slack};
  EXPECT_THAT(Hooks(*log_, settings_, nullptr).open_paths(), ElementsAre("/hooks/slack"));
}

}  // namespace
}  // namespace dragoman::surface
