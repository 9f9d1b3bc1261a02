// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_entry.hpp"

#include <boost/asio/post.hpp>

#include <fmt/format.h>

#include "dragoman/log/open_log.hpp"

namespace dragoman::cli {
namespace {

constexpr std::string_view kHere = "terminal";

task::Task task_of(const RunSetup& setup) {
  const agent::Request& request = setup.plan.request;
  const auto clean = [&setup](const std::string& text) {
    return redact::redacted(text, setup.rules);
  };
  task::Task task;
  task.tool = task::kRunTool;
  task.text = clean(request.prompt);
  task.agent = setup.agent->name;
  for (const auto& word : request.words) {
    task.words.push_back(clean(agent::without_secrets(word, request.secrets)));
  }
  task.working_dir = request.cwd;
  task.mode = request.sandbox;
  task.model = request.model;
  task.permission_mode = request.permission_mode;
  task.resume = task.thread_id = request.resume;
  task.output_schema = request.output_schema;
  task.idle_ms = setup.plan.limits.idle.count();
  task.hard_ms = setup.plan.limits.hard.count();
  task.grace_ms = setup.plan.grace.count();
  task.recording = setup.record.string();
  task.surfaces = setup.surfaces;
  task.keeps_recording = setup.record.parent_path() != setup.state / "runs";
  return task;
}

std::string typed(const Answer& answer) {
  if (answer.options.empty()) return answer.text;
  return fmt::format("{}", fmt::join(answer.options, ","));
}

Answer answer_in(const ask::QuestionRecord& question) {
  Answer answer;
  answer.options.assign(question.chosen.begin(), question.chosen.end());
  if (answer.options.empty()) answer.text = question.answer;
  return answer;
}

}  // namespace

// One question at a time, as every asker. What was said here counts only when the registry has
// taken it: somebody else may have been quicker.
class RunEntry::SharedAsker final : public agent::Asker {
 public:
  SharedAsker(RunEntry& entry, std::unique_ptr<agent::Asker> here)
      : entry_(entry), here_(std::move(here)) {}
  ~SharedAsker() override { entry_.asker_ = nullptr; }

  void ask(const agent::Asked& asked, std::function<void(std::optional<Answer>)> done) override {
    done_ = std::move(done);
    mine_.reset();
    agent::with_payload(asked, QuestionState::open, {}, [this](const Question& question) {
      ask::QuestionRecord record = ask::keep_question(entry_.live_->id(), question);
      key_ = record.key();
      entry_.live_->ask(std::move(record));
    });
    if (here_ == nullptr) {
      if (entry_.lost_) boost::asio::post(entry_.io_, [this] { finish(std::nullopt); });
      return;
    }
    here_->ask(asked, [this](std::optional<Answer> answer) { said_here(std::move(answer)); });
  }

  void withdraw(agent::Withdrawn how) override {
    if (!done_) return;
    leave_here(how);
    done_ = nullptr;
    entry_.live_->withdraw(key_);
  }

  // Nobody here is asked any more; the registry still has the question.
  void leave_here(agent::Withdrawn how = agent::Withdrawn::for_good) {
    if (done_ && here_ != nullptr && !mine_) here_->withdraw(how);
  }

  void settled(const ask::QuestionRecord& question) {
    if (!done_ || question.key() != key_) return;
    if (mine_ && (question.answered_by == kHere || question.state != "answered")) {
      finish(mine_);
    } else if (question.state == "answered") {
      leave_here();
      const std::string words =
          question.secret ? "(secret)" : printable(ask::shown_answer(question));
      entry_.console_.note(
          fmt::format("answered from elsewhere ({}): {}", printable(question.answered_by), words));
      finish(answer_in(question));
    }
  }

  void lost() {
    if (mine_ || here_ == nullptr) finish(mine_);
  }

 private:
  void said_here(std::optional<Answer> answer) {
    if (!answer) {
      entry_.live_->give_up(key_);
      return finish(std::nullopt);
    }
    mine_ = std::move(answer);
    if (entry_.lost_) return finish(mine_);
    const auto literal = mine_->options.empty() ? ask::Literal::yes : ask::Literal::no;
    entry_.live_->answer(key_, typed(*mine_), literal, std::string(kHere));
  }

  void finish(std::optional<Answer> answer) {
    if (!done_) return;
    if (answer) entry_.live_->delivered(key_);
    std::exchange(done_, nullptr)(std::move(answer));
  }

  RunEntry& entry_;
  std::unique_ptr<agent::Asker> here_;
  std::string key_;
  std::optional<Answer> mine_;
  std::function<void(std::optional<Answer>)> done_;
};

RunEntry::RunEntry(boost::asio::io_context& io, const RunSetup& setup, Console& console,
                   std::function<void()> cancel)
    : io_(io),
      console_(console),
      cancel_(std::move(cancel)),
      started_(std::chrono::steady_clock::now()) {
  task::LiveRun::Calls calls;
  calls.lost = [this](const Error& why) {
    boost::asio::post(io_, [this, message = why.message] { lost(message); });
  };
  calls.cancelled = [this](const std::string& reason) {
    boost::asio::post(io_, [this, reason] {
      if (asker_ != nullptr) asker_->leave_here();  // its prompt stands on this line
      console_.note(reason.empty() ? "cancelled from elsewhere"
                                   : "cancelled from elsewhere: " + printable(reason));
      cancel_();
    });
  };
  calls.answer = [this](const ask::QuestionRecord& question) {
    boost::asio::post(io_, [this, question] { settled(question); });
  };
  live_ = std::make_unique<task::LiveRun>(
      task_of(setup), [path = setup.store] { return open_log(path, ""); }, std::move(calls));
}

RunEntry::~RunEntry() = default;

std::unique_ptr<agent::Asker> RunEntry::share(std::unique_ptr<agent::Asker> here) {
  auto shared = std::make_unique<SharedAsker>(*this, std::move(here));
  asker_ = shared.get();
  return shared;
}

void RunEntry::lost(const std::string& why) {
  if (std::exchange(lost_, true)) return;
  console_.warn(fmt::format("this run is not in the list of tasks: {}", printable(why)));
  if (asker_ != nullptr) asker_->lost();
}

void RunEntry::settled(const ask::QuestionRecord& question) {
  if (asker_ != nullptr) asker_->settled(question);
}

void RunEntry::end(const agent::Ending& ending) {
  const task::EndState end = task::end_state(name(ending.verdict.kind), ending.verdict.reasons());
  RunFacts facts;
  facts.state = end.state;
  facts.reason = end.reason;
  facts.exit_code = ending.end.exit_code;
  if (ending.end.signal) facts.signal = std::to_string(*ending.end.signal);
  facts.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - started_);
  if (ending.timeout) {
    facts.reason = process::name(ending.timeout->what.limit);
    facts.limit = ending.timeout->what.after;
  }
  live_->end(facts, facts.signal);
  if (const auto fault = live_->fault()) lost(fault->message);
}

void RunEntry::not_started(const Error& error) {
  RunFacts facts;
  facts.state = TaskState::failed;
  facts.reason = "spawn_failed";
  Event said;
  said.payload = Diagnostic{"not_started", Level::error, error.message};
  live_->event(said);
  live_->end(facts, "");
}

}  // namespace dragoman::cli
