// SPDX-License-Identifier: Apache-2.0
// What the program says when it is not understood, and what it then exits with.
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

struct Refusal {
  std::string name;
  std::vector<std::string> arguments;
  std::string err;
  int exit_code = 2;
};

std::ostream& operator<<(std::ostream& out, const Refusal& row) { return out << row.name; }

const std::vector<Refusal> kRefusals = {
    {"NoCommand", {}, "dragoman: no command is given\n  hint: see 'dragoman help'\n"},
    {"AMisspelledCommand",
     {"prase"},
     "dragoman: unknown command 'prase'\n  hint: did you mean 'parse'?\n"},
    {"ACommandNobodyKnows",
     {"frobnicate"},
     "dragoman: unknown command 'frobnicate'\n  hint: see 'dragoman help'\n"},
    {"AMisspelledGlobalOption",
     {"--versoin"},
     "dragoman: unknown option '--versoin'\n  hint: did you mean '--version'?\n"},
    {"AMisspelledGlobalOptionWithItsValue",
     {"--colour", "never", "parse", "good.md"},
     "dragoman: unknown option '--colour'\n  hint: did you mean '--color'?\n"},
    {"AMisspelledOption",
     {"parse", "--form", "claude"},
     "dragoman: parse: unknown option '--form'\n  hint: did you mean '--from'?\n"},
    {"AnOptionWithoutItsValue",
     {"parse", "--from"},
     "dragoman: parse: --from needs a value: DIALECT\n  hint: see 'dragoman help parse'\n"},
    {"AnOptionWithAnEmptyValue",
     {"parse", "--kinds=", "good.md"},
     "dragoman: parse: --kinds needs a value: KIND,…\n  hint: see 'dragoman help parse'\n"},
    {"AFieldThatTheDialectHasNoPlaceFor",
     {"emit", "question", "--dialect", "markers", "--header", "H", "Q"},
     "dragoman: emit question: --header: the dialect markers has no place for it\n"
     "  hint: see 'dragoman help emit question'\n",
     3},
    {"AValueThatTheDialectDoesNotKnow",
     {"emit", "status", "--status", "complted", "x"},
     "dragoman: emit status: --status: 'complted' is not pending, in_progress, completed, failed "
     "or "
     "paused\n  hint: did you mean 'completed'?\n",
     3},
    {"ANumberBeyondTheRange",
     {"emit", "status", "--status", "completed", "--progress", "99999999999999999999", "x"},
     "dragoman: emit status: --progress: '99999999999999999999' is not within 0 and 100\n"
     "  hint: see 'dragoman help emit status'\n",
     3},
    {"AProgressBeyondTheEnd",
     {"emit", "status", "--status", "completed", "--progress", "120", "x"},
     "dragoman: emit status: --progress: '120' is not within 0 and 100\n"
     "  hint: see 'dragoman help emit status'\n",
     3},
    {"AMissingField",
     {"emit", "status", "x"},
     "dragoman: emit status: --status: is missing\n  hint: see 'dragoman help emit status'\n",
     3},
    {"AVersionWithABlank",
     {"emit", "dependency", "a", "--version", "1 2"},
     "dragoman: emit dependency: --version: '1 2' holds a blank or a bracket\n"
     "  hint: see 'dragoman help emit dependency'\n",
     3},
    {"AFieldGivenByItsNameAndWithout",
     {"emit", "status", "--status", "completed", "--message", "a", "b"},
     "dragoman: emit status: --message: given twice\n  hint: see 'dragoman help emit status'\n"},
    {"AFieldGivenTwiceByItsName",
     {"emit", "status", "--status", "completed", "--status", "failed", "x"},
     "dragoman: emit status: --status is given more than once\n"},
    {"ADialectNobodyKnows",
     {"emit", "status", "--dialect", "nope", "--status", "completed", "x"},
     "dragoman: emit status: --dialect: 'nope' is not wxcode\n"},
    {"AKeyGivenTwice",
     {"emit", "need-context", "how", "--type", "context7", "--field", "type=b"},
     "dragoman: emit need-context: --field: 'type' is given twice\n"
     "  hint: see 'dragoman help emit need-context'\n"},
    {"ACommandThatTheCatalogueHasNoWordsFor",
     {"emit", "next-action", "quick"},
     "dragoman: emit next-action: --description: is missing: the catalogue does not say what "
     "'quick' would be run for\n  hint: see 'dragoman help emit next-action'\n",
     3},
    {"ANextActionThatIsNotSuggested",
     {"emit", "next-action", "plan-phase", "--after", "execute-phase"},
     "dragoman: emit next-action: --after: behind 'execute-phase' the documents suggest "
     "discuss-phase or audit-milestone, not 'plan-phase'\n"
     "  hint: see 'dragoman help emit next-action'\n"},
    {"ANextActionThatDependsOnTheOutcome",
     {"emit", "next-action", "--after", "verify-work", "--after-args", "3"},
     "dragoman: emit next-action: --outcome: is missing, and what the documents suggest after "
     "'verify-work' depends on it\n  hint: see 'dragoman help emit next-action'\n",
     3},
    {"AnOutcomeOfNothing",
     {"emit", "next-action", "plan-phase", "--outcome", "gaps"},
     "dragoman: emit next-action: --outcome: has no meaning without --after COMMAND\n"
     "  hint: see 'dragoman help emit next-action'\n"},
    {"HelpForAKindNobodyKnows",
     {"help", "emit", "statu"},
     "dragoman: help: no command 'emit statu'\n  hint: did you mean 'status'?\n"},
    {"HelpForAPartOfAKind",
     {"help", "emit", "status", "foo"},
     "dragoman: help: no command 'emit status foo'\n  hint: see 'dragoman help emit status'\n"},
    {"AMisspelledDialect",
     {"parse", "--from", "cluade"},
     "dragoman: parse: --from: 'cluade' is not auto, wxcode, question, claude, codex, markers, "
     "delegator or text\n  hint: did you mean 'claude'?\n"},
    {"AnUnknownMode",
     {"parse", "--mode", "lax"},
     "dragoman: parse: --mode: 'lax' is not default, strict or compat\n"},
    {"AMisspelledKind",
     {"parse", "--kinds", "text,statsu"},
     "dragoman: parse: --kinds: 'statsu' is not a kind of event\n  hint: did you mean 'status'?\n"},
    {"NoKind",
     {"parse", "--kinds", "", "good.md"},
     "dragoman: parse: --kinds needs a value: KIND,…\n  hint: see 'dragoman help parse'\n"},
    {"CountWithKinds",
     {"parse", "--count", "--kinds", "text"},
     "dragoman: parse: --count prints no events, so --kinds has no meaning\n"
     "  hint: see 'dragoman help parse'\n"},
    {"FollowOfTwoFiles",
     {"parse", "--follow", "good.md", "good.md"},
     "dragoman: parse: --follow takes one FILE\n  hint: see 'dragoman help parse'\n"},
    {"QuietAndVerbose",
     {"parse", "-q", "--verbose", "good.md"},
     "dragoman: parse: --quiet and --verbose contradict each other\n"
     "  hint: see 'dragoman help parse'\n"},
    {"ColumnsOfAPage",
     {"show", "--as", "html", "--width", "100", "good.md"},
     "dragoman: show: --as html has no columns, so --width has no meaning\n"
     "  hint: see 'dragoman help show'\n"},
    {"AnOptionThatACommandHasNoUseFor",
     {"schema", "--follow"},
     "dragoman: schema: unknown option '--follow'\n  hint: see 'dragoman help schema'\n"},
    {"AnOptionInFrontOfACommandThatHasNoUseForIt",
     {"--count", "schema"},
     "dragoman: schema: unknown option '--count'\n  hint: see 'dragoman help schema'\n"},
    {"ASurfaceForTheListOfQuestions",
     {"ask", "list", "ops"},
     "dragoman: ask list: too many arguments: 'ops'\n  hint: see 'dragoman help ask list'\n"},
    {"NoSurfaceToTest",
     {"ask", "test"},
     "dragoman: ask test: SURFACE is missing\n  hint: see 'dragoman help ask test'\n"},
    {"NoSuchPartOfAsk",
     {"ask", "lists"},
     "dragoman: ask: 'lists' is not list or test\n  hint: did you mean 'list'?\n"},
    {"APortBeyondTheLast",
     {"serve", "--demo", "--port", "65536"},
     "dragoman: serve: --port: '65536' is not a number from 0 to 65535\n"},
    {"AMissingFile",
     {"parse", "none"},
     "dragoman: cannot read 'none': No such file or directory\n"},
    {"AMissingFileAfterAGoodOne",
     {"parse", "good.md", "none"},
     "dragoman: cannot read 'none': No such file or directory\n"},
    {"ADirectory", {"parse", "dir"}, "dragoman: cannot read 'dir': Is a directory\n"},
    {"ARecordedRun",
     {"show", "recorded"},
     "dragoman: cannot read 'recorded': Is a directory; it is a recorded run: 'dragoman replay' "
     "plays it, its words are in 'stdout'\n"},
    {"ADirectoryForVerdict",
     {"verdict", "dir"},
     "dragoman: cannot read 'dir': Is a directory, and none that 'dragoman run' recorded\n"},
    {"ADirectoryForConvert",
     {"convert", "--to", "markers", "dir"},
     "dragoman: cannot read 'dir': Is a directory\n"},
    {"APathThroughAFile",
     {"parse", "good.md/x"},
     "dragoman: cannot read 'good.md/x': Not a directory\n"},
    {"AHostileFileName",
     {"parse", "a\x1b[2J\nb"},
     "dragoman: cannot read 'a [2J b': No such file or directory\n"},
    {"ALineCapThatIsNoSize",
     {"parse", "--line-cap", "64MB", "good.md"},
     "dragoman: parse: --line-cap: '64MB' is not a size from 1KiB to 1GiB, as in 64MiB\n"},
    {"ALineCapBeyondWhatReadersHold",
     {"check", "--line-cap", "2GiB", "good.md"},
     "dragoman: check: --line-cap: '2GiB' is not a size from 1KiB to 1GiB, as in 64MiB\n"},
    {"VerdictOfTwoFiles",
     {"verdict", "good.md", "good.md"},
     "dragoman: verdict: too many arguments: 'good.md'\n  hint: see 'dragoman help verdict'\n"},
    {"VerdictWithAnExitCodeThatIsNone",
     {"verdict", "good.md", "--exit-code", "300"},
     "dragoman: verdict: --exit-code: '300' is not a number from 0 to 255\n"},
    {"ConvertWithoutTo",
     {"convert", "good.md"},
     "dragoman: convert: --to DIALECT is missing\n  hint: see 'dragoman help convert'\n"},
    {"AnUnknownSchema",
     {"schema", "dragoman/event/statu/v1"},
     "dragoman: schema: no schema 'dragoman/event/statu/v1'\n"
     "  hint: did you mean 'dragoman/event/status/v1'?\n"},
    {"AMisspelledNameOfASchema",
     {"schema", "event/stauts"},
     "dragoman: schema: no schema 'event/stauts'\n  hint: did you mean 'event/status'?\n"},
    {"AnUnknownWxcodeCommand",
     {"commands", "plan-phas"},
     "dragoman: commands: 'plan-phas' is not in the catalogue\n  hint: did you mean "
     "'plan-phase'?\n"},
    {"AnUnknownEmitKind",
     {"emit", "staus"},
     "dragoman: emit: no kind 'staus'\n  hint: did you mean 'status'?\n"},
    {"AnUnknownPromptDialect",
     {"prompt", "marker"},
     "dragoman: prompt: DIALECT: 'marker' is not markers, question or wxcode\n"
     "  hint: did you mean 'markers'?\n"},
    {"APromptOfNothing",
     {"prompt"},
     "dragoman: prompt: DIALECT is missing\n  hint: DIALECT is markers, question or wxcode\n"},
    {"AnUnknownShell",
     {"completion", "tcsh"},
     "dragoman: completion: SHELL: 'tcsh' is not bash, zsh or fish\n"},
    {"HelpForNothingKnown",
     {"help", "verdct"},
     "dragoman: help: no command 'verdct'\n  hint: did you mean 'verdict'?\n"},
    {"HelpForAWordOfNobody",
     {"help", "frobnicate"},
     "dragoman: help: no command 'frobnicate'\n  hint: 'dragoman help' lists them\n"},
    {"StdinTwice",
     {"parse", "-", "good.md", "-"},
     "dragoman: '-' is there twice, and stdin can be read once\n"},
    {"AStoreThatIsNotThere",
     {"task", "list", "--store", "sqlite:dir/none.db"},
     "dragoman: task: --store: there is no store at 'PLACE/dir/none.db'\n"},
    {"ARunOfNothing",
     {"run", ""},
     "dragoman: run: the prompt is empty\n  hint: see 'dragoman help run'\n"},
    {"ARunThatIsNotKnown",
     {"run", "--resume", "nope"},
     "dragoman: run: --resume: 'nope' is neither a session of claude nor a run that is known\n"
     "  hint: see 'dragoman help run'\n"},
    {"ASessionWithoutAPrompt",
     {"run", "--resume", "0199a213-81c0-7800-8aa1-bbab2a035a53"},
     "dragoman: run: --resume 0199a213-81c0-7800-8aa1-bbab2a035a53: no question is known to be "
     "open there; give a prompt\n"
     "  hint: see 'dragoman help run'\n"},
    {"AVariableThatNoneCanBeCalled",
     {"run", "--env", "A B=c", "x"},
     "dragoman: run: --env: 'A B' is not the name of a variable\n"
     "  hint: see 'dragoman help run'\n"},
    {"AVariableOfATaskThatNoneCanBeCalled",
     {"task", "submit", "--store", "sqlite:tasks.db", "--env", "=c", "x"},
     "dragoman: task: --env: '' is not the name of a variable\n"},
    {"AMisspelledPartOfTask",
     {"task", "lst"},
     "dragoman: task: 'lst' is not submit, status, wait, results, cancel, list, clean or work\n"
     "  hint: did you mean 'list'?\n"},
    {"ATaskOfNothing",
     {"task", "submit"},
     "dragoman: task submit: PROMPT is missing\n  hint: see 'dragoman help task submit'\n"},
    {"ATaskForACommandThatIsNotSaid",
     {"task", "submit", "--store", "sqlite:tasks.db", "--agent", "command", "foo"},
     "dragoman: task: --agent command: no command is given: say -- CMD…\n"},
    {"ATaskForAnExecutorWithoutItsWords",
     {"task", "submit", "--store", "sqlite:tasks.db", "--agent", "executor", "foo"},
     "dragoman: task: --agent executor: the executor is called as -- PROGRAM TASK_ID DESCRIPTION "
     "[PLAN]\n"},
    {"AStoreOfAnotherKind",
     {"task", "list", "--store", "mysql:tasks"},
     "dragoman: task: --store: 'mysql:tasks' is not sqlite:PATH, nats://HOST or tls://HOST\n"},
    {"AWorkerWithoutAFleet",
     {"worker", "--store", "sqlite:tasks.db"},
     "dragoman: worker: --store: a worker belongs to a fleet: nats://HOST\n"},
};

