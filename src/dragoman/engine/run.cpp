// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/run.hpp"

#include <utility>

#include <fmt/format.h>

#include "dragoman/base/random.hpp"
#include "dragoman/dialect/failure_reason.hpp"

namespace dragoman::engine {
namespace {

constexpr std::chrono::milliseconds kTick{50};
constexpr int kIdle = 4;  // ticks without a word
// Responses that an agent has not read. One at work reads them at once.
constexpr std::size_t kMostUnread = std::size_t{8} << 20U;

constexpr std::string_view kHiddenLine = "[hidden]\n";  // instead of a secret input

}  // namespace

Run::Run(const Services& services, Plan plan, Owner owner)
    : with_(services),
      plan_(std::move(plan)),
      owner_(std::move(owner)),
      conversation_(*plan_.agent, std::exchange(plan_.request, {}), random_number()),
      chronicle_(with_.recording, with_.loop, plan_.agent->dialect),
      stream_([this](const Event& event) { with_.audience.live(event); },
              [this](const Event& event) { handle(event); },
              [this](Event& event) { return conversation_.admit(event); },
              [this] { return with_.recording.rules(); }),
      risks_(plan_.judge),
      ticker_(with_.loop.timer()),
      waiting_(with_.loop.timer()),
      keep_(with_.loop.timer()) {
  chronicle_.fold().know_directory(conversation_.request().cwd);
  if (plan_.past) go_on();
}

Run::~Run() = default;

Result<void> Run::start() {
  for (const std::string& secret : conversation_.request().secrets) keep_secret(secret);
  if (plan_.left_open.empty()) {
    DRAGOMAN_CHECK(launch(conversation_.begin()));
    with_.loop.post([this] {
      if (plan_.past) leave_past_behind();
      if (plan_.message) tell_message();
    });
    return {};
  }
  state_ = State::resting;
  // Not yet: the owner of the run may have something to say before the first event.
  with_.loop.post([this] {
    for (const agent::Asked& asked : plan_.left_open) tell_open(asked);
    conversation_.ask_rest();
    catch_up();
  });
  return {};
}

// The prompt of a later turn is news, as a message is that an agent at work has taken.
void Run::tell_message() {
  const DisplayText said{json::Text(std::string_view(plan_.message->text)), std::nullopt};
  stream_.tell(said, with_.loop.wall(), {}, Channel::user);
  owner_.heard(plan_.message->number);
}

process::Handlers Run::handlers() {
  process::Handlers handlers;
  handlers.output = [this](process::Stream stream, std::string_view bytes) {
    output(stream, bytes);
  };
  handlers.alarm = [this](const process::Alarm& what) { alarm(what); };
  handlers.ended = [this](const process::Outcome& outcome) { ended(outcome); };
  return handlers;
}

Result<void> Run::launch(agent::Launch launch) {
  DRAGOMAN_TRY(launch.argv[0], plan_.locate(launch.argv[0]));
  process::Command command;
  command.program = launch.argv[0];
  command.arguments.assign(launch.argv.begin() + 1, launch.argv.end());
  command.environment = plan_.environment;
  command.directory = conversation_.request().cwd;
  const bool conversation = launch.stdin_then == agent::Launch::Stdin::conversation;
  const bool has_input = conversation || !launch.input.empty();
  command.stdin_from = has_input ? process::Stdin::pipe : process::Stdin::null;
  command.terminal = plan_.terminal;
  ReaderOptions options;
  options.cwd = command.directory;
  options.whole_blocks = true;
  if (!plan_.agent->dialect.has_value()) options.prompt = conversation_.request().prompt;
  stream_.begin(plan_.agent->dialect, options,
                plan_.agent->goes_on == agent::GoesOn::by_invocation);
  process::Settings settings;
  settings.limits = plan_.limits;
  settings.grace = plan_.grace;
  DRAGOMAN_TRY(program_, with_.spawner.start(command, settings, handlers()));
  if (plan_.launched) {
    DRAGOMAN_TRY(auto ends, program_->kill_switch());
    plan_.launched(std::move(ends));
  }
  chronicle_.started();
  if (plan_.past) with_.recording.turn_began();
  state_ = State::running;
  start_ = {};
  start_.first_input = launch.input.size();
  start_.in_flight = chronicle_.fold().in_flight();
  conversation_.started(launch);
  if (has_input) write(launch.input, launch.secret ? kHiddenLine : std::string_view(launch.input));
  if (!conversation && has_input) program_->close_stdin();
  tick();
  return {};
}

void Run::write(std::string bytes, std::string_view recorded_as) {
  (void)with_.recording.output(record::Channel::stdin_, recorded_as, chronicle_.since_start());
  program_->write(std::move(bytes));
  if (conversation_.is_open() && program_->input_pending() > start_.first_input + kMostUnread)
    end_for_unread_input();
}

// What is said to it would only pile up here.
void Run::end_for_unread_input() {
  stop_.input_unread = true;
  conversation_.close();
  later([this, pending = program_->input_pending() >> 20U] {
    diagnose("input_unread", Level::error,
             fmt::format(
                 "the agent asks and does not read the answers: {} MiB of them wait; it is ended",
                 pending));
  });
  program_->stop();
}

void Run::tick() {
  ticker_->after(kTick, [this] {
    if (state_ != State::running) return;
    silence_.ticks = silence_.spoke ? 0 : silence_.ticks + 1;
    if (silence_.ticks <= 1) {
      stream_.show_beginning();
      with_.audience.pause();
    } else if (silence_.ticks > kIdle && !silence_.idle_told) {
      silence_.idle_told = true;
      stream_.idle();
      with_.audience.idle();
    }
    silence_.spoke = false;
    catch_up();
    tick();
  });
}

void Run::output(process::Stream stream, std::string_view bytes) {
  silence_.spoke = true;
  silence_.idle_told = false;
  const auto at = chronicle_.since_start();
  if (stream == process::Stream::stderr_) {
    stream_.push_stderr(with_.recording.output(record::Channel::stderr_, bytes, at),
                        with_.loop.wall());
  } else {
    conversation_.hear(bytes);
    stream_.push_stdout(with_.recording.output(record::Channel::stdout_, bytes, at),
                        with_.loop.wall());
  }
  catch_up();
  with_.audience.pause();
}

void Run::handle(const Event& event) {
  EventLine line(event, line_);
  chronicle_.see(event, line);
  with_.audience.event(event, line);
  if (const auto* const started = event.as<SessionStarted>()) see_session(*started);
  conversation_.see(event);
  if (const auto* const limit = event.as<RateLimited>()) see_limit(*limit);
  if (const auto* const tool = event.as<ToolStarted>()) risks_.see(*tool);
  if (const auto* const tool = event.as<ToolFinished>()) {
    if (auto what = risks_.see(*tool)) later([this, what = *std::move(what)] { warn_of(what); });
  }
  if (const auto* const failure = event.as<Failure>()) {
    if (failure->reason == "session_expired") start_.expired = true;
  }
  watch_turn(event);
  if (event.origin.stream == Stream::stderr_) watch_stderr(event);
}

void Run::watch_turn(const Event& event) {
  const bool work = event.as<ToolStarted>() != nullptr || event.as<Thinking>() != nullptr ||
                    event.origin.channel == Channel::assistant_text ||
                    conversation_.is_message(event);
  // It was told more, or goes on by itself, as it does when a task in its background has ended.
  if (state_ == State::kept && work) begin_turn();
  if (state_ != State::running) return;
  const bool claim =
      event.as<CompletionClaimed>() != nullptr && stream_.dialect() == Dialect::markers;
  if (event.as<TurnFinished>() != nullptr || claim) return see_result();
  if (!start_.result_seen) return;
  if (work) {
    start_.result_seen = false;
    program_->work_resumed();
  } else if (event.as<Status>() != nullptr && !works_behind_the_result()) {
    program_->result_seen();
  }
}

// A result is the end of a turn when nothing goes on behind it and nothing is asked.
void Run::see_result() {
  start_.result_seen = true;
  if (works_behind_the_result() && !stop_.turn) return;
  later([this] {
    if (state_ != State::running || !start_.result_seen) return;
    if (!conversation_.waits() || stop_.turn) see_end_of_turn();
  });
}

void Run::see_session(const SessionStarted& started) {
  if (started.session_id.empty() || started.session_id == session_id()) return;
  const std::string& wanted = conversation_.request().resume;
  if (!wanted.empty() && session_id() == wanted) {
    later([this, now = std::string(started.session_id), wanted] {
      diagnose("session_changed", Level::warning,
               fmt::format("session {} was to be resumed, but the agent is in {}", wanted, now));
    });
  }
  plan_.command.session_id = started.session_id;
  plan_.command.dialect = name(stream_.dialect());
  with_.recording.update_command(plan_.command);
}

void Run::watch_stderr(const Event& event) {
  const auto* const text = event.as<DisplayText>();
  const bool resumes = plan_.agent->goes_on == agent::GoesOn::by_session;
  if (text == nullptr || !resumes || start_.expired) return;
  if (failure_reason({{}, {}, {}, text->text.bytes}) != "session_expired") return;
  start_.expired = true;
  later([this, words = std::string(text->text.bytes)] {
    Failure failure;
    failure.message = json::Text(std::string_view(words));
    failure.recoverable = Recoverable::false_;
    failure.reason = "session_expired";
    if (state_ != State::over) stream_.tell(failure, with_.loop.wall());
  });
}

void Run::diagnose(std::string_view rule, Level level, std::string_view message,
                   std::span<const Extra> extra) {
  if (state_ == State::over) return;
  stream_.tell(Diagnostic{rule, level, message}, with_.loop.wall(), extra);
}

void Run::alarm(const process::Alarm& alarm) {
  if (state_ == State::kept && conversation_.has_heard_all()) return;  // its turn is told already
  const auto seconds = [](std::chrono::milliseconds time) {
    const double exact = static_cast<double>(time.count()) / 1000;
    return exact < 10 ? fmt::format("{:.3g} s", exact) : fmt::format("{:.0f} s", exact);
  };
  const process::Watchdog::Alarm& what = alarm.what;
  const bool over = what.level == process::Watchdog::Alarm::Level::timeout;
  if (over) timeout_ = alarm;
  std::string why;
  switch (what.limit) {
    case process::Limit::idle:
      why = fmt::format("no output for {}", seconds(what.silent));
      break;
    case process::Limit::hard:
      why = fmt::format("running for {}", seconds(what.elapsed));
      break;
    case process::Limit::after_result:
      why = "still there after its last result";
      break;
  }
  diagnose("watchdog", over ? Level::error : Level::warning,
           fmt::format("{}; the limit is {}{}: {}", why, seconds(what.after),
                       over ? ", it is ended" : "", process::describe(alarm.facts)));
}

void Run::interrupt(int signal) {
  const bool again = stop_.signal != 0;
  stop_.signal = signal;
  if (state_ == State::over) return;
  if (state_ == State::kept && !again) {
    depart();
    return end_in_grace();
  }
  if (state_ == State::kept) return program_->kill();
  if (state_ != State::running) {
    withdraw_all();
    waiting_->cancel();
    end_.ended_by = EndedBy::cancel;
    return finish();
  }
  if (again) return program_->kill();
  withdraw_all();
  if (conversation_.interrupt()) {
    catch_up();
    program_->close_stdin();
    conversation_.close();
  } else {
    program_->signal(signal);
  }
  end_in_grace();
}

void Run::ended(const process::Outcome& outcome) {
  if (state_ != State::kept) state_ = State::resting;
  ticker_->cancel();
  waiting_->cancel();
  keep_->cancel();
  const auto at = chronicle_.since_start();
  stream_.push_stdout(with_.recording.end(record::Channel::stdout_, at), with_.loop.wall());
  stream_.push_stderr(with_.recording.end(record::Channel::stderr_, at), with_.loop.wall());
  stream_.finish(with_.loop.wall());
  conversation_.ended();
  start_.outcome = outcome;
  if (state_ == State::kept) return program_left(outcome);
  state_ = State::resting;  // its last words may have begun a turn
  end_ = {};
  if (outcome.exit.how == process::Exit::How::signal) {
    end_.signal = outcome.exit.code;
  } else {
    end_.exit_code = process::exit_code_of(outcome.exit);
  }
  end_.survivors = outcome.exit.survivors;
  if (outcome.timeout.has_value()) {
    timeout_ = outcome.timeout;
    end_.ended_by = outcome.timeout->what.limit == process::Limit::after_result
                        ? EndedBy::after_result
                        : EndedBy::timeout;
  }
  if (stop_.given_up && outcome.stopped) end_.ended_by = EndedBy::question;
  if (stop_.signal != 0 || stop_.turn) end_.ended_by = EndedBy::cancel;
  chronicle_.start_ended(process::exit_code_of(outcome.exit));
  // Not from within a call of the program, which is gone behind this.
  with_.loop.post([this] {
    program_.reset();
    catch_up();
    after_end();
  });
}

// A wish may bring the next, and an event that is told may as well.
void Run::catch_up() {
  if (std::exchange(catching_up_, true)) return;
  for (;;) {
    auto wishes = conversation_.take_wishes();
    auto deferred = std::exchange(deferred_, {});
    if (wishes.empty() && deferred.empty()) break;
    for (agent::Wish& wish : wishes) carry_out(wish);
    for (const auto& call : deferred) call();
  }
  catching_up_ = false;
  look_for_answers();
}

}  // namespace dragoman::engine
