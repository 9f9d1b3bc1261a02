// SPDX-License-Identifier: Apache-2.0
// dragoman show: any dialect, for people.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "dragoman/base/random.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/event_lines.hpp"
#include "dragoman/cli/live_inputs.hpp"
#include "dragoman/cli/named_run.hpp"
#include "dragoman/cli/reading.hpp"
#include "dragoman/cli/screen.hpp"
#include "dragoman/record/reader.hpp"
#include "dragoman/show/live_view.hpp"
#include "dragoman/show/renderer.hpp"
#include "dragoman/show/terminal_echo.hpp"
#include "dragoman/show/terminal_signals.hpp"

namespace dragoman::cli {
namespace {

using show::LiveView;
using show::RunIndex;
using show::TerminalSignals;
using Clock = LiveView::Clock;

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// One thing to show: a file, or what was recorded of a run.
struct Shown {
  std::string path;
  std::string name;                     // of a file as it was given, of a run its id
  bool events = false;                  // the file has events, not the words of an agent
  std::optional<Dialect> dialect = {};  // of a recorded run
};

std::vector<std::string> paths_of(const std::vector<Shown>& all) {
  std::vector<std::string> paths(all.size());
  std::ranges::transform(all, paths.begin(), &Shown::path);
  return paths;
}

// What a run is called beside others: its id or its file's name, or the whole path where two share
// a name.
std::vector<std::string> labels_of(const std::vector<Shown>& all) {
  std::vector<std::string> labels(all.size());
  if (all.size() < 2) return labels;
  for (std::size_t i = 0; i < all.size(); ++i) {
    labels[i] = all[i].path == "-" ? "stdin" : std::filesystem::path(all[i].name).stem().string();
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::count(labels.begin(), labels.end(), labels[i]) > 1) labels[i] = all[i].name;
  }
  return labels;
}

// A recording is shown as the run was told; one without events by what its agent printed.
Result<Shown> shown_recording(const NamedRecording& recording) {
  std::error_code failed;
  DRAGOMAN_TRY(const auto run, record::Reader::open(recording.directory));
  Shown shown{recording.directory / "events.jsonl", recording.name, true,
              dialect_named(run->command().dialect)};
  if (std::filesystem::exists(shown.path, failed)) return shown;
  shown.path = recording.directory / "stdout";
  shown.events = false;
  return shown;
}

Result<std::vector<Shown>> what_to_show(const Invocation& invocation, Console& console) {
  std::vector<Shown> all;
  if (invocation.arguments().empty()) {
    DRAGOMAN_CHECK(inputs(invocation, console));
    all.push_back({"-", "-"});
    return all;
  }
  for (const std::string& word : invocation.arguments()) {
    DRAGOMAN_TRY(const auto run, recording_instead_of_file(invocation, console, word));
    if (!run) {
      all.push_back({word, word});
      continue;
    }
    auto shown = shown_recording(*run);
    // A directory that is no recording is complained about as the file that it is not.
    all.push_back(shown ? *std::move(shown) : Shown{word, word});
  }
  DRAGOMAN_CHECK(check_inputs(paths_of(all)));
  return all;
}

// Where events of all inputs go: a live view for terminals and pipes, a renderer for documents.
class ShowTarget final : public InputsTarget {
 public:
  struct Wishes {
    ReadingOptions reading;
    std::vector<Shown> inputs;
    show::Format format = show::Format::terminal;
    show::RenderOptions render;
    bool status_area = false;
    bool echo = true;  // what is typed may be seen
    bool fixed_width = false;
  };

  ShowTarget(Wishes wishes, std::vector<std::string> labels, Console& console)
      : wishes_(std::move(wishes)),
        labels_(std::move(labels)),
        console_(console),
        echo_(wishes_.echo ? -1 : STDOUT_FILENO) {
    sinks_.reserve(labels_.size());
    for (std::size_t i = 0; i < labels_.size(); ++i) sinks_.push_back({*this, i});
    readers_.resize(labels_.size());
    begun_.resize(labels_.size());
    if (wishes_.format == show::Format::terminal && !wishes_.render.timeline) {
      const auto area = wishes_.status_area ? LiveView::StatusArea::yes : LiveView::StatusArea::no;
      live_.emplace(
          wishes_.render, area, [this](std::string_view bytes) { return write(bytes); },
          Clock::now());
    } else {
      renderer_ = show::make_renderer(wishes_.format, wishes_.render);
    }
  }

