// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/session.hpp"

#include <boost/asio/post.hpp>
#include <csignal>

#include <fmt/format.h>

#include "dragoman/agent/wall_clock.hpp"
#include "dragoman/dialect/failure_reason.hpp"
#include "dragoman/event/json.hpp"

namespace dragoman::agent {
namespace {

// Beyond that the text of a plain-text run is left to the raw recording, which has it anyway.
constexpr std::uint64_t kRecordedText = std::uint64_t{64} << 20U;
constexpr std::chrono::milliseconds kTick{50};
constexpr int kIdle = 4;  // ticks without a word
// Responses that an agent has not read. One at work reads them at once.
constexpr std::size_t kMostUnread = std::size_t{8} << 20U;

}  // namespace

Session::Session(boost::asio::io_context& io, const AgentRow& agent, Plan plan,
                 record::Recording& recording, Company company, std::function<void(Ending)> done)
    : io_(io),
      agent_(agent),
      plan_(std::move(plan)),
      recording_(recording),
      audience_(company.audience),
      asker_(company.asker),
      done_(std::move(done)),
      fold_(agent.dialect),
      stream_([this](const Event& event) { audience_.live(event); },
              [this](const Event& event) { handle(event); },
              [this](Event& event) { return admit(event); }, [this] { return recording_.rules(); }),
      ticker_(io),
      waiting_(io),
      started_(Clock::now()),
      session_id_(plan_.request.resume) {
  fold_.know_directory(plan_.request.cwd);
}

Session::~Session() = default;

std::chrono::microseconds Session::since_start() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started_);
}

Result<void> Session::start() {
  for (const std::string& secret : plan_.request.secrets) keep_secret(secret);
  if (!plan_.left_open.empty()) {
    // Not yet: whoever starts us may have something to say before the first event.
    boost::asio::post(io_, [this] { ask_left_open(); });
    return {};
  }
  DRAGOMAN_TRY(const Launch first, agent_.start(plan_.request, plan_.locate));
  return launch(first);
}

Result<void> Session::launch(const Launch& launch) {
  process::Command command;
  command.program = launch.argv[0];
  command.arguments.assign(launch.argv.begin() + 1, launch.argv.end());
  command.environment = plan_.environment;
  command.directory = plan_.request.cwd;
  const bool conversation = launch.stdin_then == Launch::Stdin::conversation;
  const bool has_input = conversation || !launch.input.empty();
  command.stdin_from = has_input ? process::Stdin::pipe : process::Stdin::null;
  command.terminal = plan_.terminal;
  process::Handlers handlers;
  handlers.output = [this](process::Stream stream, std::string_view bytes) {
    output(stream, bytes);
  };
  handlers.alarm = [this](const process::Alarm& what) { alarm(what); };
  handlers.ended = [this](const process::Outcome& outcome) { ended(outcome); };
  ReaderOptions options;
  options.cwd = plan_.request.cwd;
  options.whole_blocks = true;
  if (!agent_.dialect.has_value()) options.prompt = plan_.request.prompt;
  stream_.begin(agent_.dialect, options, agent_.goes_on == GoesOn::by_invocation);
  DRAGOMAN_TRY(supervisor_, process::Supervisor::start(io_, command, {plan_.limits, plan_.grace},
                                                       std::move(handlers)));
  if (plan_.launched) {
    DRAGOMAN_TRY(auto ends, supervisor_->kill_switch());
    plan_.launched(std::move(ends));
  }
  if (!starts_.empty()) write_starts();
  running_ = true;
  conversing_ = conversation;
  result_seen_ = false;
  expired_ = false;
  control_ = ControlWatch();
  requests_.clear();
  conversation_answers_.clear();
  answered_here_.clear();
  first_input_ = launch.input.size();
  if (has_input) write(launch.input, launch.secret ? kHiddenLine : launch.input);
  if (!conversation && has_input) supervisor_->close_stdin();
  tick();
  return {};
}

