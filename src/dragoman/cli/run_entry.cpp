// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_entry.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>

#include <fmt/format.h>

#include "dragoman/log/open_log.hpp"

namespace dragoman::cli {
namespace {

constexpr std::string_view kHere = "terminal";

task::Task task_of(const RunSetup& setup, const engine::Job& job) {
  const engine::RunSpec& spec = job.spec();
  const agent::Request& request = spec.request;
  task::Task task;
  task.id = spec.id;
  task.tool = task::kRunTool;
  task.text = job.redacted(request.prompt);
  task.agent = spec.agent->name;
  for (const auto& word : request.words)
    task.words.push_back(job.redacted(agent::without_secrets(word, request.secrets)));
  task.working_dir = request.cwd;
  task.mode = request.sandbox;
  task.model = request.model;
  task.permission_mode = request.permission_mode;
  task.resume = task.thread_id = request.resume;
  task.output_schema = request.output_schema;
  task.idle_ms = job.limits().idle.count();
  task.hard_ms = job.limits().hard.count();
  task.grace_ms = job.grace().count();
  task.recording = spec.record.string();
  task.surfaces = setup.surfaces;
  task.keeps_recording = spec.record.parent_path() != setup.surroundings.state / "runs";
  return task;
}

}  // namespace

RunEntry::RunEntry(boost::asio::io_context& io, const RunSetup& setup, const engine::Job& job,
                   Console& console, Calls calls)
    : io_(io),
      console_(console),
      calls_(std::move(calls)),
      started_(std::chrono::steady_clock::now()) {
  const auto here = [this](auto call) {
    return [this, call](const auto& what) {
      boost::asio::post(io_, [this, call, what] { (this->*call)(what); });
    };
  };
  task::LiveRun::Calls live;
  live.lost = [lost = here(&RunEntry::lost)](const Error& why) { lost(why.message); };
  live.cancelled = here(&RunEntry::cancelled);
  live.answer = here(&RunEntry::settled);
  live.message = here(&RunEntry::say_message);
  live.interrupted = [this] { boost::asio::post(io_, [this] { calls_.interrupt_turn(); }); };
  live.refused = here(&RunEntry::refuse);
  live_ = std::make_unique<task::LiveRun>(
      task_of(setup, job), [path = setup.store] { return open_log(path, ""); }, std::move(live));
}

RunEntry::~RunEntry() = default;

std::string RunEntry::key_of(std::string_view question) const {
  return fmt::format("{}/{}", live_->id(), question);
}

void RunEntry::ask(const KeptQuestion& asked, bool due) {
  open_.insert_or_assign(asked.id, Open{asked, std::nullopt, false});
  live_->ask(asked);
  if (here_ != nullptr) return here_->ask(asked, due);
  if (lost_ && due) boost::asio::post(io_, [this] { calls_.end_answers(); });
}

// A question that is not open yet, or an answer that is none, is the run's own business.
void RunEntry::say(Reply reply) {
  const auto meant = reply.id.empty() ? open_.begin() : open_.find(reply.id);
  if (lost_ || meant == open_.end() || meant->second.mine) return calls_.answer(std::move(reply));
  auto answer = read_reply(meant->second.asked, reply);
  if (!answer) return calls_.answer(std::move(reply));
  meant->second.mine = *answer;
  live_->answer({.id = key_of(meant->first), .meant = *std::move(answer)}, std::string(kHere));
}

bool RunEntry::is_undecided() const {
  return std::ranges::any_of(
      open_, [](const auto& one) { return one.second.mine && !one.second.decided; });
}

// What was said before still counts, and the registry may not have decided about it yet.
void RunEntry::end_saying() {
  said_all_ = true;
  if (!is_undecided()) calls_.end_answers();
}

void RunEntry::settled(const ask::QuestionRecord& question) {
  const auto open = open_.find(question.id);
  if (open == open_.end() || question.state != QuestionState::answered) return;
  open->second.decided = true;
  if (question.answered_by != kHere) {
    // Its prompt stands on this line.
    if (here_ != nullptr) here_->withdraw(question.id, agent::Withdrawn::for_good);
    console_.note(fmt::format("answered from elsewhere ({}): {}", printable(question.answered_by),
                              printable(ask::settled_words(question))));
  }
  calls_.answer({.id = question.id, .meant = question.answer});
  if (said_all_ && !is_undecided()) calls_.end_answers();
}

void RunEntry::answered(const agent::Answered& answered) {
  const std::string& id = answered.asked.id;
  const auto open = open_.find(id);
  if (open == open_.end()) return;
  // An answer that came before its question: the registry has not heard of it.
  if (!open->second.decided && !open->second.mine)
    live_->answer({.id = key_of(id), .meant = answered.answer}, std::string(kHere));
  open_.erase(open);
  live_->delivered(key_of(id));
  if (here_ != nullptr) here_->answered(answered);
}

void RunEntry::withdraw(std::string_view id, agent::Withdrawn how) {
  const auto open = open_.find(id);
  if (how == agent::Withdrawn::for_good && open != open_.end()) {
    open_.erase(open);
    live_->withdraw(key_of(id));
  }
  if (here_ != nullptr) here_->withdraw(id, how);
}

void RunEntry::cancelled(const std::string& reason) {
  // The prompts of questions stand on this line.
  for (const auto& [id, open] : open_) {
    if (here_ != nullptr) here_->withdraw(id, agent::Withdrawn::for_good);
  }
  console_.note(reason.empty() ? "cancelled from elsewhere"
                               : "cancelled from elsewhere: " + printable(reason));
  calls_.cancel();
}

void RunEntry::lost(const std::string& why) {
  if (std::exchange(lost_, true)) return;
  console_.warn(fmt::format("this run is not in the list of tasks: {}", printable(why)));
  std::vector<Reply> mine;
  for (auto& [id, open] : open_) {
    if (open.mine && !open.decided) mine.push_back({.id = id, .meant = open.mine});
  }
  for (Reply& reply : mine) calls_.answer(std::move(reply));
  if (here_ == nullptr) calls_.end_answers();
}

RunFacts RunEntry::facts_of(const engine::Ending& ending) {
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
  return facts;
}

void RunEntry::rest(const engine::Ending& ending) {
  const RunFacts facts = facts_of(ending);
  rests_ = true;
  live_->rest(facts, facts.signal);
}

// The first one at a rest begins a turn.
void RunEntry::say_message(const engine::Message& message) {
  if (std::exchange(rests_, false)) started_ = std::chrono::steady_clock::now();
  calls_.say(message);
}

void RunEntry::end(const engine::Ending& ending) {
  const RunFacts facts = facts_of(ending);
  live_->end(facts, facts.signal);
  if (const auto fault = live_->fault()) lost(fault->message);
}

void RunEntry::end() {
  live_->end();
  if (const auto fault = live_->fault()) lost(fault->message);
}

void RunEntry::tell(std::string text) {
  if (lost_) return calls_.refused("the list of tasks cannot be written");
  live_->say(std::move(text), std::string(kHere));
}

void RunEntry::not_started(const Error& error) {
  RunFacts facts;
  facts.state = TaskState::failed;
  facts.reason = "spawn_failed";
  Event said;
  said.payload = Diagnostic{"not_started", Level::error, error.message};
  std::string buffer;
  engine::EventLine line(said, buffer);
  live_->event(said, line);
  live_->end(facts, "");
}

}  // namespace dragoman::cli
