// SPDX-License-Identifier: Apache-2.0
// dragoman verdict: how a recorded run ended, and why.
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/named_run.hpp"
#include "dragoman/cli/reading.hpp"
#include "dragoman/cli/recorded_run.hpp"
#include "dragoman/cli/run_views.hpp"
#include "dragoman/run/commit_message.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/run/json.hpp"
#include "dragoman/run/one_line.hpp"
#include "dragoman/run/verdict.hpp"

namespace dragoman::cli {
namespace {

std::string short_form(const Verdict& verdict, const Console& console) {
  std::string reasons;
  for (const std::string& reason : verdict.reasons()) {
    reasons += (reasons.empty() ? "" : ", ") + one_line(reason);
  }
  return fmt::format("{}: {}\n", console.styled(style_of(verdict.kind), name(verdict.kind)),
                     reasons);
}

int print_commit_message(const RunSummary& run, Console& console) {
  const std::string message = commit_message(run);
  if (message.empty()) {
    return console.fail("verdict: no file was changed and no commit suggested: no message", {},
                        kFailed);
  }
  console.out().write(message);
  return kOk;
}

Error not_recorded(const std::string& directory) {
  return {ErrorCode::not_found,
          fmt::format("cannot read '{}': {}, and none that 'dragoman run' recorded",
                      printable(directory), std::strerror(EISDIR))};
}

// What the run did and how its process ended: a recording knows both, a file the first alone.
Result<RunSummary> read_run(const Invocation& invocation, Console& console, ProcessEnd& end) {
  DRAGOMAN_TRY(const ReadingOptions options, reading_options(invocation));
  RunFold fold(options.dialect);
  const std::string given =
      invocation.arguments().empty() ? std::string("-") : invocation.arguments()[0];
  DRAGOMAN_TRY(const auto run, recording_instead_of_file(invocation, console, given));
  if (run) {
    auto recorded = fold_recorded_run(run->directory, fold);
    if (!recorded && recorded.error().code == ErrorCode::not_found) return not_recorded(given);
    if (!recorded) return std::move(recorded).error();
    if (!end.exit_code) end = *recorded;
    return fold.summary();
  }
  DRAGOMAN_TRY(const auto files, inputs(invocation, console));
  ReadingTarget target(options, fold, console);
  DRAGOMAN_CHECK(pump(files.front(), target));
  console.detail(fmt::format("{}, {} bytes", name(fold.summary().dialect), target.bytes()));
  return fold.summary();
}

int run_verdict(const Invocation& invocation, Console& console) {
  for (const std::string_view other : {"explain", "json", "exit-code"}) {
    if (invocation.has("commit-message") && invocation.has(other)) {
      return console.fail(fmt::format(
          "verdict: --commit-message prints no verdict, so --{} has no meaning", other));
    }
  }
  auto end = process_end(invocation);
  if (!end) return console.fail(end.error().message);
  const auto run = read_run(invocation, console, *end);
  if (!run) return console.fail(printable_lines(run.error().message));
  if (invocation.has("commit-message")) return print_commit_message(*run, console);
  const Verdict verdict = judge(*run, *end);
  if (invocation.has("json")) {
    append_json(console.out().buffer(), verdict, *run,
                invocation.has("explain") ? Explained::yes : Explained::no);
    console.out().write("\n");
  } else if (invocation.has("explain")) {
    console.out().write(explain(verdict));
  } else {
    console.out().write(short_form(verdict, console));
  }
  return verdict.exit_code;
}

}  // namespace

CommandSpec verdict_command() {
  return {
      "verdict",
      "how a recorded run ended, and why",
      "The exit code is that of the verdict: 0 completed, 1 failed or incomplete, 4 a question is\n"
      "unanswered, 5 blocked, 75 usage or rate limit, 128+n ended by signal n. A file does not "
      "know\n"
      "how the process went: where markers alone claim the end, give --exit-code. A run that\n"
      "'dragoman run' recorded does, by its id, 'last' or its directory.",
      {from_option(),
       mode_option(),
       line_cap_option(),
       {"explain", "", "every fact that held, and the rule that decided"},
       exit_code_option(),
       {"commit-message", "", "print a commit message made from the files and the summary"},
       json_option(),
       verbose_option(),
       color_option()},
      {{.name = "FILE",
        .help = "a capture, or a run: its id, 'last', its recording; '-' is stdin",
        .takes_file = true,
        .live = Live::runs}},
      {"dragoman verdict run.jsonl --explain",
       "git commit -F <(dragoman verdict run.jsonl --commit-message)"},
      run_verdict,
  };
}

}  // namespace dragoman::cli
