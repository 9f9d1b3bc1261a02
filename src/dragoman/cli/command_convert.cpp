// SPDX-License-Identifier: Apache-2.0
// dragoman convert: events re-written in another dialect.
#include <array>

#include <fmt/format.h>

#include "dragoman/base/words.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/reading.hpp"
#include "dragoman/dialect/writer.hpp"
#include "dragoman/event/text_lines.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/run/verdict.hpp"

namespace dragoman::cli {
namespace {

// Writes what the dialect has words for and counts the rest.
class WritingSink final : public EventSink {
 public:
  WritingSink(Target target, Output& out) : writer_(make_writer(target)), out_(out) {}

  void on_event(const Event& event) override {
    const auto written = writer_->write(event, out_.buffer());
    out_.end_piece();
    if (!written) {
      ++refused_;
      if (first_refusal_.empty()) {
        first_refusal_ = fmt::format("line {}: {}", event.origin.line, written.error().message);
      }
    } else if (*written == Written::no) {
      ++left_out_[static_cast<std::size_t>(event.kind())];
    }
  }

  void finish() {
    writer_->finish(out_.buffer());
    out_.end_piece();
  }

  // "no words for 12 events: usage 2, thinking 10"
  [[nodiscard]] std::string left_out() const {
    std::uint64_t sum = 0;
    std::string kinds;
    for (std::size_t i = 0; i < kKinds; ++i) {
      if (left_out_[i] == 0) continue;
      sum += left_out_[i];
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", name(static_cast<Kind>(i)),
                           left_out_[i]);
    }
    return sum == 0 ? std::string()
                    : fmt::format("no words for {}: {}", counted(sum, "event"), kinds);
  }
  [[nodiscard]] std::string refused() const {
    if (refused_ == 0) return {};
    return fmt::format("{} {} {}", counted(refused_, "event"),
                       refused_ == 1 ? "was not written:" : "were not written; the first,",
                       printable(first_refusal_));
  }

 private:
  std::unique_ptr<Writer> writer_;
  Output& out_;
  std::array<std::uint64_t, kKinds> left_out_{};
  std::uint64_t refused_ = 0;
  std::string first_refusal_;
};

// Passes events on, and knows in the end how the run they came from ended.
class JudgedEvents final : public EventSink {
 public:
  JudgedEvents(std::optional<Dialect> dialect, EventSink& next) : fold_(dialect), next_(next) {}

  void on_event(const Event& event) override {
    fold_.on_event(event);
    next_.on_event(event);
  }
  void finish(const ProcessEnd& end) {
    const Verdict verdict = judge(fold_.summary(), end);
    const std::vector<std::string> ids = verdict.reasons();
    const std::vector<std::string_view> reasons(ids.begin(), ids.end());
    Event event;
    event.payload = Finished{name(verdict.kind), reasons, end.exit_code, {}};
    next_.on_event(event);
  }

 private:
  RunFold fold_;
  EventSink& next_;
};

std::vector<std::string_view> target_names() {
  std::vector<std::string_view> names;
  for (const Target target : all_targets()) names.push_back(name(target));
  return names;
}

int run_convert(const Invocation& invocation, Console& console) {
  const auto to = invocation.value("to");
  if (!to.has_value())
    return console.fail("convert: --to DIALECT is missing", "see 'dragoman help convert'");
  const auto target = target_named(*to);
  if (!target.has_value())
    return console.fail(fmt::format("convert: no dialect '{}'", printable(*to)));
  const auto files = inputs(invocation, console);
  if (!files) return console.fail(files.error().message);

  const auto options = reading_options(invocation);
  if (!options) return console.fail(options.error().message);
  const auto end = process_end(invocation);
  if (!end) return console.fail(end.error().message);
  WritingSink sink(*target, console.out());
  JudgedEvents judged(options->dialect, sink);
  TextLines lines(end->exit_code ? static_cast<EventSink&>(judged) : sink);
  ReadingTarget reading(*options, lines, console);
  const auto read = pump(files->front(), reading);
  lines.flush();
  if (end->exit_code) judged.finish(*end);
  sink.finish();
  if (!read) return console.fail(read.error().message);
  console.detail(
      fmt::format("{} to {}, {} bytes", name(reading.reader().dialect()), *to, reading.bytes()));
  if (const std::string rest = sink.left_out(); !rest.empty()) {
    console.note(fmt::format("{} has {}", *to, rest));
  }
  if (const std::string refused = sink.refused(); !refused.empty()) console.warn(refused);
  return kOk;
}

}  // namespace

CommandSpec convert_command() {
  return {
      "convert",
      "events re-written in another dialect",
      "What the other dialect has no words for is left out and counted on stderr. The exit code\n"
      "is 0 whatever the input says. A file does not know how its process went: where markers\n"
      "alone claim the end, --exit-code makes it a verdict that delegator and ag-ui can tell.",
      {{.name = "to",
        .value = "DIALECT",
        .help = "what to write",
        .choices = target_names(),
        .required = true},
       from_option(),
       mode_option(),
       line_cap_option(),
       exit_code_option(),
       quiet_option(),
       verbose_option(),
       color_option()},
      {{"FILE", "what to read; '-' is stdin", false, false, true}},
      {"dragoman convert --to markers session.md",
       "claude -p … --output-format stream-json --verbose | dragoman convert --to ag-ui"},
      run_convert};
}

}  // namespace dragoman::cli