void Session::write(std::string bytes, std::string_view recorded_as) {
  (void)recording_.output(record::Channel::stdin_, recorded_as, since_start());
  supervisor_->write(std::move(bytes));
  if (conversing_ && supervisor_->input_pending() > first_input_ + kMostUnread) {
    end_for_unread_input();
  }
}

// What we have to say to it would only pile up here.
void Session::end_for_unread_input() {
  input_unread_ = true;
  conversing_ = false;
  diagnose(
      "input_unread", Level::error,
      fmt::format("the agent asks and does not read the answers: {} MiB of them wait; it is ended",
                  supervisor_->input_pending() >> 20U));
  supervisor_->stop();
}

void Session::tick() {
  ticker_.expires_after(kTick);
  ticker_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled || !running_) return;
    silent_ticks_ = spoke_ ? 0 : silent_ticks_ + 1;
    if (silent_ticks_ <= 1) {
      stream_.show_beginning();
      audience_.pause();
    } else if (silent_ticks_ > kIdle && !idle_told_) {
      idle_told_ = true;
      stream_.idle();
      audience_.idle();
    }
    spoke_ = false;
    tick();
  });
}

void Session::output(process::Stream stream, std::string_view bytes) {
  spoke_ = true;
  idle_told_ = false;
  if (stream == process::Stream::stderr_) {
    stream_.push_stderr(recording_.output(record::Channel::stderr_, bytes, since_start()),
                        wall_clock());
    return audience_.pause();
  }
  // What is sent back is what was asked, not what may be kept of it: before the redaction.
  if (conversing_) {
    control_.push(bytes, [this](ControlRequest request) { take_request(std::move(request)); });
  }
  stream_.push_stdout(recording_.output(record::Channel::stdout_, bytes, since_start()),
                      wall_clock());
  audience_.pause();
}

void Session::handle(const Event& event) {
  fold_.on_event(event);
  if (!event.partial) {
    last_.add(event);
    const DisplayText* const plain = plain_text(event);
    if (plain != nullptr) recorded_text_ += plain->text.bytes.size();
    if (!recording_.directory().empty() && (plain == nullptr || recorded_text_ < kRecordedText)) {
      json_.clear();
      append_json(json_, event);
      recording_.event(json_);
    }
  }
  audience_.event(event);
  if (!was_refused(event)) keep_question_of(event);
  if (const auto* const started = event.as<SessionStarted>()) see_session(*started);
  if (const auto* const limit = event.as<RateLimited>()) see_limit(*limit);
  if (const auto* const tool = event.as<ToolStarted>()) see_tool(*tool);
  if (const auto* const tool = event.as<ToolFinished>()) see_tool(*tool);
  if (const auto* const failure = event.as<Failure>()) {
    if (failure->reason == "session_expired") expired_ = true;
  }
  const bool claim =
      event.as<CompletionClaimed>() != nullptr && stream_.dialect() == Dialect::markers;
  if (event.as<TurnFinished>() != nullptr || claim) {
    see_result();
  } else if (result_seen_ && running_ &&
             (event.as<ToolStarted>() != nullptr || event.as<Thinking>() != nullptr ||
              event.origin.channel == Channel::assistant_text)) {
    result_seen_ = false;
    supervisor_->work_resumed();
  } else if (event.as<Status>() != nullptr && result_seen_ && running_ &&
             fold_.in_flight().empty()) {
    supervisor_->result_seen();
  }
  if (event.origin.stream == Stream::stderr_) watch_stderr(event);
}

void Session::see_session(const SessionStarted& started) {
  if (started.session_id.empty() || started.session_id == session_id_) return;
  const std::string& wanted = plan_.request.resume;
  if (!wanted.empty() && session_id_ == wanted) {
    boost::asio::post(io_, [this, now = std::string(started.session_id), wanted] {
      diagnose("session_changed", Level::warning,
               fmt::format("session {} was to be resumed, but the agent is in {}", wanted, now));
    });
  }
  session_id_ = started.session_id;
  plan_.command.session_id = session_id_;
  plan_.command.dialect = name(stream_.dialect());
  recording_.update_command(plan_.command);
}