  void begin(std::size_t input) override {
    readers_[input] = reader_of(wishes_.inputs[input]);
    begun_[input] = false;
    if (live_) {
      live_->begin(input, labels_[input]);
    } else {
      renderer_->begin(input, labels_[input], console_.out().buffer());
    }
  }
  void push(std::size_t input, std::string_view bytes) override {
    readers_[input]->push(bytes, sinks_[input]);
  }
  void end(std::size_t input) override {
    readers_[input]->finish(sinks_[input]);
    if (live_) {
      live_->end(input);
    } else {
      renderer_->end(input, console_.out().buffer());
    }
  }
  void changed(std::size_t input, Change change) override {
    if (live_) live_->suspend();
    console_.note(fmt::format("{} was {}: showing it from the start",
                              labels_[input].empty() ? "the file" : printable(labels_[input]),
                              change == Change::cut_off ? "cut off" : "replaced"));
  }
  void idle() override {
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      if (readers_[i] != nullptr) readers_[i]->idle(sinks_[i]);
    }
    if (live_) live_->idle();
    if (renderer_ != nullptr) renderer_->idle(console_.out().buffer());
  }
  bool tick() override;
  std::optional<std::chrono::milliseconds> patience() override {
    return live_ ? live_->until_next(Clock::now()) : std::nullopt;
  }
  // Gives back a second document that goes elsewhere; mostly none.
  std::string finish() {
    if (live_) live_->close();
    echo_.on();
    if (renderer_ == nullptr) return {};
    renderer_->finish(console_.out().buffer());
    return renderer_->summary();
  }

 private:
  class Sink final : public EventSink {
   public:
    Sink(ShowTarget& target, RunIndex run) : target_(&target), run_(run) {}
    void on_event(const Event& event) override { target_->show(run_, event); }

   private:
    ShowTarget* target_;
    RunIndex run_;
  };

  [[nodiscard]] std::unique_ptr<Reader> reader_of(const Shown& shown) const {
    if (shown.events) return make_event_line_reader(shown.dialect.value_or(Dialect::text));
    ReadingOptions reading = wishes_.reading;
    if (!reading.dialect) reading.dialect = shown.dialect;
    return open_reader(reading);
  }

  void show(RunIndex run, const Event& event) {
    if (live_) {
      // Its first words are shown like those behind the first marker.
      if (!begun_[run]) live_->expect(run, readers_[run]->dialect());
      begun_[run] = true;
      live_->event(run, event);
    } else {
      renderer_->event(run, event, console_.out().buffer());
      console_.out().end_piece();
    }
  }
  bool write(std::string_view bytes) {
    console_.out().write(bytes);
    return console_.out().flush();
  }

  Wishes wishes_;
  std::vector<std::string> labels_;
  Console& console_;
  std::vector<Sink> sinks_;
  std::vector<std::unique_ptr<Reader>> readers_;
  std::vector<bool> begun_;  // whether anything of it was shown
  std::optional<LiveView> live_;
  show::TerminalEcho echo_;
  std::unique_ptr<show::Renderer> renderer_;
};

bool ShowTarget::tick() {
  if (TerminalSignals::take_resize() && live_ && !wishes_.fixed_width) {
    live_->resize(screen_width());
  }
  if (TerminalSignals::take_stop()) {
    if (live_) live_->suspend();
    echo_.on();
    TerminalSignals::stop();
    if (live_ && !wishes_.fixed_width) live_->resize(screen_width());
  }
  if (live_) {
    echo_.off();
    live_->tick(Clock::now());
  } else {
    (void)console_.out().flush();
  }
  return !console_.out().failed() && TerminalSignals::ended() == 0;
}

show::Detail detail_of(const Invocation& invocation) {
  if (invocation.has("verbose")) return show::Detail::verbose;
  return invocation.has("quiet") ? show::Detail::quiet : show::Detail::normal;
}

// The summary of a GitHub job, where the runner says that it wants one.
Result<void> keep_summary(const std::string& summary) {
  const std::string path = variable("GITHUB_STEP_SUMMARY");
  if (summary.empty() || path.empty()) return {};
  const auto failed = [&path](int error) {
    return Error{ErrorCode::tool_error, fmt::format("cannot write the job summary '{}': {}",
                                                    printable(path), std::strerror(error))};
  };
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (file.get() < 0) return failed(errno);
  Output out(file.get());
  out.write(summary);
  if (!out.flush()) return failed(out.error());
  return {};
}

