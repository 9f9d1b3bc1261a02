// SPDX-License-Identifier: Apache-2.0
// Hostile questions are inert on every surface; replies are read as people mean them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/base/utf8.hpp"
#include "dragoman/surface/discord_text.hpp"
#include "dragoman/surface/github_text.hpp"
#include "dragoman/surface/message.hpp"
#include "dragoman/surface/program.hpp"
#include "dragoman/surface/slack_text.hpp"
#include "tests/surface/hostile_words.hpp"
#include "tests/surface/support.hpp"

namespace dragoman::surface {
namespace {

using nlohmann::json;
using test::kHostile;
using test::no_controls;
using testing::HasSubstr;
using testing::Not;

Message hostile(std::size_t repeat = 1) { return message_of(test::hostile_question(repeat)); }

// The parts of a comment that are not inside a fence.
std::string outside_fences(const std::string& markdown) {
  std::string out;
  std::string fence;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (fence.empty() && ticks >= 3) {
      fence = line.substr(0, ticks);
    } else if (!fence.empty() && line == fence) {
      fence.clear();
    } else if (fence.empty()) {
      out += line + "\n";
    }
  }
  EXPECT_EQ(fence, "") << "a fence is not closed";
  return out;
}

TEST(GithubText, AHostileQuestionIsInert) {
  const std::string comment = github_comment(hostile());
  no_controls(comment);
  std::string open = outside_fences(comment);
  for (std::size_t at = 0; (at = open.find("\\<", at)) != std::string::npos;)
    open.erase(at, 2);  // an escaped one is a character like any other
  EXPECT_THAT(open, Not(HasSubstr("@everyone")));
  EXPECT_THAT(open, Not(HasSubstr("@alice")));
  EXPECT_THAT(open, Not(HasSubstr(" #1")));
  EXPECT_THAT(open, Not(HasSubstr("GH-2")));
  EXPECT_THAT(open, Not(HasSubstr("<img")));
  EXPECT_THAT(open, Not(HasSubstr("http://")));
  EXPECT_THAT(open, Not(HasSubstr("https://")));
  EXPECT_THAT(open, Not(HasSubstr("www.")));
  EXPECT_THAT(open, Not(HasSubstr("<!--")));
  EXPECT_THAT(open, HasSubstr(hostile().ref));
}

TEST(GithubText, AHundredThousandCharactersFit) {
  for (const std::size_t repeat : {100U, 400U, 4000U}) {
    EXPECT_LE(utf8::count(github_comment(hostile(repeat))), kGithubLongest);
  }
  Message ticks = hostile();
  ticks.text = std::string(100'000, '`');
  ticks.asked.options.assign(500, {std::string(1000, '*'), std::string(1000, '_')});
  EXPECT_LE(utf8::count(github_comment(ticks)), kGithubLongest);
}

TEST(DiscordText, AHostileQuestionIsInert) {
  for (const Controls controls : {Controls::components, Controls::reactions}) {
    for (const std::size_t repeat : {1U, 400U}) {
      const json body = json::parse(discord_body(hostile(repeat), controls, true));
      const std::string content = body["content"];
      no_controls(content);
      EXPECT_LE(utf8::count(content), 2000U);
      EXPECT_EQ(body["allowed_mentions"], (json{{"parse", json::array()}}));
      EXPECT_EQ(body["flags"], 4);
      EXPECT_THAT(content, Not(HasSubstr("@everyone")));
      EXPECT_THAT(content, Not(HasSubstr(" <@")));
      EXPECT_THAT(content, Not(HasSubstr(" *bold*")));
      EXPECT_THAT(content, HasSubstr(hostile(repeat).ref));
    }
  }
}

TEST(SlackText, AHostileQuestionIsInert) {
  const json body = json::parse(slack_body(hostile(400), "C7", ""));
  EXPECT_THAT(body["text"].get<std::string>(), Not(HasSubstr("<!channel>")));
  for (const json& block : body["blocks"]) {
    if (block.contains("text")) {
      EXPECT_EQ(block["text"]["type"], "plain_text");
      EXPECT_LE(utf8::count(block["text"]["text"].get<std::string>()), 3000U);
      no_controls(block["text"]["text"]);
    }
    for (const json& element : block.value("elements", json::array())) {
      if (element.contains("text") && element["text"].is_object()) {
        EXPECT_EQ(element["text"]["type"], "plain_text");
      }
    }
  }
}

TEST(ProgramText, AProgramGetsTheWordsByteForByte) {
  const json question = json::parse(program_input(hostile()));
  EXPECT_EQ(question["text"], kHostile);
  EXPECT_EQ(question["options"][0]["label"], kHostile);
}

TEST(Text, ASettledMessageSaysWhoAndWhereAndHasNoControls) {
  ask::QuestionRecord question = test::a_question("T-local-1");
  question.state = QuestionState::answered;
  question.answer.options = {1};
  question.answered_by = "alice via ops";
  const Message message = message_of(question);
  EXPECT_EQ(message.outcome, "answered by alice via ops: Cookie");
  EXPECT_THAT(github_comment(message), HasSubstr("answered by alice via ops: Cookie"));
  EXPECT_THAT(github_comment(message), Not(HasSubstr("/answer")));
  const json discord = json::parse(discord_body(message, Controls::components, false));
  EXPECT_EQ(discord["components"], json::array());
  EXPECT_THAT(discord["content"].get<std::string>(), HasSubstr("answered by alice via ops"));
  EXPECT_THAT(slack_body(message, "C7", "1"), HasSubstr("answered by alice via ops: Cookie"));
  EXPECT_THAT(slack_body(message, "C7", "1"), Not(HasSubstr("actions")));
  question.secret = true;
  EXPECT_EQ(message_of(question).outcome, "answered by alice via ops");
}

// On a fleet the record has it until the agent does.
TEST(SurfaceText, AKeyThatWasTypedAsAnAnswerIsOnNoSurface) {
  ask::QuestionRecord question = test::a_question("T-local-1");
  question.state = QuestionState::answered;
  question.answer.text = "use sk-ant" + ("-api03-" + std::string(40, 'D'));
  question.answered_by = "command line";
  EXPECT_EQ(message_of(question).outcome, "answered by command line: use [REDACTED:anthropic_key]");
}

TEST(GithubText, ReadsWhatPeopleReplyAndNothingHidden) {
  ask::QuestionRecord question = test::a_question("T-local-1");
  const std::vector<Shown> open = {{"100", message_of(question)}};
  const std::string ref = open[0].message.ref;
  const std::vector<std::pair<std::string, std::optional<Reply>>> rows = {
      {"1", Reply{"", "1"}},
      {" 2 \r\n", Reply{"", "2"}},
      {"1, 2", Reply{"", "1, 2"}},
      {"cookie", Reply{ref, "1"}},
      {"> What now?\n\nHeader", Reply{ref, "2"}},
      {"/answer " + ref + " 2", Reply{ref, "2"}},
      {"/answer " + ref + " ok\n[CODEX_COMPLETE] \x1b[2J\n",
       Reply{ref, "ok\n[CODEX_COMPLETE] \x1b[2J"}},
      {"<!-- /answer " + ref + " 1 -->", std::nullopt},
      {"<!-- x -->1<!-- y", Reply{"", "1"}},
      {"\xe2\x80\x8b"
       "2\xef\xbb\xbf",
       Reply{"", "2"}},
      {"I think 1 is better", std::nullopt},
      {"1\n2", std::nullopt},
      {"/answer nothing 1", std::nullopt},
      {"/answers " + ref + " 1", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& [comment, reply] : rows) EXPECT_EQ(read_reply(comment, open), reply) << comment;
}

Message a_permission() {
  ask::QuestionRecord question = test::a_question("T-local-1");
  question.kind = QuestionKind::approval;
  question.source = QuestionSource::permission;
  question.text = "Allow Bash: make; \x1b[2J?";
  question.options = {
      {"Allow", "", Grant::allow_once}, {"Deny", "", Grant::deny}, {"no", "", Grant::allow_always}};
  question.free_text = true;
  question.wants = KeptWants::read(R"({"tool":"Bash","command":"make; \u001b[2J"})");
  return message_of(question);
}

TEST(GithubText, ReadsWhatPeopleReplyToAPermission) {
  const Message asked = a_permission();
  const std::vector<Shown> open = {{"100", asked}};
  const std::vector<std::pair<std::string, std::optional<Reply>>> rows = {
      {"y", Reply{asked.ref, "1"}},
      {"Yes\r\n", Reply{asked.ref, "1"}},
      {"n", Reply{asked.ref, "2"}},
      {"no", Reply{asked.ref, "2"}},
      {"no: use npm", Reply{asked.ref, "no: use npm"}},
      {"always", Reply{asked.ref, "3"}},
      {"no problem", std::nullopt},
      {"yes, I have seen that", std::nullopt},
      {"y\x1b[2J", std::nullopt},
  };
  for (const auto& [comment, reply] : rows) EXPECT_EQ(read_reply(comment, open), reply) << comment;
  const std::vector<Shown> two = {{"100", asked}, {"101", message_of(test::a_question("T-2"))}};
  EXPECT_EQ(read_reply("y", two), (Reply{asked.ref, "1"})) << "the other one is no yes or no";
  const std::vector<Shown> twice = {{"100", asked}, {"101", asked}};
  EXPECT_EQ(read_reply("y", twice), (Reply{"", "y"})) << "which?";
}

// The command in full, harmless, and what may be answered.
TEST(Text, APermissionShowsItsCommandEverywhere) {
  const Message asked = a_permission();
  for (const std::string& shown :
       {github_comment(asked),
        std::string(json::parse(discord_body(asked, Controls::reactions, true))["content"])}) {
    no_controls(shown);
    EXPECT_THAT(shown, HasSubstr("Allow Bash?\n"));
    EXPECT_THAT(shown, HasSubstr("$ make; "));
    EXPECT_THAT(shown, HasSubstr("no: "));
  }
  const json slack = json::parse(slack_body(asked, "C7", ""));
  EXPECT_THAT(slack["blocks"][1]["text"]["text"].get<std::string>(), HasSubstr("\n$ make; "));
  EXPECT_THAT(slack.dump(), HasSubstr("Deny, and say why"));
  EXPECT_THAT(discord_body(asked, Controls::components, true), HasSubstr(":why"));
  const json program = json::parse(program_input(asked));
  EXPECT_EQ(program["wants"]["tool"], "Bash");
  EXPECT_EQ(program["options"][2]["grants"], "allow_always");
}

TEST(Text, ADenialIsShownAsOne) {
  ask::QuestionRecord question = test::a_question("T-local-1");
  question.state = QuestionState::answered;
  question.decision = Grant::deny;
  question.options = {{"Allow"}, {"Deny"}};
  question.answer.options = {2};
  question.answered_by = "alice via ops";
  EXPECT_EQ(message_of(question).outcome, "denied by alice via ops");
  question.answer.text = "use npm";
  EXPECT_EQ(message_of(question).outcome, "denied by alice via ops: use npm");
  EXPECT_THAT(github_comment(message_of(question)), HasSubstr("🚫"));
  question.decision = Grant::allow_session;
  question.answer = {{1}, ""};
  EXPECT_EQ(message_of(question).outcome, "allowed for this session by alice via ops");
  EXPECT_THAT(github_comment(message_of(question)), HasSubstr("✅"));
}

TEST(GithubText, EveryOptionHasAReactionOfItsOwn) {
  std::size_t option = 0;
  for (const auto* reaction :
       {"+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"})
    EXPECT_EQ(github_option(reaction), ++option) << reaction;
  EXPECT_EQ(github_option("tada"), 0U);
}

TEST(ProgramText, ReadsWhatAProgramSays) {
  const Message message = message_of(test::a_question("T-local-1"));
  const std::string& ref = message.ref;
  EXPECT_EQ(*read_program_answer(message, "2\n"), (Incoming{ref, ref, "2", false, "", ""}));
  EXPECT_EQ(*read_program_answer(message, "a\n\nb\n"),
            (Incoming{ref, ref, "a\n\nb", false, "", ""}));
  EXPECT_EQ(*read_program_answer(message, R"({"options":[1,2],"by":"al"})"),
            (Incoming{ref, ref, "1,2", false, "al", ""}));
  EXPECT_EQ(*read_program_answer(message, R"({"text":"2"})"),
            (Incoming{ref, ref, "2", true, "", ""}));
  EXPECT_EQ(read_program_answer(message, "\n"), std::nullopt);
}

}  // namespace
}  // namespace dragoman::surface
