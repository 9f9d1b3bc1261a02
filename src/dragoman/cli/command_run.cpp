// SPDX-License-Identifier: Apache-2.0
// dragoman run: starts an agent, shows it, asks its questions, and says how it ended.
#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <cerrno>
#include <csignal>
#include <functional>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/cli/ask_jsonl.hpp"
#include "dragoman/cli/ask_terminal.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/leftovers.hpp"
#include "dragoman/cli/run_entry.hpp"
#include "dragoman/cli/run_preparation.hpp"
#include "dragoman/cli/run_setup.hpp"
#include "dragoman/cli/run_views.hpp"
#include "dragoman/cli/surfaces.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/process/ending_signals.hpp"

namespace dragoman::cli {
namespace {

// Where a person can be asked: stdin, or the terminal behind it when stdin was the prompt.
Descriptor open_terminal(const RunSetup& setup) {
  if (setup.no_input || setup.jsonl || ::isatty(STDERR_FILENO) != 1) return Descriptor();
  if (!setup.prompt_from_stdin) {
    return Descriptor(::isatty(STDIN_FILENO) == 1 ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : -1);
  }
  return Descriptor(::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY));
}

// Everybody who is told what happens: the registry, where there is one, and whoever looks on.
class Listeners final : public engine::Audience {
 public:
  // `shown`: the view has said something, and the run goes on.
  Listeners(RunEntry* entry, RunWatcher& view, std::function<void()> shown)
      : entry_(entry), view_(view), shown_(std::move(shown)) {}

  void live(const Event& event) override { view_.live(event); }
  void event(const Event& event, engine::EventLine& line) override {
    if (entry_ != nullptr) entry_->event(event, line);
    view_.event(event, line);
    if (event.kind() != Kind::finished) shown_();
  }
  void pause() override {
    view_.pause();
    shown_();
  }
  void idle() override {
    view_.idle();
    shown_();
  }

 private:
  RunEntry* entry_;
  RunWatcher& view_;
  std::function<void()> shown_;
};

// Of a run whose events reach the people or the program that answer: they say what is asked.
class SilentDesk final : public engine::Desk {
 public:
  void ask(const KeptQuestion& /*asked*/, bool /*due*/) override {}
  void answered(const agent::Answered& /*answered*/) override {}
  void withdraw(std::string_view /*id*/, agent::Withdrawn /*how*/) override {}
};

class Runner {
 public:
  Runner(RunSetup setup, RunViewOptions view, Console& console)
      : setup_(std::move(setup)),
        view_options_(std::move(view)),
        console_(console),
        terminal_(open_terminal(setup_)),
        signals_(io_) {
    process::add_ending_signals(signals_);
  }

  int go() {
    auto prepared = prepare_run(setup_.spec, setup_.surroundings);
    if (!prepared) return cannot_start(prepared.error());
    job_ = *std::move(prepared);
    if (!setup_.store.empty()) {
      entry_ = std::make_unique<RunEntry>(
          io_, setup_, *job_, console_,
          RunEntry::Calls{[this](Reply reply) { run_->answer(std::move(reply)); },
                          [this] { run_->end_answers(); }, [this] { run_->interrupt(SIGTERM); },
                          [this](engine::Message message) { begin_turn(std::move(message)); },
                          [this] { run_->interrupt_turn(); },
                          [this](const std::string& why) { refuse_message(why); }});
    }
    auto surfaces = RunSurfaces::open(setup_.store, setup_.surface_settings, setup_.surfaces);
    if (!surfaces) return cannot_start(surfaces.error());
    surfaces_ = *std::move(surfaces);
    // A command is asked nothing: what it wanted to know is shown as anything else.
    view_options_.asks = terminal_.get() >= 0 && agent().can_be_answered();
    view_options_.io = &io_;
    view_options_.begun = engine::wall_clock();
    view_ = make_run_view(view_options_, console_);
    listeners_ = std::make_unique<Listeners>(entry_.get(), *view_, [this] { look_for_reader(); });
    run_ = job_->begin(loop_, spawner_, *listeners_, make_desk(), owner());
    wait_for_signal();
    if (auto started = run_->start(); !started) {
      view_.reset();
      if (entry_ != nullptr) entry_->not_started(started.error());
      return cannot_start(started.error());
    }
    // A program on the other side hears of the beginning before anything else.
    if (setup_.jsonl) say_started();
    // While the agent begins.
    boost::asio::post(io_, [this] { end_leftovers(console_); });
    io_.run();
    if (surfaces_ != nullptr) surfaces_->settle();
    return exit_code_;
  }

