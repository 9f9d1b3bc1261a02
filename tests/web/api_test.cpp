// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "dragoman/agent/table.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/web/embedded.hpp"
#include "tests/support/eventually.hpp"
#include "tests/web/served.hpp"

namespace dragoman::web::test {
namespace {

using nlohmann::json;

class ApiOf : public Served {};

TEST_F(ApiOf, RunsComeNewestFirstAndPageByPage) {
  std::vector<std::string> ids;
  for (int i = 0; i < 25; ++i) ids.push_back(add_task(fmt::format("task {}", i), "completed"));
  std::vector<std::string> seen;
  std::string before;
  for (int page = 0; page < 10; ++page) {
    const json answer = get("/api/v1/runs?limit=10" + before);
    for (const auto& run : answer["runs"]) seen.push_back(run["id"]);
    if (answer["next"].is_null()) break;
    before = "&before=" + answer["next"].get<std::string>();
  }
  EXPECT_EQ(seen.size(), ids.size());
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()),
            std::set<std::string>(ids.begin(), ids.end()));
  EXPECT_EQ(get("/api/v1/runs")["counts"]["completed"], 25);
}

TEST_F(ApiOf, AWaitingRunSaysForWhat) {
  const std::string id = add_task("limit the rate");
  add_task("another");
  add_question(id);
  const json answer = get("/api/v1/runs?state=waiting");
  ASSERT_EQ(answer["runs"].size(), 1U);
  const json& run = answer["runs"][0];
  EXPECT_EQ(run["id"], id);
  EXPECT_EQ(run["title"], "limit the rate");
  EXPECT_EQ(run["state"], "waiting");
  EXPECT_EQ(run["waiting_for"], "Where to?");
  EXPECT_EQ(run["open_questions"], 1);
  EXPECT_EQ(answer["counts"]["waiting"], 1);
  EXPECT_EQ(answer["counts"]["working"], 1);
}

TEST_F(ApiOf, ARunHasItsVerdictAndUsage) {
  const std::string id = add_task("x", "completed");
  ASSERT_TRUE(write_one(
      *log_,
      Append{
          task::event_stream(id),
          {R"({"seq":1,"kind":"usage","data":{"input_tokens":5,"output_tokens":7,"cost_usd":0.25,"scope":"turn","final":true}})",
           R"({"seq":2,"kind":"finished","data":{"verdict":"completed","reasons":["turn_ok"],"exit_code":0}})"},
          {}}));
  const json run = get("/api/v1/runs/" + id);
  EXPECT_EQ(run["verdict"], json::parse(R"({"state":"completed","reasons":["turn_ok"]})"));
  EXPECT_EQ(run["usage"]["cost_usd"], 0.25);
  EXPECT_EQ(run["cost_usd"], 0.25);
  EXPECT_EQ(run["usage"]["output_tokens"], 7);
  EXPECT_EQ(
      run["usage"]["curve"],
      json::parse(R"([{"seq":1,"at":null,"input_tokens":5,"output_tokens":7,"cost_usd":0.25}])"));
  EXPECT_EQ(ask("GET", "/api/v1/runs/T-local-none").status, 404);
  EXPECT_EQ(ask("GET", "/api/v1/runs/x'%20OR%201=1;--").status, 404);
}

// A page that has read the end of a long run only knows where its curve begins.
TEST_F(ApiOf, ARunHasTheWholeCurveOfItsUsage) {
  const std::string id = add_task("x", "working");
  const auto report = [&](int from, int to) {
    std::vector<std::string> lines;
    for (int i = from; i <= to; ++i) {
      lines.push_back(fmt::format(
          R"({{"ts":"2026-01-01T00:00:00.{:03}Z","kind":"usage","data":{{"output_tokens":10,"scope":"message","message_id":"m{}"}}}})",
          i, i));
    }
    ASSERT_TRUE(write_one(*log_, Append{task::event_stream(id), lines, {}}));
  };
  const auto curve = [&] { return get("/api/v1/runs/" + id)["usage"]["curve"]; };
  report(1, 300);
  const json first = curve();
  EXPECT_LE(first.size(), 129U);
  EXPECT_EQ(first.front()["output_tokens"], 10);
  EXPECT_EQ(first.back(), json::parse(R"({"seq":300,"at":1767225600300,"input_tokens":0,)"
                                      R"("output_tokens":3000,"cost_usd":null})"));
  for (const auto& point : first)
    EXPECT_EQ(point["output_tokens"], 10 * point["seq"].get<int>()) << point;
  report(301, 301);  // it goes on where it ended
  EXPECT_EQ(curve().back()["output_tokens"], 3010);
}