int run_show(const Invocation& invocation, Console& console) {
  const auto files = what_to_show(invocation, console);
  if (!files) return console.fail(printable_lines(files.error().message));
  ShowTarget::Wishes wishes;
  wishes.inputs = *files;
  const auto reading = reading_options(invocation);
  if (!reading) return console.fail(reading.error().message);
  wishes.reading = *reading;
  wishes.format = show::format_named(invocation.value("as").value_or("terminal"))
                      .value_or(show::Format::terminal);
  wishes.render.width = screen_width();
  if (const auto given = invocation.value("width")) {
    const auto width = number_in(*given);
    if (!width || *width < kNarrowest || *width > kWidest) {
      return console.fail(
          fmt::format("show: --width: '{}' is no number of columns", printable(*given)),
          fmt::format("give one from {} to {}", kNarrowest, kWidest));
    }
    const bool has_columns = wishes.format == show::Format::terminal ||
                             (wishes.format == show::Format::github && invocation.has("timeline"));
    if (!has_columns) {
      return console.fail(fmt::format("show: --as {} has no columns, so --width has no meaning",
                                      show::name(wishes.format)),
                          "see 'dragoman help show'");
    }
    wishes.render.width = *width;
    wishes.fixed_width = true;
  }
  wishes.render.color = screen_colors(invocation.value("color").value_or("auto"));
  wishes.render.detail = detail_of(invocation);
  wishes.render.wrap_plain_text = wishes.fixed_width || ::isatty(STDOUT_FILENO) == 1;
  wishes.render.timeline = invocation.has("timeline");
  wishes.render.title = files->size() == 1 && files->front().path != "-"
                            ? std::filesystem::path(files->front().name).filename().string()
                            : "dragoman";
  if (wishes.format == show::Format::github) wishes.render.secret = random_bytes(16);
  const auto follow = invocation.has("follow") ? LiveInputs::Follow::yes : LiveInputs::Follow::no;
  const std::vector<std::string> paths = paths_of(*files);
  auto opened = LiveInputs::open(paths, follow);
  if (!opened) return console.fail(opened.error().message);
  const bool live = opened->wait_for_more();
  wishes.reading.reader.partial = live;
  wishes.reading.reader.whole_blocks = false;  // a view shows what there is
  wishes.status_area = live && is_smart_terminal();
  // Whoever types at the input, or is asked by a program before the pipe, wants to see it.
  wishes.echo = !wishes.status_area || std::ranges::count(paths, "-") > 0;

  const TerminalSignals signals(is_smart_terminal() ? STDOUT_FILENO : -1);
  ShowTarget target(std::move(wishes), labels_of(*files), console);
  const auto read = opened->run(target);
  const std::string summary = target.finish();
  if (!read) return console.fail(read.error().message);
  if (const auto kept = keep_summary(summary); !kept) {
    return console.fail(kept.error().message,
                        "GITHUB_STEP_SUMMARY names the file; without it there is no summary");
  }
  return TerminalSignals::ended() != 0 ? 128 + TerminalSignals::ended() : kOk;
}

ArgumentSpec shown_argument() {
  ArgumentSpec argument = files_argument();
  argument.live = Live::runs;
  return argument;
}

}  // namespace

CommandSpec show_command() {
  return {
      "show",
      "what agents do, for people",
      "Each FILE is a run of its own; several are labelled, and shown side by side with --follow.\n"
      "What 'dragoman run' or a task did is shown by the run's id, 'last' or its directory.\n"
      "Without FILE, or with '-', stdin is shown as it comes. On a terminal the last lines say "
      "what\n"
      "is going on right now; in a pipe there are none. The exit code is 0 whatever the input "
      "says.",
      {{"as", "FORMAT", "what to make of it", {"terminal", "html", "markdown", "github"}},
       from_option(),
       mode_option(),
       line_cap_option(),
       {"follow",
        "",
        "go on as the files grow; one that is cut off or replaced is shown anew",
        {},
        'f'},
       {"width", "N", "columns, instead of the terminal's; pages have none"},
       {"timeline", "", "what the time was spent on, instead of what was said"},
       {"quiet", "", "only what was said, what went wrong and what is asked", {}, 'q'},
       {"verbose", "", "inputs and outputs of tools in full, and every report", {}, 'v'},
       color_option()},
      {shown_argument()},
      {"claude -p … --output-format stream-json --verbose | dragoman show",
       "dragoman show --follow run/*.jsonl", "dragoman show last",
       "dragoman show --as html session.md > session.html"},
      run_show,
  };
}

}  // namespace dragoman::cli
