// SPDX-License-Identifier: Apache-2.0
// The commands that print what the program knows.
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/agent/table.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

using nlohmann::json;

Ended run(std::vector<std::string> words, std::string input = {}) {
  return dragoman({.arguments = std::move(words), .input = std::move(input)});
}

TEST(Version, IsPrintedForPeopleAndForPrograms) {
  const Ended plain = run({"--version"});
  EXPECT_EQ(plain.out.substr(0, 9), "dragoman ");
  EXPECT_EQ(plain.exit_code, 0);
  const json version = json::parse(run({"--version", "--json"}).out);
  EXPECT_EQ("dragoman " + version["version"].get<std::string>() + "\n", plain.out);
}

TEST(Help, EveryCommandExplainsItselfInThreeWays) {
  const std::string list = run({"help"}).out;
  EXPECT_EQ(run({"--help"}).out, list);
  for (const std::string command : {"parse", "emit", "check", "convert", "verdict", "schema",
                                    "commands", "prompt", "completion", "doctor", "help"}) {
    EXPECT_NE(list.find("\n  " + command + " "), std::string::npos) << command;
    const Ended help = run({"help", command});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_NE(help.out.find("usage:  dragoman " + command), std::string::npos) << help.out;
    EXPECT_EQ(run({command, "--help"}).out, help.out);
    EXPECT_EQ(run({command, "-h"}).out, help.out);
  }
}

TEST(Help, UsageIsThatOfTheDocument) {
  const auto usage = [](const std::string& command) {
    const std::string help = run({"help", command}).out;
    const std::size_t begin = help.find("dragoman " + command);
    return help.substr(begin, help.find('\n', begin) - begin);
  };
  const std::string document = read_file(source_dir() / "docs/cli.md");
  for (const std::string command : {"parse", "emit", "check", "convert", "replay", "verdict"})
    EXPECT_NE(document.find("\n" + usage(command) + "\n"), std::string::npos) << usage(command);
}

TEST(Help, SaysWhatIsTakenWhenNothingIsSaid) {
  EXPECT_NE(run({"help", "emit", "next-action"})
                .out.find("how urgent, recommended unless said: required, recommended or optional"),
            std::string::npos);
}

TEST(Help, KnowsTheKindsOfEmit) {
  EXPECT_NE(run({"help", "emit", "status"}).out.find("--progress N"), std::string::npos);
  EXPECT_EQ(run({"emit", "status", "--help"}).out, run({"help", "emit", "status"}).out);
}

TEST(Schema, ListsAndPrintsWhatIsCompiledIn) {
  std::istringstream ids(run({"schema"}).out);
  std::size_t count = 0;
  for (std::string id; std::getline(ids, id); ++count) {
    EXPECT_EQ(json::parse(run({"schema", id}).out)["$id"], id);
  }
  EXPECT_GT(count, 40u);
  EXPECT_EQ(json::parse(run({"schema", "--json"}).out).size(), count);
  EXPECT_EQ(run({"schema", "event/status"}).out, run({"schema", "dragoman/event/status/v1"}).out);
}

TEST(Commands, AreTheCatalogue) {
  const json all = json::parse(run({"commands", "--json"}).out);
  EXPECT_EQ(all.size(), 44u);
  EXPECT_EQ(json::parse(run({"commands", "plan-phase", "--json"}).out)["next"],
            json::array({"execute-phase X"}));
  EXPECT_EQ(run({"commands", "/wxcode:add-todo"}).out,
            "command  /wxcode:add-todo\n"
            "title    WXCODE ▶ ADDING TODO\n"
            "status   Creating todo\n"
            "next     check-todos\n");
}

TEST(Commands, SayWhatDependsOnTheOutcome) {
  EXPECT_EQ(run({"commands", "execute-phase"}).out,
            "command  /wxcode:execute-phase\n"
            "title    WXCODE ▶ EXECUTING PHASE X\n"
            "status   Executing waves · Verifying\n"
            "next     discuss-phase X+1\n"
            "success  discuss-phase X+1 or audit-milestone (recommended)\n"
            "gaps     plan-phase X --gaps (recommended)\n");
  const json verify = json::parse(run({"commands", "verify-work", "--json"}).out);
  EXPECT_EQ(verify["next_after_gaps"], json::array({"execute-phase X --gaps-only"}));
  EXPECT_FALSE(verify.contains("next_after_success"));
}

