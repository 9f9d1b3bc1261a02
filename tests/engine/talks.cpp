// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nlohmann/json.hpp>

#include "tests/engine/says.hpp"
#include "tests/engine/talk.hpp"
#include "tests/support/files.hpp"

namespace dragoman::test {
namespace {

using agent::Protocol;
using Json = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size() - 1);
    out.push_back(text.substr(from, end + 1 - from));
    from = end + 1;
  }
  return out;
}

std::string capture(std::string_view name) {
  return read_file(source_dir() / "tests/data/captures" / name);
}

// What the person at the other end had answered, as it would be typed.
std::string typed(const Json& response) {
  if (response["behavior"] == "deny") return "no: " + response["message"].get<std::string>();
  const Json& input = response["updatedInput"];
  return input.contains("answers") ? input["answers"].begin()->get<std::string>() : "Allow";
}

// The bytes of both directions: those to the agent are put where it asks for them.
Talk recorded_claude(const std::string& name) {
  Talk talk{name, Protocol::claude, {}, {}, true, true, {}};
  std::map<std::string, std::string> answers;
  for (const std::string& line : lines_of(capture("claude/" + name + ".stdin"))) {
    Json said = Json::parse(line);
    if (said["type"] == "user" && talk.prompt.empty())
      talk.prompt = said["message"]["content"][0]["text"];
    if (said["type"] == "control_response")
      answers[said["response"]["request_id"]] = typed(said["response"]["response"]);
    if (said["type"] == "control_response" || said["request"]["subtype"] == "interrupt")
      talk.heard.push_back(line);
  }
  Says says;
  std::size_t asked = 0;
  for (const std::string& line : lines_of(capture("claude/" + name + ".jsonl"))) {
    Json said = Json::parse(line);
    if (said["type"] == "control_response" && said["response"]["request_id"] == "int-1") {
      talk.steps.emplace_back(std::exchange(says, {}));
      talk.steps.emplace_back(Interrupts{});
    }
    says.bytes += line;
    if (said["type"] != "control_request") continue;
    talk.steps.emplace_back(std::exchange(says, {}));
    talk.steps.emplace_back(Answers{asked++, answers.at(said["request_id"])});
  }
  talk.steps.emplace_back(std::move(says));
  talk.steps.emplace_back(Ends{});
  return talk;
}

Talk claude(std::string name, std::vector<Step> steps, bool patient = true) {
  return {std::move(name), Protocol::claude, "go", std::move(steps), false, patient};
}

