// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/claude_control.hpp"

#include <gtest/gtest.h>

namespace dragoman::agent {
namespace {

constexpr std::string_view kBash =
    R"({"type":"control_request","request_id":"r-1","request":{"subtype":"can_use_tool",)"
    R"("tool_name":"Bash","input":{"command":"touch \"x\""},"tool_use_id":"t-1"}})";
const ControlRequest kRequest{.id = R"("r-1")",
                              .subtype = "can_use_tool",
                              .tool_name = "Bash",
                              .input = R"({"command":"touch \"x\""})",
                              .tool_use_id = "t-1",
                              .command = R"(touch "x")"};

TEST(ControlRequests, AreFoundHoweverTheOutputIsCut) {
  const std::string text = std::string("{\"type\":\"system\"}\n") + std::string(kBash) +
                           "\n{\"type\":\"user\",\"note\":\"control_request\"}\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    ControlWatch watch;
    std::vector<ControlRequest> found;
    const auto keep = [&](std::string_view line) {
      if (auto request = control_request_in(line)) found.push_back(*std::move(request));
    };
    watch.push(std::string_view(text).substr(0, cut), keep);
    watch.push(std::string_view(text).substr(cut), keep);
    EXPECT_EQ(found, std::vector<ControlRequest>{kRequest}) << cut;
  }
}

TEST(Echoes, AreWhatWeSaidAsClaudeRepeatsIt) {
  const std::string said = user_message("isReplay", "u-1");
  EXPECT_EQ(echo_in(said), "");
  std::string echo = said.substr(0, said.size() - 2) + R"(,"isReplay":true})";
  EXPECT_EQ(echo_in(echo), "u-1");
  for (std::size_t cut = 0; cut < echo.size(); ++cut) EXPECT_EQ(echo_in(echo.substr(0, cut)), "");
  EXPECT_EQ(echo_in(R"({"type":"assistant","uuid":"u","isReplay":true})"), "");
  EXPECT_EQ(echo_in(R"({"type":"user","uuid":7,"isReplay":true})"), "");
  EXPECT_EQ(echo_in(R"({"type":"user","uuid":"u","isReplay":"true"})"), "");
}

TEST(ControlRequests, InsideAStringAreNone) {
  EXPECT_EQ(control_request_in(R"({"type":"user","text":"\"control_request\" \"request_id\""})"),
            std::nullopt);
  EXPECT_EQ(control_request_in(std::string(kBash).substr(0, 100)), std::nullopt);
}

TEST(ControlRequests, BeyondTheCapAreNotHeld) {
  ControlWatch watch(64);
  int found = 0;
  const auto count = [&](std::string_view) { ++found; };
  watch.push(kBash, count);
  watch.push("\n", count);
  EXPECT_EQ(found, 0);
  watch.push(R"({"type":"control_request","request_id":"2","request":{}})", count);
  watch.push("\n", count);
  EXPECT_EQ(found, 1);
}

Answered answer_to(std::string text, std::vector<Choice> options, Answer answer) {
  Asked asked;
  asked.text = std::move(text);
  asked.source = QuestionSource::permission;
  asked.options = std::move(options);
  return {std::move(asked), std::move(answer)};
}

TEST(ControlResponses, CarryTheAnswersInTheToolsOwnInput) {
  const ControlRequest ask{R"("r-2")", "can_use_tool", "AskUserQuestion",
                           R"({"questions":[{"question":"A?"},{"question":"B?"}],"answers":{}})"};
  const std::vector<Answered> answers = {answer_to("A?", {{"x", ""}, {"y", ""}}, {{1, 2}, {}}),
                                         answer_to("B?", {}, {{}, "free \"words\""})};
  EXPECT_EQ(control_response(ask, answers),
            R"({"type":"control_response","response":{"subtype":"success","request_id":"r-2",)"
            R"("response":{"behavior":"allow","updatedInput":{"questions":[{"question":"A?"},)"
            R"({"question":"B?"}],"answers":{"A?":"x, y","B?":"free \"words\""}}}}})"
            "\n");
}

TEST(ControlResponses, AllowOrDeny) {
  const std::vector<Choice> options = {{"Allow", ""}, {"Deny", ""}};
  const auto response = [&](Answer answer) {
    return control_response(kRequest, std::vector{answer_to("Allow?", options, std::move(answer))});
  };
  const std::string head =
      R"({"type":"control_response","response":{"subtype":"success","request_id":"r-1","response":)";
  EXPECT_EQ(response({{1}, {}}),
            head + R"({"behavior":"allow","updatedInput":{"command":"touch \"x\""}}}})" + "\n");
  EXPECT_EQ(response({{2}, {}}),
            head + R"({"behavior":"deny","message":"The user denied this."}}})" + "\n");
  EXPECT_EQ(response({{}, "not there"}),
            head + R"({"behavior":"deny","message":"not there"}}})" + "\n");
}

// What lasts is sent back as Claude suggested it, and nothing else is.
TEST(ControlResponses, AllowForLongerWithClaudesOwnSuggestions) {
  const std::vector<Choice> options = {{"Allow", "", Grant::allow_once},
                                       {"Deny", "", Grant::deny},
                                       {"Session", "", Grant::allow_session},
                                       {"Always", "", Grant::allow_always}};
  ControlRequest request = kRequest;
  request.suggestions =
      R"([{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"localSettings"},)"
      R"({"type":"setMode","mode":"bypassPermissions","destination":"session"}])";
  const auto updates = [&](Answer answer) {
    const std::string response =
        control_response(request, std::vector{answer_to("Allow?", options, std::move(answer))});
    const std::size_t at = response.find(",\"updatedPermissions\":");
    return at == std::string::npos ? "" : response.substr(at + 22, response.size() - at - 26);
  };
  const std::string rule =
      R"([{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow")";
  EXPECT_EQ(updates({{1}, {}}), "");
  EXPECT_EQ(updates({{2}, {}}), "");
  EXPECT_EQ(updates({{3}, {}}), rule + R"(,"destination":"session"}])");
  EXPECT_EQ(updates({{4}, {}}), rule + R"(,"destination":"localSettings"}])");
}

TEST(ControlResponses, ADenialCarriesItsReason) {
  const std::vector<Choice> options = {{"Nein", "", Grant::deny}, {"Ja", "", Grant::allow_once}};
  const auto response = [&](Answer answer) {
    return control_response(kRequest, std::vector{answer_to("Allow?", options, std::move(answer))});
  };
  EXPECT_NE(response({{1}, "use npm"}).find(R"({"behavior":"deny","message":"use npm"})"),
            std::string::npos);
  EXPECT_NE(response({{2}, {}}).find(R"("behavior":"allow")"), std::string::npos);
}

TEST(ControlResponses, SayWhenARequestIsNotSupported) {
  EXPECT_EQ(error_response({R"("r-3")", "hook_callback", "", ""}, "unsupported"),
            R"({"type":"control_response","response":{"subtype":"error","request_id":"r-3",)"
            R"("error":"unsupported"}})"
            "\n");
}

}  // namespace
}  // namespace dragoman::agent
