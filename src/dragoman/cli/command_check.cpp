// SPDX-License-Identifier: Apache-2.0
// dragoman check: a capture against its specification.
#include <fmt/format.h>

#include "dragoman/base/words.hpp"
#include "dragoman/check/check.hpp"
#include "dragoman/check/report.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/reading.hpp"

namespace dragoman::cli {
namespace {

// Reports what the checker finds in one file after another.
class CheckTarget final : public StreamTarget {
 public:
  CheckTarget(const check::CheckOptions& options, check::Reporter& reporter, Console& console)
      : options_(options), reporter_(reporter), console_(console) {}

  void name_next(const std::string& file) { file_ = file; }

  void begin() override {
    ++tally_.files;
    bytes_ = 0;
    checker_ = std::make_unique<check::Checker>(options_, [this](const check::Finding& finding) {
      tally_.count(finding.level);
      reporter_.finding(file_, finding, console_.out().buffer());
      console_.out().end_piece();
    });
  }
  bool push(std::string_view bytes) override {
    bytes_ += bytes.size();
    checker_->push(bytes);
    return !console_.out().failed();
  }
  void pause() override { (void)console_.out().flush(); }
  void end() override {
    checker_->finish();
    console_.detail(fmt::format("{}: {}, {}, {}", printable(file_), name(checker_->dialect()),
                                counted(bytes_, "byte"), counted(checker_->lines(), "line")));
  }

  [[nodiscard]] const check::Tally& tally() const { return tally_; }

 private:
  const check::CheckOptions& options_;
  check::Reporter& reporter_;
  Console& console_;
  std::unique_ptr<check::Checker> checker_;
  std::string file_;
  std::uint64_t bytes_ = 0;
  check::Tally tally_;
};

int run_check(const Invocation& invocation, Console& console) {
  const bool as_json = invocation.has("json");
  const std::string wanted = invocation.value("format").value_or(as_json ? "json" : "text");
  if (as_json && wanted != "json") {
    return console.fail(fmt::format("check: --json and --format {} contradict each other", wanted));
  }
  const auto format = check::format_named(wanted);
  if (!format.has_value()) return console.fail("check: unknown --format");
  const auto files = inputs(invocation, console);
  if (!files) return console.fail(files.error().message);

  const auto reading = reading_options(invocation);
  if (!reading) return console.fail(reading.error().message);
  const check::CheckOptions options{reading->dialect, reading->reader.mode,
                                    reading->reader.line_cap};
  const auto reporter = check::make_reporter(*format, console.colors_stdout());
  CheckTarget target(options, *reporter, console);
  reporter->begin(console.out().buffer());
  int exit_code = kOk;
  for (const std::string& file : *files) {
    target.name_next(file == "-" ? "stdin" : file);
    if (const auto read = pump(file, target); !read) {
      exit_code = console.fail(read.error().message);
      break;
    }
    if (console.out().failed()) break;
  }
  const check::Tally& tally = target.tally();
  reporter->finish(tally, console.out().buffer());
  if (exit_code == kOk && tally.errors + tally.warnings + tally.infos == 0) {
    console.note("nothing found in " + counted(tally.files, "file"));
  }
  if (exit_code != kOk) return exit_code;
  return tally.errors > 0 ? kFindings : kOk;
}

}  // namespace

CommandSpec check_command() {
  return {"check",
          "a capture against its specification: line:column, rule, message, hint",
          "Exit code 3 when there are findings of level error. docs/rules.md lists the rules; in "
          "strict\n"
          "mode the rules about form are errors too.",
          {{"format", "FORMAT", "how to report", {"text", "json", "sarif", "github"}},
           {"json", "", "the same as --format json"},
           from_option(),
           mode_option(),
           line_cap_option(),
           quiet_option(),
           verbose_option(),
           color_option()},
          {files_argument()},
          {"dragoman check session.md", "dragoman check --mode strict --format github *.md"},
          run_check};
}

}  // namespace dragoman::cli