std::vector<Talk> made_up_claude_talks() {
  using namespace says;
  const std::string two = questions("Which?", "How?");
  return {
      claude("permission", {Says{init() + asks_leave("r1", "t1")}, Answers{0, "1"},
                            Says{tool_done("t1") + result()}, Ends{}}),
      claude("two at once", {Says{init() + asks_leave("r1", "t1") + asks_leave("r2", "t2")},
                             Answers{1, "no, because"}, Answers{0, "Allow"},
                             Says{tool_done("t1") + tool_done("t2") + result()}, Ends{}}),
      claude("questions told of twice",
             {Says{init() + call("t1", "AskUserQuestion", two) + ask_user("r1", "t1", two)},
              Answers{0, "A"}, Answers{1, "2"}, Says{answered("t1", {"Which?", "How?"}) + result()},
              Ends{}}),
      claude("passed over in spite of the answer",
             {Says{init() + ask_user("r1", "t1", two)}, Answers{0, "A"}, Answers{1, "2"},
              Says{tool_done("t1", true) + result()}, Ends{}, Answers{2, "A"}, Answers{3, "2"}}),
      claude("the same call asks again",
             {Says{init() + asks_leave("r1", "t1")}, Answers{0, "1"},
              Says{tool_done("t1") + asks_leave("r2", "t1")}, Answers{1, "2"},
              Says{tool_done("t1") + ask_user("r3", "t2", two)}, Answers{2, "1"}, Answers{3, "1"},
              Says{answered("t2", {"Which?", "How?"}) + ask_user("r4", "t2", two)}, Answers{4, "2"},
              Answers{5, "2"}, Says{result()}, Ends{}}),
      claude("withdrawn",
             {Says{init() + asks_leave("r1", "t1")}, Says{cancel("r1")},
              Says{asks_leave("r2", "t2")}, Says{tool_done("t2")}, Says{ask_user("r3", "t3", two)},
              Says{tool_done("t3", true)}, Says{result()}, Ends{}, Answers{2, "A"}, Answers{3, "B"},
              Says{init() + result()}, Ends{}},
             false),
      claude("hooks", {Says{init() + control("\"h1\"", R"({"subtype":"hook_callback"})") +
                            asks_leave("r1", "t1") + control("7", "{}")},
                       Answers{0, "1"}, Says{control("null", "[]") + result()}, Ends{}}),
      claude("asks in its text",
             {Says{init() + comment_question("Which?") + result()}, Ends{}, Answers{0, "this"},
              Says{init() + comment_question("Which?")}, Says{result()}, Ends{}, Answers{1, "that"},
              Says{init() + result()}, Ends{}}),
      claude("dies while it asks",
             {Says{init() + asks_leave("r1", "t1")}, Ends{}, Answers{0, "1"},
              Says{init() + asks_leave("r1", "t1")}, Answers{1, "1"}, Says{result()}, Ends{}},
             false),
      claude("broken lines", {Says{init() + "{\"type\":\"control_request\",\n" + "\n\xff\n" +
                                   asks_leave("r1", "t1") + "{\"type\":\"control_req"},
                              Answers{0, "1"}, Ends{}}),
  };
}

}  // namespace

std::vector<Talk> recorded_claude_talks() {
  std::vector<Talk> out;
  for (const char* const name :
       {"control-ask", "control-initialize", "control-interrupt", "control-permission-interrupt"})
    out.push_back(recorded_claude(name));
  return out;
}

std::vector<Talk> talks() {
  std::vector<Talk> out = recorded_claude_talks();
  std::ranges::move(made_up_claude_talks(), std::back_inserter(out));
  const auto add = [&out](std::string name, Protocol protocol, std::vector<Step> steps) {
    out.push_back({std::move(name), protocol, "go", std::move(steps)});
  };
  for (const char* const name : {"question", "freetext"}) {
    const std::string asks = capture("codex/" + std::string(name) + ".jsonl");
    add(name, Protocol::codex_exec,
        {Says{asks}, Ends{}, Answers{0, "JWT"}, Says{asks}, Ends{}, Answers{1, "OAuth2"},
         Says{capture("codex/command.jsonl")}, Ends{}});
  }
  add("two questions", Protocol::codex_exec,
      {Says{says::thread() + says::message("[QUESTION] Which?\\n1. a\\n2. b") +
            says::message("[BLOCKED] no key") + says::turn()},
       Ends{}, Answers{1, "here"}, Answers{0, "2"}, Says{says::thread() + says::turn()}, Ends{}});
  add("no thread", Protocol::codex_exec,
      {Says{says::message("[QUESTION] Which?")}, Ends{}, Answers{0, "a"}});
  const std::string again = "[QUESTION] Which?\n1. a\n2. b\n";
  add("again and again", Protocol::executor,
      {Says{"so\n" + again}, Ends{}, Answers{0, "1"}, Says{again}, Ends{}, Answers{1, "2"},
       Says{again + "[BLOCKED] no key\n"}, Ends{}, Answers{3, "here"}, Answers{2, "b"},
       Says{"[CODEX_COMPLETE] Task completed\n"}, Ends{}});
  for (const char* const name :
       {"markers/023_question_with_options_out_of_order",
        "markers/038_question_text_behind_options", "question/007_several_in_one"}) {
    const std::string input = read_file(source_dir() / "tests/golden" / name / "input");
    add(name, Protocol::executor, {Says{input}, Ends{}, Answers{0, "1"}, Says{input}, Ends{}});
    add(name, Protocol::command, {Says{input}, Ends{}, Answers{0, "1"}});
  }
  return out;
}

}  // namespace dragoman::test