 private:
  [[nodiscard]] const agent::AgentRow& agent() const { return *setup_.spec.agent; }

  // Under which name it is resumed, replayed and judged, and which task it is.
  void say_started() {
    std::vector<Extra> extra;
    std::string id;
    if (entry_ != nullptr) {
      json::append_string(id, entry_->id());
      extra.push_back({"task", Raw{id}});
    }
    run_->diagnose("run_started", Level::info, setup_.spec.id, extra);
  }

  int cannot_start(const Error& error) {
    const int code = process::exit_code_of(error);
    end_leftovers(console_);  // those of the run before, whatever became of this one
    // Whoever reads our lines waits for the last one.
    if (setup_.jsonl || setup_.view == RunView::json)
      console_.out().write(unstarted_line(error, code));
    return console_.fail(fmt::format("run: {}", printable(error.message)), what_next(error, code),
                         code);
  }

  [[nodiscard]] std::string_view what_next(const Error& error, int code) const {
    if (error.reason == "record")
      return "record it elsewhere: --record DIR, or not at all: --no-record";
    if (code != 127) return {};
    const auto& words = setup_.spec.request.words;
    if (!words.empty() && words.front().find('/') != std::string::npos) return {};
    return agent().install.empty() ? "install it, or add its directory to PATH"
                                   : "'dragoman doctor' says how to install it";
  }

  [[nodiscard]] engine::Owner owner() {
    return {[this](engine::Ending ending) { rest(std::move(ending)); }, [this] { end(); },
            [this](std::uint64_t message) {
              if (entry_ != nullptr) entry_->heard(message);
            },
            [this](std::uint64_t message) {
              if (entry_ != nullptr) return entry_->unheard(message);
              refuse_message("the agent does not hear it");
            }};
  }

  // What people say here goes the way of what is said elsewhere, so that all of it has one order.
  void tell(std::string text) {
    if (!agent().hears_at_work())
      return refuse_message(agent().goes_on == agent::GoesOn::by_session
                                ? "it hears nothing here: 'dragoman send' begins its next turn"
                                : "it takes no messages");
    if (entry_ != nullptr) return entry_->tell(std::move(text));
    begin_turn({++told_, std::move(text)});
  }

  // Or is heard in the one that goes on.
  void begin_turn(engine::Message message) {
    if (person_ != nullptr) person_->dismiss();
    run_->say(std::move(message));
  }

  void refuse_message(const std::string& why) {
    run_->diagnose("message_refused", Level::warning, fmt::format("{}: {}", agent().title, why));
    if (person_ != nullptr && run_->is_kept()) person_->invite();
  }

  // Neither a person nor a program here says more to an agent that is kept.
  void leave() {
    says_no_more_ = true;
    if (run_ != nullptr) run_->leave();
  }

  // Null: nothing can be asked.
  [[nodiscard]] engine::Desk* make_desk() {
    if (setup_.no_input) return nullptr;
    const auto say = [this](Reply reply) {
      if (entry_ != nullptr) return entry_->say(std::move(reply));
      run_->answer(std::move(reply));
    };
    const auto end = [this] {
      if (entry_ != nullptr) return entry_->end_saying();
      run_->end_answers();
    };
    if (setup_.jsonl) {
      program_ = std::make_unique<JsonlInput>(
          io_,
          JsonlInput::Calls{say, [this](std::string text) { tell(std::move(text)); },
                            [this](const std::string& why) {
                              run_->diagnose("answer_refused", Level::warning, why);
                            },
                            [this] { interrupt(SIGINT); },
                            [this, end] {
                              end();
                              leave();
                            }},
          STDIN_FILENO, setup_.begun_stdin);
      here_ = std::make_unique<SilentDesk>();
    } else if (terminal_.get() >= 0) {
      here_ = make_terminal_desk(say, end);
    }
    if (here_ == nullptr && surfaces_ == nullptr) return nullptr;
    if (entry_ == nullptr) return here_.get();
    entry_->ask_here(here_.get());
    return entry_.get();
  }

  [[nodiscard]] std::unique_ptr<engine::Desk> make_terminal_desk(std::function<void(Reply)> say,
                                                                 std::function<void()> end) {
    auto desk = std::make_unique<TerminalDesk>(
        io_, console_, terminal_.get(),
        TerminalDesk::Calls{[this](const KeptQuestion& asked) {
                              view_->give_way();
                              return view_->just_showed(asked);
                            },
                            [this] { view_->go_on(); }, std::move(say), std::move(end),
                            [this] { view_->give_way(); },
                            [this](std::string text) { tell(std::move(text)); },
                            [this] { leave(); }});
    person_ = desk.get();
    return desk;
  }