TEST_F(ApiOf, EventsComeInWindows) {
  const std::string id = add_task();
  add_events(id, 1000);
  const auto window = [&](const std::string& query) {
    const json answer = get("/api/v1/runs/" + id + "/events" + query);
    EXPECT_EQ(answer["last"], 1000);
    const auto& events = answer["events"];
    if (events.empty()) return std::string("none");
    return fmt::format("{}-{}", events.front()["seq"].get<int>(), events.back()["seq"].get<int>());
  };
  EXPECT_EQ(window(""), "1-500");
  EXPECT_EQ(window("?from=990"), "990-1000");
  EXPECT_EQ(window("?before=1001&limit=10"), "991-1000");
  EXPECT_EQ(window("?before=6&limit=10"), "1-5");
  EXPECT_EQ(window("?before=99999&limit=10"), "991-1000");
  EXPECT_EQ(window("?before=1&limit=10"), "none");
  EXPECT_EQ(window("?from=2000"), "none");
  EXPECT_EQ(ask("GET", "/api/v1/runs/" + id + "/events?from=x").status, 422);
}

TEST_F(ApiOf, WindowsOfLargeEventsAreShorter) {
  const std::string id = add_task();
  add_large_events(id, 5, 1'500'000);
  const auto window = [&](const std::string& query) {
    const RawResponse answer = ask("GET", "/api/v1/runs/" + id + "/events" + query);
    EXPECT_LT(answer.body.size(), 6'000'000U) << query;
    const json parsed = json::parse(answer.body);
    std::string numbers;
    for (const auto& event : parsed["events"]) numbers += std::to_string(event["seq"].get<int>());
    return numbers;
  };
  EXPECT_EQ(window("?from=1"), "123");
  EXPECT_EQ(window("?from=4"), "45");
  EXPECT_EQ(window("?before=6"), "45") << "the newest ones";
  EXPECT_EQ(window("?before=4"), "23");
  EXPECT_EQ(window("?before=2"), "1");
}

TEST_F(ApiOf, ARunWithLargeEventsHasItsVerdictAndCost) {
  const std::string id = add_task("x", "completed");
  add_large_events(id, 4, 3'000'000);
  ASSERT_TRUE(write_one(
      *log_,
      Append{
          task::event_stream(id),
          {R"({"seq":1,"kind":"usage","data":{"cost_usd":0.25,"scope":"turn","final":true}})",
           R"({"seq":2,"kind":"finished","data":{"verdict":"completed","reasons":["turn_ok"],"exit_code":0}})"},
          {}}));
  const json run = get("/api/v1/runs/" + id);
  EXPECT_EQ(run["verdict"], json::parse(R"({"state":"completed","reasons":["turn_ok"]})"));
  EXPECT_EQ(run["usage"]["cost_usd"], 0.25);
  EXPECT_EQ(run["cost_usd"], 0.25);
}

TEST_F(ApiOf, AnAddressTakesEveryNameOfARun) {
  const std::string id = add_task("x", "completed");
  add_events(id, 3);
  for (const std::string& word : {id, task_id_of(id), id.substr(0, 9), std::string("last")}) {
    EXPECT_EQ(get("/api/v1/runs/" + word)["id"], id) << word;
    EXPECT_EQ(get("/api/v1/runs/" + word + "/events")["last"], 3U) << word;
  }
}

TEST_F(ApiOf, AQuestionIsAnsweredOnce) {
  const std::string key = add_question(add_task());
  std::string target = "/api/v1/questions/" + key + "/answer";
  target.replace(target.find('/', 20), 1, "%2F");
  EXPECT_EQ(get("/api/v1/questions")["questions"].size(), 1U);
  EXPECT_EQ(ask("POST", target, "", R"({"choices":[9]})").status, 422);
  EXPECT_EQ(ask("POST", target, "", R"({})").status, 422);
  EXPECT_EQ(ask("POST", target, "", R"({"choices":[1],"answer":"x"})").status, 422);
  const RawResponse first = ask("POST", target, "", R"({"choices":[2]})");
  EXPECT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(json::parse(first.body)["question"]["answer"], "Memory");
  const json second = json::parse(ask("POST", target, "", R"({"answer":"Redis"})").body);
  EXPECT_EQ(second["accepted"], false);
  EXPECT_EQ(second["question"]["answer"], "Memory");
  EXPECT_TRUE(get("/api/v1/questions")["questions"].empty());
  EXPECT_EQ(ask("POST", "/api/v1/questions/none/answer", "", R"({"answer":"x"})").status, 404);
}