TEST(Emit, FillsTheTitleFromTheCatalogue) {
  const Ended ended = run({"emit", "header", "--command", "plan-phase", "--args", "2"});
  EXPECT_EQ(ended.out,
            "<!-- WXCODE:HEADER:{\"command\":\"plan-phase\",\"args\":\"2\",\"title\":\"WXCODE ▶ "
            "PLANNING PHASE 2\",\"phase\":2} -->\n## WXCODE ▶ PLANNING PHASE 2\n\n");
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(Emit, TakesArgumentsWithAndWithoutTheirName) {
  EXPECT_EQ(run({"emit", "progress", "one two"}).out, "[PROGRESS] one two\n");
  EXPECT_EQ(run({"emit", "progress", "--message", "one two"}).out, "[PROGRESS] one two\n");
}

TEST(Emit, WhatIsEmittedIsReadBack) {
  const Ended marker = run({"emit", "question", "--dialect", "markers", "Which store?", "--option",
                            "SQLite - one file", "--option", "Postgres"});
  const json question = json::parse(run({"parse", "--kinds", "question"}, marker.out).out)["data"];
  EXPECT_EQ(question["text"], "Which store?");
  EXPECT_EQ(question["options"][0]["label"], "SQLite");
  EXPECT_EQ(question["options"][1]["label"], "Postgres");
}

TEST(Check, FindsErrorsAndSaysWhere) {
  const TempDir dir;
  write_file(dir.path() / "bad.md", "# A\n\n<!-- WXCODE:STATUS:{\"a\":} -->\n");
  write_file(dir.path() / "good.md", "[PROGRESS] one\n");
  const auto check = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "check");
    return dragoman({.arguments = std::move(words), .directory = dir.path()});
  };
  const Ended bad = check({"bad.md", "good.md"});
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_EQ(bad.out.substr(0, 11), "bad.md:3:1:") << bad.out;
  EXPECT_NE(bad.out.find(" in 2 files\n"), std::string::npos) << bad.out;
  EXPECT_EQ(bad.err, "");
  EXPECT_EQ(check({"good.md"}).err, "dragoman: nothing found in 1 file\n");
  const Ended good = check({"good.md", "-q"});
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(good.out, "");
  EXPECT_EQ(good.err, "");
}

TEST(Check, ReportsInEveryFormat) {
  const std::string bad = "<!-- WXCODE:STATUS:{\"a\":} -->\n";
  const Ended as_json = run({"check", "--format", "json"}, bad);
  EXPECT_TRUE(json::accept(as_json.out)) << as_json.out;
  const Ended sarif = run({"check", "--format", "sarif"}, bad);
  EXPECT_EQ(json::parse(sarif.out).value("version", ""), "2.1.0");
  EXPECT_EQ(run({"check", "--format", "github"}, bad).out.substr(0, 8), "::error ");
  for (const Ended& ended : {as_json, sarif}) EXPECT_EQ(ended.exit_code, 3);
}

TEST(Check, StrictRaisesTheRulesAboutForm) {
  EXPECT_EQ(run({"check"}, "  [PROGRESS] x\n").exit_code, 0);
  EXPECT_EQ(run({"check", "--mode", "strict"}, "  [PROGRESS] x\n").exit_code, 3);
}

TEST(Convert, RewritesAndCountsWhatHasNoWords) {
  const std::string text = "[PROGRESS] one\n[TEST_RESULTS] passed=4\n";
  const Ended same = run({"convert", "--to", "markers"}, text);
  EXPECT_FALSE(run({"parse", "--kinds", "status,test_results"}, same.out).out.empty());
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_EQ(same.err, "");
  const Ended other = run({"convert", "--to", "wxcode"}, text);
  EXPECT_EQ(other.err, "dragoman: wxcode has no words for 1 event: test_results 1\n");
  EXPECT_EQ(run({"convert", "--to", "wxcode", "-q"}, text).err, "");
  EXPECT_NE(other.out.find("WXCODE:STATUS"), std::string::npos);
}