class CommandLineError : public ::testing::TestWithParam<Refusal> {};

TEST_P(CommandLineError, SaysWhatAndWhatNextAndPrintsNothing) {
  const TempDir dir;
  write_file(dir.path() / "good.md", "[PROGRESS] one\n");
  std::filesystem::create_directory(dir.path() / "dir");
  std::filesystem::create_directory(dir.path() / "recorded");
  write_file(dir.path() / "recorded" / "command.json", "{}");
  const Ended ended = dragoman({.arguments = GetParam().arguments, .directory = dir.path()});
  std::string err = ended.err;
  const std::string place = std::filesystem::canonical(dir.path()).string();
  if (const std::size_t at = err.find(place); at != std::string::npos)
    err.replace(at, place.size(), "PLACE");
  EXPECT_EQ(err, GetParam().err);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.exit_code, GetParam().exit_code);
}

INSTANTIATE_TEST_SUITE_P(Rows, CommandLineError, ::testing::ValuesIn(kRefusals),
                         [](const auto& row) { return row.param.name; });

TEST(CommandLine, AFileThatMayNotBeReadGivesOneLine) {
  const TempDir dir;
  std::filesystem::permissions(dir.path(), std::filesystem::perms::all);
  write_file(dir.path() / "secret", "[PROGRESS] one\n");
  std::filesystem::permissions(dir.path() / "secret", std::filesystem::perms::owner_write);
  const Ended ended =
      dragoman({.arguments = {"parse", "secret"}, .directory = dir.path(), .as_nobody = true});
  if (ended.exit_code == 127) GTEST_SKIP() << "nobody may not start the program here";
  EXPECT_EQ(ended.err, "dragoman: cannot read 'secret': Permission denied\n");
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.exit_code, 2);
}