TEST_F(ApiOf, APermissionShowsItsCommandAndIsDecidedInWords) {
  const std::string id = add_task();
  ask::QuestionRecord question;
  question.task_id = id;
  question.id = "p";
  question.kind = QuestionKind::approval;
  question.source = QuestionSource::permission;
  question.text = "Allow Bash: make?";
  question.options = {{"Allow", "", Grant::allow_once}, {"Deny", "", Grant::deny}};
  question.free_text = true;
  question.wants = KeptWants::read(R"({"tool":"Bash","command":"make"})");
  ASSERT_TRUE(service_->desk().open(question));
  const json shown = get("/api/v1/questions")["questions"].at(0);
  EXPECT_EQ(shown["wants"], json::parse(R"({"tool":"Bash","command":"make"})"));
  EXPECT_EQ(shown["options"][1]["grants"], "deny");
  EXPECT_EQ(shown["decision"], nullptr);
  const auto answered = [&](const std::string& body) {
    return ask("POST", "/api/v1/questions/" + id + "%2Fp/answer", "", body);
  };
  for (const char* body : {R"({"answer":"\u001b[B"})", R"({"answer":"y\u009b"})",
                           R"({"answer":"\u007f","literal":true})", R"({"answer":"sure"})",
                           R"({"answer":"y","literal":true})"}) {
    const RawResponse refused = answered(body);
    EXPECT_EQ(refused.status, 422) << body;
    EXPECT_NE(refused.body.find("answer with y, n, 1 to 2"), std::string::npos) << refused.body;
  }
  const json done = json::parse(answered(R"({"answer":"no: use npm"})").body)["question"];
  EXPECT_EQ(done["decision"], "deny");
  EXPECT_EQ(done["answer"], "use npm");
}

TEST_F(ApiOf, AChoiceIsNeverTakenForWords) {
  const std::string id = add_task();
  ask::QuestionRecord question;
  question.task_id = id;
  question.id = "words";
  question.text = "What name?";
  question.free_text = true;
  ASSERT_TRUE(service_->desk().open(question));
  question.id = "both";
  question.options = {{"Redis"}, {"Memory"}};
  ASSERT_TRUE(service_->desk().open(question));
  const auto answered = [&](const std::string& which, const std::string& body) {
    return ask("POST", "/api/v1/questions/" + id + "%2F" + which + "/answer", "", body).status;
  };
  for (const char* body : {R"({"choices":[-1]})", R"({"choices":[0]})", R"({"choices":[3]})",
                           R"({"choices":[1.5]})", R"({"answer":"-1"})"})
    EXPECT_EQ(answered("both", body), 422) << body;
  EXPECT_EQ(answered("words", R"({"choices":[1]})"), 422);
  EXPECT_EQ(get("/api/v1/questions")["questions"].size(), 2U);
  EXPECT_EQ(answered("both", R"({"answer":"-1","literal":true})"), 200);
}

TEST_F(ApiOf, ATaskIsSubmittedAndCancelled) {
  const RawResponse made =
      ask("POST", "/api/v1/tasks", "", R"({"task":"hello","agent":"claude","working_dir":"/tmp"})");
  ASSERT_EQ(made.status, 202) << made.body;
  const json run = json::parse(made.body)["run"];
  EXPECT_EQ(run["state"], "queued");
  const std::string id = run["id"];
  const RawResponse gone = ask("POST", "/api/v1/runs/" + id + "/cancel", "", R"({"reason":"no"})");
  EXPECT_EQ(gone.status, 200) << gone.body;
  EXPECT_EQ(json::parse(gone.body)["state"], "cancelled");
}

TEST_F(ApiOf, AThreadGoesOnAsItWasOrAsItIsSaid) {
  task::Task asked;
  asked.text = "git rebase main";
  asked.agent = "codex";
  asked.working_dir = "/";
  asked.model = "small";
  asked.mode = "read-only";
  asked.allow_destructive_git = true;
  const auto parent = service_->submit(asked);
  ASSERT_TRUE(parent) << parent.error().message;
  const std::string thread = "0199a213-81c0-7800-8aa1-bbab2a035a53";
  ASSERT_TRUE(task::change_task(*log_, parent->task.id, [&](task::Task& task) {
    task.thread_id = thread;
    task.state = "completed";
    return true;
  }));
  const auto resume = [&](json body) { return ask("POST", "/api/v1/tasks", "", body.dump()); };
  for (const std::string& id : {parent->task.id, thread}) {
    const RawResponse same = resume({{"task", "go on"}, {"resume", id}});
    ASSERT_EQ(same.status, 202) << same.body;
    const auto task = service_->get(json::parse(same.body)["run"]["id"].get<std::string>());
    ASSERT_TRUE(task);
    EXPECT_EQ(task->resume, thread);
    EXPECT_EQ(task->parent, parent->task.id);
    EXPECT_EQ(task->agent + task->working_dir + task->model + task->mode, "codex/smallread-only");
    EXPECT_FALSE(task->allow_destructive_git);
    const RawResponse other = resume({{"task", "git commit --amend"},
                                      {"resume", id},
                                      {"agent", "codex"},
                                      {"working_dir", "/tmp"},
                                      {"model", "large"},
                                      {"mode", "workspace-write"},
                                      {"allow_destructive_git", true}});
    ASSERT_EQ(other.status, 202) << other.body;
    const auto changed = service_->get(json::parse(other.body)["run"]["id"].get<std::string>());
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->working_dir + changed->model + changed->mode, "/tmplargeworkspace-write");
    EXPECT_TRUE(changed->allow_destructive_git);
    EXPECT_EQ(resume({{"task", "git commit --amend"}, {"resume", id}}).status, 422);
    EXPECT_EQ(resume({{"task", "x"}, {"resume", id}, {"agent", "claude"}}).status, 422);
  }
  EXPECT_EQ(resume({{"task", "x"}, {"resume", "--last"}}).status, 422);
}