TEST(Convert, TellsTheVerdictWhenItKnowsTheExitCode) {
  const std::string text = "[PROGRESS] one\n[CODEX_COMPLETE] Task completed in 2 iterations\n";
  const auto state = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"convert", "--to", "delegator", "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const json envelope = json::parse(run(arguments, text).out);
    return envelope["data"].value("state", "") + ": " + envelope["data"].value("summary", "");
  };
  EXPECT_EQ(state({}), "failed: Task failed: nothing says how the run ended");
  EXPECT_EQ(state({"--exit-code", "0"}).substr(0, 10), "completed:");
  EXPECT_EQ(state({"--exit-code", "1"}).substr(0, 7), "failed:");
  const Ended wrong = run({"convert", "--to", "delegator", "--exit-code", "x"}, text);
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("convert: --exit-code: 'x' is not a number from 0 to 255"),
            std::string::npos);
}

TEST(Convert, SaysWhatWasNotWritten) {
  EXPECT_EQ(run({"convert", "--to", "wxcode"}, "[PROGRESS]\n").err,
            "dragoman: warning: 1 event was not written: line 1: STATUS: the message is empty\n");
  EXPECT_EQ(run({"convert", "--to", "wxcode"}, "x\n[PROGRESS]\n[PROGRESS]\n").err,
            "dragoman: warning: 2 events were not written; the first, line 2: STATUS: the message "
            "is empty\n");
}

TEST(Convert, AnEmptyInputGivesAnEmptyOutput) {
  for (const std::string target : {"wxcode", "markers", "question"}) {
    const Ended ended = run({"convert", "--to", target});
    EXPECT_EQ(ended.out, "") << target;
    EXPECT_EQ(ended.exit_code, 0) << target;
  }
}

TEST(Prompt, IsPrintedForEachDialectAndAsJson) {
  for (const std::string dialect : {"markers", "question", "wxcode"}) {
    const Ended ended = run({"prompt", dialect});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_NE(ended.out.find("```"), std::string::npos) << dialect;
    const json as_json = json::parse(run({"prompt", dialect, "--json"}).out);
    EXPECT_EQ(as_json.value("dialect", ""), dialect);
    EXPECT_NE(ended.out.find(as_json.value("prompt", "none")), std::string::npos);
  }
}

TEST(Emit, TitleAndPhaseOfAHeaderAgree) {
  const auto header = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"emit", "header", "execute-phase"});
    const std::string out = run(words).out;
    return out.substr(0, out.find('\n'));
  };
  const auto expected = [](const std::string& args, const std::string& phase) {
    return "<!-- WXCODE:HEADER:{\"command\":\"execute-phase\",\"args\":\"" + args +
           "\",\"title\":\"WXCODE ▶ EXECUTING PHASE " + phase + "\",\"phase\":" + phase + "} -->";
  };
  EXPECT_EQ(header({"--phase", "4"}), expected("", "4"));
  EXPECT_EQ(header({"--args", "3", "--phase", "4"}), expected("3", "4"));
  EXPECT_EQ(header({"--args", "03"}), expected("03", "3"));
  EXPECT_EQ(header({"--args", "--gaps 02.1"}), expected("--gaps 02.1", "2.1"));
}

TEST(Emit, TakesACommandWithItsPrefix) {
  EXPECT_EQ(run({"emit", "header", "/wxcode:help"}).out, run({"emit", "header", "help"}).out);
  EXPECT_EQ(run({"emit", "next-action", "/wxcode:plan-phase"}).out,
            run({"emit", "next-action", "plan-phase"}).out);
  EXPECT_EQ(run({"emit", "next-action", "--after", "wxcode:plan-phase", "--after-args", "02"}).out,
            run({"emit", "next-action", "--after", "plan-phase", "--after-args", "2"}).out);
}