// It named files that never were, and not the reason.
TEST(CommandLine, AStoreThatMayNotBeMadeGivesTheReason) {
  const TempDir dir;
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0555));
  const Ended ended = dragoman(
      {.arguments = {"task", "list"},
       .environment = {"HOME=" + dir.path().string(), "DRAGOMAN_STATE_DIR=" + dir.path().string()},
       .as_nobody = true});
  std::filesystem::permissions(dir.path(), std::filesystem::perms::owner_all);
  if (ended.exit_code == 127) GTEST_SKIP() << "nobody may not start the program here";
  EXPECT_EQ(ended.err, "dragoman: task: " + (dir.path() / "dragoman.db").string() +
                           ": cannot be created: Permission denied\n");
  EXPECT_EQ(ended.exit_code, 125);
}

TEST(CommandLine, AForbiddenMarkerIsRefusedWithExit3) {
  const Ended ended = dragoman(
      {.arguments = {"emit", "status", "--status", "in_progress", "--progress", "120", "x"}});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("progress"), std::string::npos) << ended.err;
}

TEST(CommandLine, ArgumentsInBracketsAreTheTextTheyAre) {
  EXPECT_EQ(dragoman({.arguments = {"emit", "progress", "[done]"}}).out, "[PROGRESS] [done]\n");
  EXPECT_EQ(dragoman({.arguments = {"emit", "progress", "[a,b]"}}).out, "[PROGRESS] [a,b]\n");
}