TEST_F(ApiOf, AgentsAndTheirModesAreThoseOfTheTable) {
  const json info = get("/api/v1/info");
  EXPECT_EQ(info["usual_agent"], agent::kDelegatedAgent);
  EXPECT_EQ(info["agents"].size(), info["modes"].size());
  for (const std::string name : info["agents"]) {
    const agent::AgentRow* const row = agent::find_agent(name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_TRUE(row->check({})) << name;
    json modes = json::array();
    for (const std::string_view word : agent::kSandboxes) {
      if (const auto* const mode = row->find_mode(word))
        modes.push_back({{"value", word}, {"words", mode->shown}});
    }
    EXPECT_EQ(info["modes"][name], modes);
  }
}

TEST_F(ApiOf, ATaskWithoutADirectoryIsDoneWhereTheServerRuns) {
  stop();
  options_.api.working_dir = directory_.path().string();
  start();
  const RawResponse made = ask("POST", "/api/v1/tasks", "", R"({"task":"hello"})");
  ASSERT_EQ(made.status, 202) << made.body;
  EXPECT_EQ(json::parse(made.body)["run"]["working_dir"],
            std::filesystem::canonical(directory_.path()).string());
}

TEST_F(ApiOf, AModeMeansToClaudeWhatItMeansOverMcp) {
  const auto submitted = [this](std::string_view agent, std::string_view mode) {
    const RawResponse made =
        ask("POST", "/api/v1/tasks", "",
            fmt::format(R"({{"task":"x","agent":"{}","working_dir":"/tmp","mode":"{}"}})", agent,
                        mode));
    EXPECT_EQ(made.status, 202) << made.body;
    const auto task = service_->get(json::parse(made.body)["run"]["id"].get<std::string>());
    EXPECT_TRUE(task);
    // Whoever does it again finds the mode that was said.
    const json shown = get("/api/v1/runs/" + task->id)["mode"];
    EXPECT_EQ(shown.is_null() ? "" : shown.get<std::string>(), mode);
    return fmt::format("{}|{}|{}", task->mode, task->permission_mode, task->words.size());
  };
  EXPECT_EQ(submitted("codex", "read-only"), "read-only||0");
  EXPECT_EQ(submitted("codex", ""), "||0");
  EXPECT_EQ(submitted("claude", "read-only"), "|default|2");
  EXPECT_EQ(submitted("claude", "workspace-write"), "|acceptEdits|0");
  EXPECT_EQ(submitted("claude", "danger-full-access"), "|bypassPermissions|0");
}

TEST_F(ApiOf, WhatIsNoTaskIsRefusedWithAReason) {
  for (const char* body :
       {"", "{", "[]", "null", "{}", R"({"task":""})", R"({"task":5})", R"({"task":"x","cmd":"y"})",
        R"({"task":"x","agent":"/bin/sh"})", R"({"task":"x","agent":"foo","working_dir":"/tmp"})",
        R"({"task":"x","agent":"command","working_dir":"/tmp"})",
        R"({"task":"x","agent":"executor","working_dir":"/tmp"})",
        R"({"task":"x","agent":"claude","working_dir":"/tmp","model":"--settings={}"})",
        R"({"task":"x","agent":"claude","working_dir":"/tmp","mode":"--yolo"})",
        R"({"task":"x","agent":"codex","working_dir":"/tmp","mode":"preview"})",
        R"({"task":"x","agent":"codex","working_dir":"/tmp/../tmp"})",
        R"({"task":"x","allow_destructive_git":"yes"})",
        R"({"task":"git push --force","agent":"codex","working_dir":"/tmp"})"}) {
    const RawResponse response = ask("POST", "/api/v1/tasks", "", body);
    EXPECT_EQ(response.status, 422) << body << response.body;
    EXPECT_FALSE(json::parse(response.body)["error"]["message"].get<std::string>().empty());
  }
  EXPECT_TRUE(get("/api/v1/runs")["runs"].empty());
}

TEST_F(ApiOf, RawBytesAreTextAndNothingElse) {
  const std::string id = add_task();
  const auto recording = directory_.path() / "recording";
  std::filesystem::create_directories(recording);
  dragoman::test::write_file(recording / "stdout", "<script>alert(1)</script>");
  ASSERT_TRUE(task::change_task(*log_, id, [&](task::Task& task) {
    task.recording = recording;
    return true;
  }));
  const std::string target = "/api/v1/runs/" + id + "/raw";
  const RawResponse raw = ask("GET", target + "?offset=8&length=5");
  EXPECT_EQ(raw.body, "alert");
  EXPECT_EQ(raw.fields.at("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(raw.fields.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(raw.fields.at("x-total-size"), "25");
  EXPECT_EQ(ask("GET", target + "?stream=stderr").status, 404);
  EXPECT_EQ(ask("GET", target + "?stream=../token").status, 422);
  EXPECT_EQ(ask("GET", "/api/v1/runs/" + add_task() + "/raw").status, 404);
  std::filesystem::rename(recording, directory_.path() / "elsewhere");
  std::filesystem::create_directory_symlink(directory_.path() / "elsewhere", recording);
  EXPECT_EQ(ask("GET", target).status, 404);
}

TEST_F(ApiOf, ACaptureIsParsed) {
  const std::string capture =
      dragoman::test::read_file(dragoman::test::source_dir() / "examples/sample.md");
  const RawResponse response = ask("POST", "/api/v1/parse?dialect=auto",
                                   "Content-Type: application/octet-stream\r\n", capture);
  ASSERT_EQ(response.status, 200);
  const json parsed = json::parse(response.body);
  EXPECT_EQ(parsed["dialect"], "wxcode");
  EXPECT_GT(parsed["events"].size(), 10U);
  EXPECT_EQ(parsed["events"][0]["seq"], 1);
  EXPECT_EQ(parsed["stats"]["bytes"], capture.size());
  EXPECT_EQ(parsed["verdict"]["state"].is_string(), true);
  EXPECT_EQ(ask("POST", "/api/v1/parse?dialect=none", "", "x").status, 422);
}

TEST_F(ApiOf, SearchFindsWhatAgentsSaid) {
  const std::string id = add_task();
  ASSERT_TRUE(write_one(
      *log_,
      Append{task::event_stream(id),
             {R"({"seq":1,"kind":"display_text","data":{"text":"nothing"}})",
              R"({"seq":2,"kind":"display_text","data":{"text":"the zebra ate <b>it</b>"}})"},
             {}}));
  const json hits = get("/api/v1/search?q=zebra")["hits"];
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(hits[0]["run"]["id"], id);
  EXPECT_EQ(hits[0]["seq"], 2);
  EXPECT_NE(hits[0]["excerpt"].get<std::string>().find("zebra ate <b>"), std::string::npos);
  EXPECT_TRUE(get("/api/v1/search?q=%22%3B--")["hits"].empty());
}

TEST_F(ApiOf, ATalkativeRunDoesNotHideTheOthersFromASearch) {
  const auto say = [this](const std::string& id, const std::string& words) {
    ASSERT_TRUE(write_one(*log_, Append{task::event_stream(id),
                                        {R"({"kind":"text","data":{"text":")" + words + R"("}})"},
                                        {}}));
  };
  const std::string quiet = add_task();
  say(quiet, "one zebra");
  const std::string loud = add_task();
  for (int i = 0; i < 50; ++i) say(loud, "a zebra again");
  std::set<std::string> found;
  const json answer = get("/api/v1/search?q=zebra&limit=2");
  for (const auto& hit : answer["hits"]) found.insert(hit["run"]["id"].get<std::string>());
  EXPECT_EQ(found, (std::set<std::string>{quiet, loud}));
}

TEST_F(ApiOf, ARunIsSearchedFromItsFirstEventToItsLast) {
  const std::string id = add_task();
  add_events(id, 1500);
  ASSERT_TRUE(write_one(*log_, Append{task::event_stream(id),
                                      {R"({"kind":"text","data":{"text":"a Zebra, a zebra"}})",
                                       R"({"kind":"text","data":{"text":"zebras"}})"},
                                      {}}));
  const std::string target = "/api/v1/runs/" + id + "/search";
  EXPECT_EQ(get(target + "?q=zEBRa"), json::parse(R"({"hits":[{"seq":1501,"times":2},
    {"seq":1502,"times":1}],"last":1502,"more":false})"));
  EXPECT_EQ(get(target + "?q=zebra&limit=1")["more"], true);
  EXPECT_EQ(get(target + "?q=zebra&from=1502")["hits"].size(), 1U);
  EXPECT_EQ(get(target + "?q=zebra&from=1503"),
            json::parse(R"({"hits":[],"last":1502,"more":false})"));
  EXPECT_EQ(get(target + "?q=line")["hits"].size(), 1000U);
  for (const std::string& query :
       {std::string(), std::string("?q="), "?q=" + std::string(1001, 'x')})
    EXPECT_EQ(ask("GET", target + query).status, 422);
  EXPECT_EQ(ask("GET", "/api/v1/runs/T-local-none/search?q=x").status, 404);
}

// The document and the table of routes say the same.
TEST_F(ApiOf, TheDescriptionListsEveryRouteAndNoOther) {
  std::set<std::string> routes;
  for (const auto& route : app_->router().routes()) {
    if (route.operation.empty()) continue;
    std::string method = route.method;
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    routes.insert(fmt::format("{} {} {}", method, route.path, route.operation));
  }
  std::set<std::string> described;
  const json document = get("/api/v1/openapi.json");
  for (const auto& [path, operations] : document["paths"].items())
    for (const auto& [method, operation] : operations.items())
      described.insert(
          fmt::format("{} {} {}", method, path, operation["operationId"].get<std::string>()));
  EXPECT_EQ(described, routes);
}

// Whether `value` has the members that the document's schema requires, and no others.
void expect_shape(const json& document, const std::string& schema, const json& value) {
  std::set<std::string> wanted;
  for (const auto& name : document["components"]["schemas"][schema]["required"])
    wanted.insert(name);
  std::set<std::string> had;
  for (const auto& [name, ignored] : value.items()) had.insert(name);
  EXPECT_EQ(had, wanted) << schema;
}

TEST_F(ApiOf, WhatIsSentHasTheShapesOfTheDescription) {
  const json document = get("/api/v1/openapi.json");
  const std::string id = add_task();
  add_question(id);
  expect_shape(document, "Run", get("/api/v1/runs")["runs"][0]);
  expect_shape(document, "Question", get("/api/v1/questions")["questions"][0]);
  const json run = get("/api/v1/runs/" + id);
  for (const auto& part : document["components"]["schemas"]["RunDetail"]["allOf"])
    for (const auto& name : part.value("required", json::array()))
      EXPECT_TRUE(run.contains(name.get<std::string>())) << name;
}

TEST_F(ApiOf, HealthNeedsNoTokenAndMetricsCountWhatIsThere) {
  EXPECT_EQ(ask("GET", "/healthz", "X-Nobody: yes\r\n").body, "ok\n");
  EXPECT_EQ(ask("GET", "/readyz", "X-Nobody: yes\r\n").status, 200);
  add_task("a", "completed");
  add_task("b", "failed");
  const RawResponse metrics = ask("GET", "/metrics");
  EXPECT_EQ(metrics.fields.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const char* line :
       {"dragoman_tasks{state=\"completed\"} 1\n", "dragoman_tasks{state=\"failed\"} 1\n",
        "dragoman_questions_open 0\n", "# TYPE dragoman_task_duration_seconds histogram\n"})
    EXPECT_NE(metrics.body.find(line), std::string::npos) << line;
}

TEST_F(ApiOf, PagesAreServedWithoutTheTokenAndOnlyRead) {
  for (const char* page : {"/", "/runs/T-local-abc", "/questions", "/new", "/search", "/view"}) {
    const RawResponse response = ask("GET", page, "X-Nobody: yes\r\n");
    EXPECT_EQ(response.status, 200) << page;
    EXPECT_EQ(response.fields.at("content-type"), "text/html; charset=utf-8");
  }
  EXPECT_EQ(ask("GET", "/no-such-file.js").status, 404);
  EXPECT_EQ(ask("DELETE", "/api/v1/runs").status, 405);
}

TEST_F(ApiOf, ABrowserAtAnUnknownAddressGetsThePage) {
  if (embedded_ui().empty()) GTEST_SKIP() << "the dashboard is not built";
  const std::string browser = "X-Nobody: yes\r\nAccept: text/html,*/*;q=0.8\r\n";
  const RawResponse page = ask("GET", "/nowhere/at/all", browser);
  EXPECT_EQ(page.status, 404);
  EXPECT_EQ(page.fields.at("content-type"), "text/html; charset=utf-8");
  EXPECT_FALSE(page.body.empty());
  const std::string etag = "If-None-Match: " + page.fields.at("etag") + "\r\n";
  EXPECT_EQ(ask("GET", "/nowhere/at/all", browser + etag).status, 404);
  const RawResponse api = ask("GET", "/api/v1/nowhere", "Accept: text/html\r\n");
  EXPECT_EQ(api.status, 404);
  EXPECT_EQ(api.fields.at("content-type"), "application/json");
  EXPECT_EQ(ask("GET", "/nowhere", "X-Nobody: yes\r\n").status, 401);
}

TEST(WebAssets, AreCompressedCachedAndTyped) {
  const std::vector<EmbeddedFile> files = {{"index.html", "<html>"},
                                           {"assets/a-1f.js", "js"},
                                           {"assets/a-1f.js.br", "BR"},
                                           {"assets/a-1f.js.gz", "GZ"}};
  const Assets assets(files);
  EXPECT_FALSE(assets.has("assets/a-1f.js.br"));
  http::Request request;
  request.fields = {{"Accept-Encoding", "gzip, deflate, br"}};
  const auto best = assets.serve(request, "assets/a-1f.js");
  EXPECT_EQ(best.lasting, "BR");
  EXPECT_EQ(best.fields.find("Content-Encoding"), "br");
  EXPECT_EQ(best.fields.find("Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(best.fields.find("Cache-Control"), "public, max-age=31536000, immutable");
  request.fields = {{"Accept-Encoding", "gzip;q=1.0, br;q=0"}};
  EXPECT_EQ(assets.serve(request, "assets/a-1f.js").lasting, "GZ");
  request.fields = {};
  EXPECT_EQ(assets.serve(request, "assets/a-1f.js").lasting, "js");
  const auto page = assets.serve(request, "index.html");
  EXPECT_EQ(page.fields.find("Cache-Control"), "no-cache");
  request.fields = {{"If-None-Match", std::string(*page.fields.find("ETag"))}};
  EXPECT_EQ(assets.serve(request, "index.html").status, 304);
}

}  // namespace
}  // namespace dragoman::web::test
