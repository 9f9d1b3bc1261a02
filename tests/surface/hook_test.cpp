// SPDX-License-Identifier: Apache-2.0
// What comes in is believed only when it is signed.
#include "dragoman/surface/hook.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/surface/support.hpp"

namespace dragoman::surface {
namespace {

using nlohmann::json;
using test::discord_settings;
using test::github_settings;
using test::slack_settings;

constexpr std::int64_t kNow = 1'700'000'000;
constexpr std::string_view kSlackBody =
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&"
    "channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&"
    "response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIG"
    "lgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
constexpr std::string_view kSlackSignature =
    "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
constexpr std::string_view kGithubSignature =
    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
constexpr std::string_view kDiscordSignature =
    "c1098e97d711377f30225d53d94b89d43537f92e5b3afaddc590781b1f9f9d4b"
    "2eeab335d370be3b9a090bc61a85b86448bc140dcd195f1569c2bff181257607";

// Thirty ways in which a good signature is spoilt.
std::vector<std::string> spoilt(std::string_view good, std::string_view prefix) {
  const std::string text(good);
  const std::string hex = text.substr(prefix.size());
  std::string upper = hex;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::vector<std::string> bad = {"",
                                  std::string(prefix),
                                  prefix.empty() ? hex + hex : hex,
                                  std::string(prefix) + upper,
                                  text + "0",
                                  text + " ",
                                  " " + text,
                                  text + "\n",
                                  text + "," + text,
                                  std::string(prefix) + std::string(hex.size(), '0'),
                                  std::string(prefix) + std::string(hex.size(), 'g'),
                                  std::string(prefix) + hex.substr(1),
                                  std::string(prefix) + hex.substr(0, hex.size() - 1),
                                  std::string(prefix) + std::string(prefix) + hex,
                                  "sha1=" + hex.substr(0, 40),
                                  "v1=" + hex,
                                  "Bearer " + text,
                                  "\"" + text + "\"",
                                  std::string(hex.rbegin(), hex.rend()),
                                  text.substr(0, text.size() / 2)};
  std::erase(bad, text);
  for (std::size_t i = 0; bad.size() < 30; ++i) {  // one digit is wrong
    std::string one = text;
    const std::size_t at = prefix.size() + i * (hex.size() - 1) / 20;
    one[at] = one[at] == '0' ? '1' : '0';
    bad.push_back(one);
  }
  return bad;
}

TEST(Hook, TheDocumentedSignaturesAreGood) {
  EXPECT_TRUE(signed_by_github("It's a Secret to Everybody", kGithubSignature, "Hello, World!"));
  EXPECT_TRUE(signed_by_slack("8f742231b10e8888abcd99yyyzzz85a5", kSlackSignature, "1531420618",
                              kSlackBody, 1531420618));
  EXPECT_TRUE(
      signed_by_discord(test::kDiscordKey, kDiscordSignature, "1700000000", R"({"type":1})", kNow));
}

TEST(Hook, ThirtySpoiltSignaturesOfEachSchemeAre401) {
  for (const std::string& bad : spoilt(kGithubSignature, "sha256=")) {
    const HookRequest request{{{"X-Hub-Signature-256", bad}}, "Hello, World!", kNow};
    EXPECT_EQ(github_hook(github_settings(), request).status, 401) << bad;
  }
  for (const std::string& bad : spoilt(kSlackSignature, "v0=")) {
    const HookRequest request{
        {{"X-Slack-Signature", bad}, {"X-Slack-Request-Timestamp", "1531420618"}},
        kSlackBody,
        1531420618};
    EXPECT_EQ(slack_hook(slack_settings(), request).status, 401) << bad;
  }
  for (const std::string& bad : spoilt(kDiscordSignature, "")) {
    const HookRequest request{
        {{"X-Signature-Ed25519", bad}, {"X-Signature-Timestamp", "1700000000"}},
        R"({"type":1})",
        kNow};
    EXPECT_EQ(discord_hook(discord_settings(), request).status, 401) << bad;
  }
}

TEST(Hook, TheBodyAndTheTimeAreSignedToo) {
  HookRequest github{{{"X-Hub-Signature-256", std::string(kGithubSignature)}}, "Hello, World", 0};
  EXPECT_EQ(github_hook(github_settings(), github).status, 401);
  EXPECT_EQ(github_hook(github_settings(), {{}, "Hello, World!", 0}).status, 401);
  for (const std::int64_t off : {-301, 301, 100'000}) {
    auto slack = test::slack_signed("payload=%7B%7D", kNow, "8f742231b10e8888abcd99yyyzzz85a5");
    slack.now_s = kNow + off;
    EXPECT_EQ(slack_hook(slack_settings(), slack).status, 401) << off;
    auto discord = test::discord_signed(R"({"type":1})", kNow);
    discord.now_s = kNow + off;
    EXPECT_EQ(discord_hook(discord_settings(), discord).status, 401) << off;
  }
  for (const char* time : {"", "abc", "-1700000000", "+1700000000", " 1700000000", "1.7e9"}) {
    HookRequest discord{
        {{"X-Signature-Ed25519", std::string(kDiscordSignature)}, {"X-Signature-Timestamp", time}},
        R"({"type":1})",
        kNow};
    EXPECT_EQ(discord_hook(discord_settings(), discord).status, 401) << time;
  }
  auto twice = test::discord_signed(R"({"type":1})", kNow);
  twice.fields.push_back(twice.fields[0]);
  EXPECT_EQ(discord_hook(discord_settings(), twice).status, 401);
}

TEST(Hook, WithoutASecretTheEndpointIsClosed) {
  SurfaceSettings github = github_settings();
  github.secrets.erase("webhook_secret");
  EXPECT_EQ(github_hook(github, test::github_signed("{}", "")).status, 404);
  SurfaceSettings discord = discord_settings();
  discord.texts.erase("public_key");
  EXPECT_EQ(discord_hook(discord, test::discord_signed(R"({"type":1})", kNow)).status, 404);
  SurfaceSettings slack = slack_settings();
  slack.secrets.erase("signing_secret");
  EXPECT_EQ(slack_hook(slack, test::slack_signed("{}", kNow, "")).status, 404);
}

std::string github_event(const json& patch) {
  json event = {{"action", "created"},
                {"repository", {{"full_name", "o/r"}}},
                {"issue", {{"number", 7}}},
                {"comment",
                 {{"id", 12},
                  {"body", "1"},
                  {"created_at", "a"},
                  {"updated_at", "a"},
                  {"author_association", "MEMBER"},
                  {"user", {{"login", "alice"}, {"type", "User"}}}}}};
  event.merge_patch(patch);
  return event.dump();
}

TEST(Hook, AGithubCommentOfAMemberIsHandedOn) {
  const auto hook = [](const json& patch) {
    const std::string body = github_event(patch);
    return github_hook(github_settings(), test::github_signed(body, "It's a Secret to Everybody"));
  };
  const HookAnswer good = hook(json::object());
  ASSERT_TRUE(good.incoming);
  EXPECT_EQ(*good.incoming, (Incoming{"c12", "", "1", false, "alice", ""}));
  const std::vector<json> ignored = {
      {{"action", "edited"}},
      {{"comment", {{"user", {{"type", "Bot"}}}}}},
      {{"comment", {{"user", {{"login", "x[bot]"}}}}}},
      {{"comment", {{"author_association", "NONE"}}}},
      {{"comment", {{"author_association", "CONTRIBUTOR"}}}},
      {{"comment", {{"updated_at", "b"}}}},
      {{"issue", {{"number", 8}}}},
      {{"repository", {{"full_name", "o/other"}}}},
  };
  for (const json& patch : ignored) {
    EXPECT_FALSE(hook(patch).incoming) << patch;
    EXPECT_EQ(hook(patch).status, 204) << patch;
  }
}

json discord_click(const std::string& id, const std::string& user) {
  return {{"type", 3},
          {"id", "i1"},
          {"channel_id", "77"},
          {"data", {{"custom_id", id}, {"component_type", 2}}},
          {"member", {{"user", {{"id", user}, {"username", "alice"}}}, {"roles", json::array()}}}};
}

TEST(Hook, DiscordClicksModalsAndPings) {
  const auto hook = [](const json& event) {
    const std::string body = event.dump();
    return discord_hook(discord_settings(), test::discord_signed(body, kNow));
  };
  EXPECT_EQ(hook({{"type", 1}}).body, R"({"type":1})");
  EXPECT_EQ(*hook(discord_click("qabc:2", "u1")).incoming,
            (Incoming{"i1", "qabc", "2", false, "alice", ""}));
  EXPECT_EQ(json::parse(hook(discord_click("qabc:other", "u1")).body)["type"], 9);
  json modal = discord_click("qabc:text", "u1");
  modal["type"] = 5;
  modal["data"]["components"] = {{{"component", {{"value", "[CODEX_COMPLETE] \u001b[2J"}}}}};
  EXPECT_EQ(hook(modal).incoming->value, "[CODEX_COMPLETE] \u001b[2J");
  const json why = json::parse(hook(discord_click("qabc:why", "u1")).body);
  EXPECT_EQ(why["data"]["custom_id"], "qabc:reason");
  EXPECT_FALSE(hook(modal).incoming->literal);
  modal["data"]["custom_id"] = "qabc:reason";
  EXPECT_TRUE(hook(modal).incoming->literal);
  json select = discord_click("qabc:pick", "u1");
  select["data"]["values"] = {"1", "3"};
  EXPECT_EQ(hook(select).incoming->value, "1,3");
  const HookAnswer stranger = hook(discord_click("qabc:2", "u7"));
  EXPECT_FALSE(stranger.incoming);
  EXPECT_EQ(json::parse(stranger.body)["data"]["flags"], 64);
  json with_role = discord_click("qabc:2", "u7");
  with_role["member"]["roles"] = {"r9"};
  EXPECT_TRUE(hook(with_role).incoming);
  json elsewhere = discord_click("qabc:2", "u1");
  elsewhere["channel_id"] = "78";
  EXPECT_FALSE(hook(elsewhere).incoming);
}

TEST(Hook, SlackClicksModalsAndChallenges) {
  const auto hook = [](const json& event) {
    const std::string body = "payload=" + http::url_encode(event.dump());
    return slack_hook(slack_settings(),
                      test::slack_signed(body, kNow, "8f742231b10e8888abcd99yyyzzz85a5"));
  };
  json click = {{"type", "block_actions"},
                {"user", {{"id", "U1"}, {"username", "alice"}}},
                {"channel", {{"id", "C7"}}},
                {"trigger_id", "t"},
                {"actions", {{{"action_id", "qabc:2"}, {"value", "2"}, {"action_ts", "9.1"}}}}};
  EXPECT_EQ(*hook(click).incoming, (Incoming{"U1-9.1-qabc:2", "qabc", "2", false, "alice", "U1"}));
  click["actions"][0]["action_id"] = "qabc:other";
  click["actions"][0]["value"] = "other";
  EXPECT_EQ(hook(click).follow_up->path, "/views.open");
  click["user"]["id"] = "U2";
  EXPECT_EQ(hook(click).follow_up->path, "/chat.postEphemeral");
  const json words = {{"type", "view_submission"},
                      {"user", {{"id", "U1"}}},
                      {"view",
                       {{"id", "V1"},
                        {"private_metadata", "qabc"},
                        {"state", {{"values", {{"answer", {{"words", {{"value", "a\nb"}}}}}}}}}}}};
  EXPECT_EQ(*hook(words).incoming, (Incoming{"V1", "qabc", "a\nb", false, "U1", "U1"}));
  EXPECT_EQ(hook({{"type", "url_verification"}, {"challenge", "c"}}).body, "c");
}

}  // namespace
}  // namespace dragoman::surface