TEST(CommandLine, OptionsWithTheirValuesMayStandBeforeTheCommandAndTheKind) {
  const std::string expected = "[PROGRESS] x\n";
  EXPECT_EQ(dragoman({.arguments = {"--color", "never", "emit", "progress", "x"}}).out, expected);
  EXPECT_EQ(dragoman({.arguments = {"emit", "--color", "never", "progress", "x"}}).out, expected);
  EXPECT_EQ(dragoman({.arguments = {"emit", "progress", "--message", "-h"}}).out,
            "[PROGRESS] -h\n");
  const Ended parsed =
      dragoman({.arguments = {"--from", "markers", "parse", "--count"}, .input = "[PROGRESS] x\n"});
  EXPECT_EQ(parsed.exit_code, 0) << parsed.err;
  EXPECT_NE(parsed.out.find("\"dialect\":\"markers\""), std::string::npos) << parsed.out;
}

TEST(CommandLine, ColourIsForTerminalsUnlessItIsWanted) {
  const std::string plain = "dragoman: unknown command 'x'\n  hint: see 'dragoman help'\n";
  const std::string red =
      "\x1b[31mdragoman:\x1b[0m unknown command 'x'\n"
      "  \x1b[2mhint:\x1b[0m see 'dragoman help'\n";
  EXPECT_EQ(dragoman({.arguments = {"x"}}).err, plain);
  EXPECT_EQ(dragoman({.arguments = {"--color", "always", "x"}}).err, red);
  EXPECT_EQ(dragoman({.arguments = {"--color=always", "x"}}).err, red);
  EXPECT_EQ(dragoman({.arguments = {"x"}, .environment = {"CLICOLOR_FORCE=1"}}).err, red);
  EXPECT_EQ(dragoman({.arguments = {"x"}, .environment = {"CLICOLOR_FORCE=1", "NO_COLOR=1"}}).err,
            plain);
  EXPECT_EQ(
      dragoman({.arguments = {"--color", "never", "x"}, .environment = {"CLICOLOR_FORCE=1"}}).err,
      plain);
}