  // What an agent does is not undone because nobody looks on any more. A program that was to answer
  // does not hear the questions, so it is not waited for.
  void look_for_reader() {
    if (reader_gone_ || console_.out().error() != EPIPE) return;
    reader_gone_ = true;
    console_.note(entry_ == nullptr
                      ? "nobody reads our output any more; the run goes on"
                      : fmt::format("nobody reads our output any more; the run goes on, "
                                    "'dragoman task cancel {}' ends it",
                                    entry_->id()));
    if (program_ == nullptr) return;
    boost::asio::post(io_, [this] {
      if (run_ != nullptr) run_->end_answers();
    });
  }

  void wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& cancelled, int number) {
      if (cancelled) return;
      if (!echoes_.is_echo()) interrupt(number);
      wait_for_signal();
    });
  }

  // Of a run that is to be kept the turn ends first; what rests already is left.
  void interrupt(int signal) {
    const bool first = !std::exchange(interrupted_, true);
    if (signal != SIGINT || setup_.spec.keep.count() == 0 || !first) return run_->interrupt(signal);
    if (run_->is_kept()) return leave();
    run_->interrupt_turn();
  }

  void rest(engine::Ending ending) {
    interrupted_ = false;
    exit_code_ = ending.exit_code;
    if (auto kept = job_->remember(*run_, ending); !kept) console_.warn(kept.error().message);
    last_ = std::move(ending);
    rests_ = run_->is_kept();
    if (!rests_) return;
    if (entry_ != nullptr) entry_->rest(last_);
    if (person_ != nullptr && !says_no_more_) return person_->invite();
    if (says_no_more_) boost::asio::post(io_, [this] { leave(); });
  }

  void end() {
    const engine::Ending& ending = last_;
    signals_.cancel();
    program_.reset();
    if (person_ != nullptr) person_->dismiss();
    view_.reset();
    if (entry_ != nullptr) end_entry();
    if (setup_.view == RunView::terminal) {
      console_.note_block(run_summary(ending, console_));
    } else if (setup_.view == RunView::json ? console_.out().error() == EPIPE
                                            : ending.verdict.kind != VerdictKind::completed) {
      console_.note(fmt::format("run: {}: {}", name(ending.verdict.kind),
                                fmt::join(ending.verdict.reasons(), ", ")));
    }
    if (const auto fault = job_->recording().fault())
      console_.warn(fmt::format("the recording is not whole: {}", fault->message));
    if (!setup_.spec.record.empty()) {
      console_.detail(fmt::format("recorded in {}", setup_.spec.record.string()));
    }
    say_how_to_go_on(ending);
    io_.stop();
  }

  // What was said in the moment in which the agent left is for a runner.
  void end_entry() {
    rests_ ? entry_->end() : entry_->end(last_);
    if (!entry_->left_queued()) return;
    console_.note(fmt::format("{} goes on in the background with what it was told", entry_->id()));
    const auto woken = runner_waker(setup_.store, setup_.config)();
    if (!woken) console_.warn(fmt::format("nobody works on it: {}", woken.error().message));
  }

  void say_how_to_go_on(const engine::Ending& ending) {
    if (ending.session_expired) {
      console_.note("the session is not known any more: run without --resume to start afresh");
    }
    if (ending.pending.empty() || setup_.view == RunView::json) return;
    for (const KeptQuestion& asked : ending.pending) {
      constexpr std::size_t kShown = 300;  // the view has shown all of it
      const std::string text = printable(asked.text);
      const std::string_view head = utf8::prefix(text, kShown);
      console_.note(fmt::format("unanswered: {}{}", head, head.size() < text.size() ? "…" : ""));
    }
    if (!agent().can_be_answered() || setup_.spec.record.empty()) return;
    console_.note(fmt::format("to answer: dragoman run --resume {}", setup_.spec.id));
  }

  RunSetup setup_;
  RunViewOptions view_options_;
  Console& console_;
  boost::asio::io_context io_{1};
  engine::AsioLoop loop_{io_};
  engine::ProcessSpawner spawner_{io_};
  Descriptor terminal_;
  boost::asio::signal_set signals_;
  process::SignalEchoes echoes_;
  std::unique_ptr<RunWatcher> view_;
  std::unique_ptr<engine::Job> job_;
  std::unique_ptr<RunEntry> entry_;
  std::unique_ptr<RunSurfaces> surfaces_;
  std::unique_ptr<Listeners> listeners_;
  std::unique_ptr<engine::Desk> here_;
  std::unique_ptr<JsonlInput> program_;  // where a program answers
  std::unique_ptr<engine::Run> run_;
  TerminalDesk* person_ = nullptr;  // who may say more
  std::uint64_t told_ = 0;          // messages, where no registry numbers them
  engine::Ending last_;             // of the turn that ended last
  bool rests_ = false;              // the agent was kept then
  bool says_no_more_ = false;
  bool interrupted_ = false;  // the turn
  int exit_code_ = 125;
  bool reader_gone_ = false;
};

