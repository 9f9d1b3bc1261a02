// SPDX-License-Identifier: Apache-2.0
// The laws of a row, over every row.
#include "dragoman/agent/table.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "dragoman/agent/conversation.hpp"
#include "dragoman/agent/surroundings.hpp"

namespace dragoman::agent {
namespace {

// What each row can be started with.
Request request_for(const AgentRow& row) {
  Request request;
  if (row.takes_prompt) request.prompt = "Add a test";
  if (row.program.empty()) request.words = {"program", "task-1", "Make it blue"};
  return request;
}

Answered answered() {
  Answered out;
  out.asked.id = "q-1";
  out.asked.text = "Which?";
  out.asked.secret = true;
  out.answer.text = "the blue one";
  return out;
}

class EveryAgent : public testing::TestWithParam<std::string_view> {
 protected:
  const AgentRow& row_ = *find_agent(GetParam());
};

TEST_P(EveryAgent, IsComplete) {
  EXPECT_EQ(row_.name, GetParam());
  EXPECT_FALSE(row_.name.empty());
  EXPECT_FALSE(row_.title.empty());
  EXPECT_EQ(agent_of(row_.protocol).protocol, row_.protocol);
}

TEST_P(EveryAgent, HasAProgramThatCanBeInstalledOrWordsThatNameOne) {
  EXPECT_EQ(row_.program.empty(), row_.install.empty());
  EXPECT_EQ(row_.program.empty(), row_.words.least > 0);
  EXPECT_EQ(row_.words.least > 0, !row_.words.shape.empty() && !row_.words.otherwise.empty());
  EXPECT_LE(row_.words.least, row_.words.most);
  EXPECT_TRUE(row_.takes_prompt || row_.words.task_at > 0) << "nothing says what to do";
  EXPECT_LT(row_.words.task_at, std::max<std::size_t>(row_.words.least, 1));
}

TEST_P(EveryAgent, StartsWithItsProgramAndKeepsThePromptOutOfTheArguments) {
  const Request request = request_for(row_);
  EXPECT_TRUE(row_.check(request));
  const Launch started = Conversation(row_, request).begin();
  EXPECT_EQ(started.argv.at(0), row_.program.empty() ? request.words[0] : row_.program);
  EXPECT_EQ(started.stdin_then, row_.stdin_then);
  EXPECT_FALSE(started.secret);
  if (!row_.takes_prompt) return;
  EXPECT_NE(started.input.find(request.prompt), std::string::npos);
  EXPECT_EQ(std::ranges::count(started.argv, request.prompt), 0);
}

TEST_P(EveryAgent, RefusesWordsThatAreTooFew) {
  const auto checked = row_.check({});
  EXPECT_EQ(checked.operator bool(), row_.words.least == 0);
  EXPECT_EQ(checked ? std::string() : checked.error().message, row_.words.otherwise);
}

TEST_P(EveryAgent, HearsAnAnswerWithItsNextStartOrRefusesIt) {
  const std::vector<Answered> answers = {answered()};
  if (!row_.can_be_answered()) return;
  Request request = request_for(row_);
  const Launch next = make_wire(row_)->start(request, {"session-1", {}, answers});
  EXPECT_TRUE(next.secret || !request.secrets.empty());
  std::string said = next.input;
  for (const std::string& word : next.argv) said += word;
  EXPECT_NE(said.find("the blue one"), std::string::npos);
  EXPECT_EQ(said.find("session-1") != std::string::npos, row_.goes_on == GoesOn::by_session);
}

TEST_P(EveryAgent, HasSessionsIfItGoesOnWithThem) {
  EXPECT_EQ(row_.options.has(AgentOption::resume), row_.can_be_answered());
  EXPECT_EQ(row_.session_ids == SessionIds::none, !row_.can_be_answered());
  EXPECT_EQ(row_.is_session_id("01a1e0cc-1d02-7023-8251-bb6257d0d124"), row_.can_be_answered());
  EXPECT_FALSE(row_.is_session_id(""));
}

TEST_P(EveryAgent, GetsTheKeyOfItsProviderAndNoMarkOfAnotherAgent) {
  std::vector<std::string> ours;
  for (const AgentRow& other : agents()) {
    for (const std::string_view mark : other.marks) ours.push_back(std::string(mark) + "=1");
  }
  if (!row_.key.empty()) ours.push_back(std::string(row_.key) + "=secret");
  EXPECT_EQ(variables_for(row_, ours), row_.key.empty()
                                           ? std::vector<std::string>()
                                           : std::vector<std::string>{std::string(row_.key)});
}

TEST_P(EveryAgent, KnowsAllCommonModesOrNone) {
  if (row_.modes.empty()) return;
  for (const std::string_view word : kModes) {
    const Mode* const mode = row_.find_mode(word);
    ASSERT_NE(mode, nullptr) << word;
    EXPECT_FALSE(mode->shown.empty()) << word;
    Request request = request_for(row_);
    request.sandbox = mode->sandbox;
    request.permission_mode = mode->permission_mode;
    request.words.assign(mode->words.begin(), mode->words.end());
    EXPECT_TRUE(row_.check(request)) << word;
    const bool says = !mode->sandbox.empty() || !mode->permission_mode.empty();
    EXPECT_TRUE(says) << word;
    EXPECT_TRUE(!mode->told_by_words || !mode->words.empty()) << word;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryAgent, testing::ValuesIn(agent_names()),
                         [](const auto& name) { return std::string(name.param); });

TEST(AgentTable, HasEachNameOnce) {
  std::set<std::string_view> names;
  for (const AgentRow& row : agents()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
  EXPECT_EQ(find_agent("nobody"), nullptr);
  EXPECT_EQ(find_agent(""), nullptr);
}

TEST(AgentTable, HasTheAgentsThatAreMeantWhereNoneIsNamed) {
  for (const std::string_view name : {kUsualAgent, kDelegatedAgent}) {
    ASSERT_NE(find_agent(name), nullptr) << name;
    EXPECT_TRUE(find_agent(name)->check({})) << name;
  }
  ASSERT_NE(find_agent(kProgramAgent), nullptr);
  EXPECT_TRUE(find_agent(kProgramAgent)->any_program);
}

TEST(AgentTable, PutsTheUsualOneBeforeTheOthers) {
  const auto names = agent_names(kDelegatedAgent);
  EXPECT_EQ(names.size(), agents().size());
  EXPECT_EQ(names.front(), kDelegatedAgent);
  const auto takes = [](const AgentRow& row) { return row.options.has(AgentOption::sandbox); };
  for (const std::string_view name : agent_names({}, takes)) EXPECT_TRUE(takes(*find_agent(name)));
}

}  // namespace
}  // namespace dragoman::agent