TEST(CommandLine, WhoeverLooksForATaskMakesNoStore) {
  const TempDir dir;
  const std::string path = dir.path() / "no/such/tasks.db";
  const std::string none = ": --store: there is no store at '" + path + "'\n";
  const auto said = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--store", "sqlite:" + path});
    const Ended ended = dragoman({.arguments = words, .directory = dir.path()});
    EXPECT_EQ(ended.exit_code, 2) << words[0];
    return ended.err;
  };
  EXPECT_EQ(said({"task", "list"}), "dragoman: task" + none);
  EXPECT_EQ(said({"task", "status"}), "dragoman: task" + none);
  EXPECT_EQ(said({"ask", "list"}), "dragoman: ask" + none);
  EXPECT_EQ(said({"answer", "q1", "1"}), "dragoman: answer" + none);
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "no"));
}

TEST(CommandLine, SettingsThatAreWrongAreExit2InEveryCommandOfTasks) {
  const TempDir dir;
  write_file(dir.path() / "broken.toml", "bogus = ");
  write_file(dir.path() / "wrong.toml", "[run]\nidle_timeout = \"abc\"\n");
  const std::vector<std::vector<std::string>> commands = {
      {"task", "list"}, {"task", "submit", "x"}, {"task", "work"},
      {"ask", "list"},  {"answer", "q1", "1"},   {"worker", "--store", "nats://127.0.0.1:1"}};
  const auto code = [&](std::vector<std::string> words, const std::vector<std::string>& more,
                        const std::string& variable) {
    words.insert(words.end(), more.begin(), more.end());
    return dragoman({.arguments = words,
                     .directory = dir.path(),
                     .environment = {"HOME=" + dir.path().string(), variable}})
        .exit_code;
  };
  for (const auto& words : commands) {
    for (const char* file : {"broken.toml", "wrong.toml", "absent.toml"})
      EXPECT_EQ(code(words, {"--config", file}, "X=y"), 2) << words[0] << " " << file;
    EXPECT_EQ(code(words, {}, "CODEX_MAX_CONCURRENCY=x"), 2) << words[0];
  }
  EXPECT_EQ(code({"task", "submit", "--surface", "nowhere", "x"}, {}, "X=y"), 2);
  EXPECT_EQ(code({"task", "status", "nonsense"}, {}, "X=y"), 2);
  EXPECT_EQ(code({"task", "submit", "--agent", "claude", ""}, {}, "X=y"),
            3);  // no setting is wrong
}

TEST(CommandLine, AWrongSettingOfARunIsMendedWhereItStands) {
  const TempDir dir;
  write_file(dir.path() / "wrong.toml", "[run]\nagent = \"clod\"\n");
  const Ended ended =
      dragoman({.arguments = {"run", "--config", "wrong.toml", "x"}, .directory = dir.path()});
  EXPECT_EQ(ended.err,
            "dragoman: run: wrong.toml:2: run.agent: 'clod' is none of claude, codex, executor, "
            "command\n  hint: mend it there; 'dragoman doctor' looks at all settings\n");
  EXPECT_EQ(ended.exit_code, 2);
}

TEST(CommandLine, AWorkerThatIsRefusedMakesNoStore) {
  const TempDir dir;
  const Ended ended =
      dragoman({.arguments = {"worker", "--store", "sqlite:wk.db"}, .directory = dir.path()});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

}  // namespace
}  // namespace dragoman::test
