// SPDX-License-Identifier: Apache-2.0
// dragoman replay: a recorded run once more, for people or in the place of the agent.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/named_run.hpp"
#include "dragoman/cli/replay_agent.hpp"
#include "dragoman/cli/run_views.hpp"
#include "dragoman/cli/suggest.hpp"
#include "dragoman/engine/stream.hpp"
#include "dragoman/event/json.hpp"

namespace dragoman::cli {
namespace {

std::optional<double> speed_in(const std::string& text) {
  double speed = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, speed);
  if (error != std::errc() || last != end || !(speed >= 0)) return std::nullopt;
  return speed;
}

Timestamp time_of(const record::CommandRecord& command, std::chrono::microseconds at) {
  return parse_timestamp(command.started_at).value_or(Timestamp{}) +
         std::chrono::duration_cast<std::chrono::milliseconds>(at);
}

// The events as they were told when the run went on: in their order, at their time, and with what
// is nobody's output, such as answers, limits and the end.
void play_events(const std::vector<std::string>& lines, Timestamp begun, ReplayPace pace,
                 engine::Audience& view) {
  constexpr std::chrono::seconds kRest{1};  // between turns
  pace.wait_for({});
  std::optional<Timestamp> rested;
  for (const std::string& line : lines) {
    Arena arena;
    const auto event = read_event(line, arena);
    if (!event) continue;
    if (rested && event->ts && *event->ts > *rested + kRest) begun += *event->ts - *rested - kRest;
    rested = event->as<Finished>() != nullptr ? event->ts : std::nullopt;
    if (event->ts.has_value() && pace.is_ahead_of(*event->ts - begun)) view.idle();
    if (event->ts.has_value()) pace.wait_for(*event->ts - begun);
    std::string buffer;
    engine::EventLine told(*event, buffer);
    view.event(*event, told);
  }
}

// What can be read from the bytes alone, where nothing else was kept.
void play_bytes(record::Reader& run, ReplayPace pace, engine::Audience& view) {
  std::string buffer;
  engine::EventStream stream([&view](const Event& event) { view.live(event); },
                             [&view, &buffer](const Event& event) {
                               engine::EventLine line(event, buffer);
                               view.event(event, line);
                             });
  ReaderOptions options;
  options.cwd = run.command().directory;
  const agent::AgentRow* const agent = agent::find_agent(run.command().agent);
  stream.begin(dialect_named(run.command().dialect), options,
               agent != nullptr && agent->goes_on == agent::GoesOn::by_invocation);
  Timestamp now = time_of(run.command(), {});
  while (const auto chunk = run.next()) {
    if (chunk->channel == record::Channel::stdin_) continue;
    pace.wait_for(chunk->at);
    now = time_of(run.command(), chunk->at);
    if (chunk->channel == record::Channel::stdout_) stream.push_stdout(chunk->bytes, now);
    if (chunk->channel == record::Channel::stderr_) stream.push_stderr(chunk->bytes, now);
    view.idle();
  }
  stream.finish(now);
}

void play(record::Reader& run, ReplayPace pace, engine::Audience& view) {
  const auto lines = run.events();
  if (lines && !lines->empty()) return play_events(*lines, time_of(run.command(), {}), pace, view);
  play_bytes(run, pace, view);
}

std::optional<std::size_t> start_in(const std::string& text) {
  std::size_t start = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, start);
  if (error != std::errc() || last != end || start == 0) return std::nullopt;
  return start;
}

int run_replay(const Invocation& invocation, Console& console) {
  const auto found = find_recording(invocation, console, invocation.arguments()[0]);
  auto run = found ? record::Reader::open(found->directory)
                   : Result<std::unique_ptr<record::Reader>>(found.error());
  if (!run) {
    return console.fail(fmt::format("replay: {}", printable_lines(run.error().message)),
                        "RUN is the id of a run, 'last', or a directory of a recording");
  }
  ReplayPace pace;
  if (const auto given = invocation.value("speed")) {
    const auto speed = speed_in(*given);
    if (!speed.has_value()) {
      return console.fail(
          fmt::format("replay: --speed: '{}' is not a number from 0 on", printable(*given)));
    }
    pace.speed = *speed;
  }
  if (!invocation.has("as-agent")) {
    if (invocation.has("fault") || invocation.has("start")) {
      return console.fail("replay: --fault and --start need --as-agent");
    }
    const bool json = invocation.value("as").value_or("") == "json";
    auto options = run_view_options(json ? RunView::json : RunView::terminal, invocation);
    options.begun = time_of((*run)->command(), {});
    const auto view = make_run_view(options, console);
    play(**run, pace, *view);
    return kOk;
  }
  const auto faults = read_faults(invocation.values("fault"));
  if (!faults) return console.fail(fmt::format("replay: {}", printable(faults.error().message)));
  // Called as the agent would be to go on, it is the next start that is played.
  const std::vector<std::string> words =
      invocation.behind_dashes().value_or(std::vector<std::string>());
  const bool resumed = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--resume" || word == "resume";
  });
  std::size_t start = resumed ? 2 : 1;
  if (const auto given = invocation.value("start")) {
    const auto number = start_in(*given);
    if (!number.has_value()) {
      return console.fail(
          fmt::format("replay: --start: '{}' is not a whole number from 1 on", printable(*given)));
    }
    start = *number;
  }
  const auto part = replay_part(found->directory, start);
  if (!part.has_value()) return console.fail(fmt::format("replay: the run has no start {}", start));
  return replay_as_agent(**run, *part, pace, *faults);
}

}  // namespace

CommandSpec replay_command() {
  return {
      "replay",
      "play a recorded run again, or act as its agent",
      "--as-agent behaves like the program that was recorded: it waits for what that one was "
      "given\n"
      "on stdin, prints the same bytes at the same pace and ends with the same exit code. The "
      "words\n"
      "behind -- are those an orchestrator would give the agent; with --resume or resume among "
      "them\n"
      "the second start of the run is played.",
      {{"speed", "N", "that many times as fast; 0 is without waiting"},
       {"as", "VIEW", "how to show it", {"terminal", "json"}},
       {"as-agent", "", "act as the agent's program"},
       {"start", "N", "which start of the agent is played, from 1"},
       {"fault", "KIND", "what goes wrong: " + listed(fault_names()), {}, 0, true},
       color_option()},
      {{.name = "RUN",
        .help = "the run: its id, 'last', or the directory of its recording",
        .required = true,
        .takes_file = true,
        .live = Live::runs}},
      {"dragoman replay last --speed 10",
       "dragoman replay ./run --as-agent --fault hang-after-result -- -p"},
      run_replay,
      {},
      "ARGS…",
  };
}

}  // namespace dragoman::cli