// A result is the end of a turn. It is the end of the run when nothing goes on behind it and nobody
// has to be asked; Claude is then told so by the end of its input.
void Session::see_result() {
  result_seen_ = true;
  if (!running_ || !fold_.in_flight().empty()) return;
  if (pending_.first_in_conversation() != nullptr) return;
  if (conversing_) supervisor_->close_stdin();
  conversing_ = false;
  supervisor_->result_seen();
}

void Session::watch_stderr(const Event& event) {
  const auto* const text = event.as<DisplayText>();
  if (text == nullptr || agent_.goes_on != GoesOn::by_session || expired_) return;
  if (failure_reason({{}, {}, {}, text->text.bytes}) != "session_expired") return;
  expired_ = true;
  boost::asio::post(io_, [this, words = std::string(text->text.bytes)] {
    Failure failure;
    failure.message = json::Text(std::string_view(words));
    failure.recoverable = Recoverable::false_;
    failure.reason = "session_expired";
    if (!finished_) stream_.tell(failure, wall_clock());
  });
}

void Session::diagnose(std::string_view rule, Level level, std::string_view message,
                       std::span<const Extra> extra) {
  if (!finished_) stream_.tell(Diagnostic{rule, level, message}, wall_clock(), extra);
}

void Session::alarm(const process::Alarm& alarm) {
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

void Session::stop_asking(Withdrawn how) {
  if (!asking_.empty()) asker_->withdraw(how);
  asking_.clear();
}

void Session::interrupt(int signal) {
  const bool again = interrupted_ != 0;
  interrupted_ = signal;
  if (finished_) return;
  if (!running_) {
    stop_asking(Withdrawn::for_good);
    waiting_.cancel();
    end_.ended_by = EndedBy::cancel;
    finish();
    return;
  }
  if (again) {
    supervisor_->stop(std::chrono::milliseconds(0));
    return;
  }
  stop_asking(Withdrawn::for_good);
  if (conversing_) {
    const std::string request = interrupt_request("dragoman-interrupt");
    write(request, request);
    supervisor_->close_stdin();
    conversing_ = false;
  } else {
    supervisor_->signal(signal);
  }
  // The signal has asked it to end; after the grace nobody asks again.
  waiting_.expires_after(plan_.grace);
  waiting_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled && running_) supervisor_->stop(std::chrono::milliseconds(0));
  });
}

void Session::ended(const process::Outcome& outcome) {
  running_ = false;
  conversing_ = false;
  ticker_.cancel();
  waiting_.cancel();
  stop_asking(Withdrawn::for_now);
  stream_.push_stdout(recording_.end(record::Channel::stdout_, since_start()), wall_clock());
  stream_.push_stderr(recording_.end(record::Channel::stderr_, since_start()), wall_clock());
  stream_.finish(wall_clock());
  pending_.conversation_is_over();
  outcome_ = outcome;
  end_ = {};
  switch (outcome.exit.how) {
    case process::Exit::How::exited:
      end_.exit_code = outcome.exit.code;
      break;
    case process::Exit::How::signal:
      end_.signal = outcome.exit.code;
      break;
    case process::Exit::How::lost:
      end_.exit_code = process::exit_code_of(outcome.exit);
      break;
  }
  end_.survivors = outcome.exit.survivors;
  if (outcome.timeout.has_value()) {
    timeout_ = outcome.timeout;
    end_.ended_by = outcome.timeout->what.limit == process::Limit::after_result
                        ? EndedBy::after_result
                        : EndedBy::timeout;
  }
  if (nobody_answers_ && outcome.stopped) end_.ended_by = EndedBy::question;
  if (interrupted_ != 0) end_.ended_by = EndedBy::cancel;
  note_launch();
  boost::asio::post(io_, [this] {
    supervisor_.reset();
    after_end();
  });
}

}  // namespace dragoman::agent