TEST(Emit, TakesTheOtherSuggestionBehindACommandToo) {
  const Ended ended = run({"emit", "next-action", "audit-milestone", "--after", "execute-phase",
                           "--outcome", "success"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(run({"emit", "next-action", "audit-milestone", "--after", "execute-phase",
                 "--after-args", "2"})
                .out,
            ended.out);
}

TEST(Check, SaysWhatTheInputWasWhenAsked) {
  EXPECT_EQ(run({"check", "-v"}, "x\n").err,
            "dragoman: stdin: text, 2 bytes, 1 line\ndragoman: nothing found in 1 file\n");
}

TEST(Verdict, WithoutAFileIsThatOfStdin) {
  const Ended ended = run({"verdict", "--exit-code", "0"}, "<!--FINISHED-->\n");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("completed: ")) << ended.out;
}

TEST(LineCap, LetsEveryReadingCommandTakeALongerLine) {
  const std::string line =
      R"({"type":"thread.started","thread_id":")" + std::string(17 << 20U, 't') + "\"}\n";
  EXPECT_EQ(run({"check"}, line).exit_code, 3);
  EXPECT_EQ(run({"check", "--line-cap", "32MiB"}, line).exit_code, 0);
  for (const std::string command : {"parse", "verdict", "show"}) {
    const std::string out = run({command, "--line-cap", "32MiB"}, line).out;
    EXPECT_EQ(out.find("oversize"), std::string::npos) << command << ": " << out.substr(0, 500);
  }
}

TEST(Doctor, NamesWhatIsMissingAndWhatMendsIt) {
  const TempDir home;
  const Start start{.arguments = {"doctor", "--json"},
                    .environment = {"HOME=" + home.path().string(), "PATH=/nonexistent"}};
  const Ended ended = dragoman(start);
  EXPECT_EQ(ended.exit_code, 0);
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["ok"], true);
  std::map<std::string, std::string> mended;
  for (const json& finding : report["findings"]) {
    if (finding["state"] == "missing") mended[finding["name"]] = finding.value("mend", "");
  }
  EXPECT_NE(mended["git"], "");
  for (const agent::AgentRow& row : agent::agents()) {
    if (row.program.empty()) continue;
    EXPECT_EQ(mended[std::string(row.program)], row.install) << row.name;
  }
}

TEST(Doctor, AsksTheAgentsForTheirVersionAndDoesNotWaitForever) {
  const TempDir dir;
  const auto agent = [&](const std::string& name, const std::string& script) {
    write_file(dir.path() / name, "#!/bin/sh\n" + script);
    std::filesystem::permissions(dir.path() / name, std::filesystem::perms::owner_all);
  };
  agent("claude", "echo '2.1.325 (Claude Code)'\n");
  agent("codex", "exit 3\n");
  const Ended ended =
      dragoman({.arguments = {"doctor", "--json"},
                .environment = {"HOME=" + dir.path().string(), "PATH=" + dir.path().string()}});
  EXPECT_EQ(ended.exit_code, 1);
  const json report = json::parse(ended.out);
  for (const json& finding : report["findings"]) {
    if (finding["name"] == "claude") {
      EXPECT_EQ(finding["detail"],
                "2.1.325 (Claude Code) (" + (dir.path() / "claude").string() + ")");
    }
    if (finding["name"] == "codex") {
      EXPECT_EQ(finding["state"], "broken");
    }
  }
}

TEST(Doctor, AStateDirectoryThatIsAFileIsAFault) {
  const TempDir home;
  std::filesystem::create_directories(home.path() / "state");
  write_file(home.path() / "state" / "dragoman", "");
  const Ended ended =
      dragoman({.arguments = {"doctor", "-q"},
                .environment = {"XDG_STATE_HOME=" + (home.path() / "state").string()}});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.out.find("is not a directory"), std::string::npos) << ended.out;
}

// What doctor says about one thing, in a home of its own.
json doctor_on(const std::string& name, std::vector<std::string> words,
               std::vector<std::string> environment, const std::filesystem::path& directory) {
  words.insert(words.begin(), {"doctor", "--json"});
  environment.insert(environment.begin(), {"HOME=" + directory.string(), "PATH=/nonexistent"});
  const Ended ended =
      dragoman({.arguments = words, .directory = directory, .environment = environment});
  EXPECT_EQ(ended.err, "");
  const json report = json::parse(ended.out);
  EXPECT_EQ(ended.exit_code, report["ok"] == true ? 0 : 1);
  for (const json& finding : report["findings"]) {
    if (finding["name"] == name) return finding;
  }
  return {};
}