int run_run(const Invocation& invocation, Console& console) {
  auto setup = run_setup(invocation);
  if (!setup) {
    const bool settings = setup.error().reason == kBadSettings;
    return console.fail(fmt::format("run: {}", printable_lines(setup.error().message)),
                        settings ? "mend it there; 'dragoman doctor' looks at all settings"
                                 : "see 'dragoman help run'");
  }
  for (const std::string& warning : setup->warnings) console.warn(printable(warning));
  if (!setup->chosen.empty()) console.note(fmt::format("going on with {}", setup->chosen));
  // A reader of ours that goes away is met where we write, not by a signal.
  (void)std::signal(SIGPIPE, SIG_IGN);
  console.let_reader_go();
  const RunView view = setup->view;
  return Runner(*std::move(setup), run_view_options(view, invocation), console).go();
}

std::vector<OptionSpec> run_options() {
  std::vector<OptionSpec> options = launch_options();
  const std::vector<OptionSpec> own = {
      {.name = "resume",
       .value = "ID",
       .help = "go on with a session, or with a run whose questions are open",
       .live = Live::runs},
      {"session-id", "UUID",
       fmt::format("the id of the new session ({})", takers(agent::AgentOption::session_id))},
      {"allowed-tools", "LIST", "tools Claude may use unasked", {}, 0, true},
      {"mcp-config", "FILE", "MCP servers for Claude", {}, 0, true, true},
      {"budget", "USD", fmt::format("what it may cost ({})", takers(agent::AgentOption::budget))},
      {"output-schema", "FILE", "JSON Schema of Codex's answer", {}, 0, false, true},
      {"after-result", "DUR", "how long it may stay after its last result: 30s"},
      {"wait-for-limit", "", "wait for a usage limit to be reset, then go on"},
      {"no-input", "", "ask nobody: an open question ends the run with exit code 4"},
      {"yes", "", "start afresh when the session to resume has expired; never answers the agent"},
      {"as", "VIEW", "how to show it", {"terminal", "json", "quiet"}},
      {"io", "FORM", "answers as JSON lines on stdin, events as JSON lines on stdout", {"jsonl"}},
      {.name = "record",
       .value = "DIR",
       .help = "keep the run there, not in the state directory",
       .takes_directory = true},
      {"no-record", "", "keep nothing"},
      {"pty", "", "a terminal of its own for the program, 80 by 24 (command, executor)"},
      {"git-changes", "",
       fmt::format("compare with git before and after; agents other than {} always are",
                   agent::kProgramAgent)},
      store_option(),
      {"no-store", "", "leave it out of the list of tasks"},
      {"config", "FILE", "settings instead of the user's own file", {}, 0, false, true},
      quiet_option(),
      verbose_option(),
      color_option(),
  };
  options.insert(options.end(), own.begin(), own.end());
  return options;
}

}  // namespace

CommandSpec run_command() {
  return {
      "run",
      "start an agent, show it, ask its questions, judge it",
      "The prompt goes to the agent on its stdin, never on its command line; '-' reads it from "
      "our\n"
      "stdin. A prompt that begins with a dash stands behind --. Behind a prompt, -- and words "
      "that\n"
      "begin with a dash are further arguments of claude or codex. The executor is called as\n"
      "-- PROGRAM TASK_ID DESCRIPTION [PLAN], and again with the answer added to DESCRIPTION.\n"
      "\n"
      "Exit codes: 0 completed, 1 failed or incomplete, 4 a question is unanswered, 5 blocked,\n"
      "75 usage limit, 124 timeout, 125 to 127 not started, 128+n ended by signal n, 130\n"
      "interrupted.",
      run_options(),
      {{"PROMPT", "what to do; '-' is stdin"}},
      {"dragoman run \"fix the failing test\"", "dragoman run --agent codex - < task.md",
       "dragoman run --agent executor -- ./execute-task.py task-1 \"Add a login form\"",
       "dragoman run --as json -- make test"},
      run_run,
      {},
      "CMD…",
  };
}

}  // namespace dragoman::cli