TEST(Doctor, LooksAtTheSettingsThatAreNamed) {
  const TempDir dir;
  write_file(dir.path() / "bad.toml", "foo = [\n");
  write_file(dir.path() / "good.toml", "[run]\nagent = \"codex\"\n");
  const auto settings = [&](const std::string& file) {
    return doctor_on("settings", {"--config", file}, {}, dir.path());
  };
  EXPECT_EQ(settings("good.toml")["state"], "ok");
  EXPECT_EQ(settings("bad.toml")["state"], "broken");
  const json absent = settings("none.toml");
  EXPECT_EQ(absent["state"], "broken");
  EXPECT_EQ(absent["detail"], "no configuration at none.toml");
  EXPECT_EQ(absent["mend"], "name a file that can be read: --config, or DRAGOMAN_CONFIG");
  EXPECT_EQ(settings(".")["mend"], absent["mend"]);
  EXPECT_EQ(settings("bad.toml")["mend"], "mend that line");
}

TEST(Doctor, NamesEverySettingThatHasNoEffect) {
  const TempDir dir;
  write_file(dir.path() / "c.toml", "stoer = \"x\"\n[run]\nagnet = \"codex\"\n");
  const Ended ended = dragoman({.arguments = {"doctor", "--quiet", "--config", "c.toml"},
                                .directory = dir.path(),
                                .environment = {"HOME=" + dir.path().string(), "LANG=C.UTF-8"}});
  EXPECT_EQ(ended.exit_code, 0);
  const std::string expected =
      "ignored  settings       c.toml:1: no setting is called stoer\n"
      "                        mend or remove that line\n"
      "ignored  settings       c.toml:3: no setting is called run.agnet\n"
      "                        mend or remove that line\n";
  EXPECT_NE(ended.out.find(expected), std::string::npos) << ended.out;
}

TEST(Doctor, LooksAtTheSurfaces) {
  const TempDir dir;
  const std::string file = (dir.path() / "c.toml").string();
  const auto surfaces = [&](const std::string& table) {
    write_file(file, table);
    return doctor_on("surfaces", {"--config", file}, {"THERE=t"}, dir.path());
  };
  const json none = surfaces("");
  EXPECT_EQ(none["state"], "ok");
  EXPECT_EQ(none["detail"], "none is configured");
  const std::string slack = "[surface.ops]\nkind = \"slack\"\nanyone = true\n";
  const json good = surfaces(slack + "channel = \"C1\"\ntoken = \"env:THERE\"\n");
  EXPECT_EQ(good["state"], "ok") << good;
  EXPECT_EQ(good["detail"], "ops (slack)");
  const json absent = surfaces(slack + "channel = \"C1\"\ntoken = \"env:GONE\"\n");
  EXPECT_EQ(absent["state"], "broken");
  EXPECT_EQ(absent["detail"], file + ":5: token: the environment has no GONE");
  EXPECT_EQ(absent["mend"], "set it where dragoman is started, or mend that line");
  const json unknown = surfaces(slack + "chanel = \"C1\"\n");
  EXPECT_EQ(unknown["state"], "broken");
  EXPECT_EQ(unknown["detail"], file + ":4: chanel: a surface of kind slack takes no such setting");
  EXPECT_EQ(unknown["mend"], "mend that line, or remove its table");
}

TEST(Doctor, LooksAtTheFileOfAStoreAndMakesNothing) {
  const TempDir dir;
  write_file(dir.path() / "junk.db", "junk\n");
  const auto store = [&](const std::string& url) {
    const json given = doctor_on("store", {"--store", url}, {}, dir.path());
    const json configured = doctor_on("store", {}, {"DRAGOMAN_STORE=" + url}, dir.path());
    EXPECT_EQ(given["state"], configured["state"]) << url;
    if (given["state"] == "broken") {
      EXPECT_NE(given.value("mend", ""), "") << url;
    }
    return given;
  };
  EXPECT_EQ(store("sqlite:new.db")["state"], "ok");
  const json scheme = store("foo:bar");
  EXPECT_EQ(scheme["state"], "broken");
  EXPECT_EQ(scheme["detail"], "--store: 'foo:bar' is not sqlite:PATH, nats://HOST or tls://HOST");
  EXPECT_EQ(store("sqlite:no/such/tasks.db")["state"], "ok");  // whoever adds to it makes them
  const json nowhere = store("sqlite:/proc/no/such/tasks.db");
  EXPECT_EQ(nowhere["state"], "broken");
  EXPECT_EQ(nowhere["detail"],
            "/proc/no/such/tasks.db: nothing can be made in /proc: the kernel's own");
  const json junk = store("sqlite:junk.db");
  EXPECT_EQ(junk["state"], "broken");
  EXPECT_NE(junk.value("detail", "").find("is not a database"), std::string::npos) << junk;
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "no"));
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "new.db"));
  EXPECT_EQ(doctor_on("store", {}, {"DRAGOMAN_STORE=foo:bar"}, dir.path())["detail"],
            "DRAGOMAN_STORE: 'foo:bar' is not sqlite:PATH, nats://HOST or tls://HOST");
}

TEST(Doctor, FindsNoFaultInAStoreThatWorks) {
  const TempDir dir;
  const Ended made = dragoman({.arguments = {"run", "--store", "sqlite:tasks.db", "--", "true"},
                               .directory = dir.path(),
                               .environment = {"HOME=" + dir.path().string()}});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(doctor_on("store", {"--store", "sqlite:tasks.db"}, {}, dir.path())["state"], "ok");
}

TEST(Doctor, AStateDirectoryThatCannotBeMadeIsAFault) {
  const TempDir dir;
  const json state = doctor_on("state", {}, {"DRAGOMAN_STATE_DIR=/proc/nope"}, dir.path());
  EXPECT_EQ(state["state"], "broken");
  EXPECT_EQ(state["mend"], "export DRAGOMAN_STATE_DIR=/a/directory/of/yours");
  const json later =
      doctor_on("state", {}, {"DRAGOMAN_STATE_DIR=" + (dir.path() / "a/b").string()}, dir.path());
  EXPECT_EQ(later["state"], "ok");
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "a"));
}

TEST(Doctor, NamesTheVariableThatDecidesAboutTheLocale) {
  const TempDir dir;
  const auto mend = [&](std::vector<std::string> environment) {
    return doctor_on("locale", {}, std::move(environment), dir.path()).value("mend", "");
  };
  EXPECT_EQ(mend({"LC_ALL=C", "LANG=C.UTF-8"}), "export LC_ALL=C.UTF-8");
  EXPECT_EQ(mend({"LC_CTYPE=POSIX"}), "export LC_CTYPE=C.UTF-8");
  EXPECT_EQ(mend({"LANG=C"}), "export LANG=C.UTF-8");
}

TEST(ManualPage, TellsOfEveryOptionAndIsNoRequestOfRoff) {
  const std::string page = dragoman({.arguments = {"help", "--man", "run"}}).out;
  EXPECT_NE(page.find(".TH \"DRAGOMAN\\-RUN\" 1 "), std::string::npos) << page;
  EXPECT_NE(page.find("\n.B \"\\-\\-idle\\-timeout DUR\"\n"), std::string::npos) << page;
  EXPECT_NE(page.find("CMD\\[u2026]"), std::string::npos) << page;  // nothing but ASCII
  for (const char c : page) EXPECT_GT(c, 0);
}

TEST(ManualPage, OfTheProgramNamesEveryCommand) {
  const std::string page = dragoman({.arguments = {"help", "--man"}}).out;
  std::istringstream lines(dragoman({.arguments = {"help"}}).out);
  std::size_t commands = 0;
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "commands:") listed = true;
    if (line == "options:") break;
    if (!listed || !line.starts_with("  ")) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    EXPECT_NE(page.find("dragoman\\-" + name + "(1)"), std::string::npos) << name;
    ++commands;
  }
  EXPECT_GE(commands, 20U);
}

TEST(ManualPage, OfAPartIsThatOfItsCommand) {
  const Ended ended = dragoman({.arguments = {"help", "--man", "task", "submit"}});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("dragoman help task --man"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace dragoman::test
