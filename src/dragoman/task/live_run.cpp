// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/live_run.hpp"

#include <unistd.h>

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "dragoman/event/json.hpp"
#include "dragoman/run/one_line.hpp"
#include "dragoman/task/turn_end.hpp"

namespace dragoman::task {

namespace {

// Long enough that a talkative agent costs few commits, short enough that a live view is live.
constexpr std::chrono::milliseconds kGatherLines(30);
// How long an answer or a cancellation from elsewhere may go unnoticed.
constexpr std::chrono::milliseconds kLookForOrders(100);
// Where the system does not tell of what other processes write, an answer waits no longer.
constexpr std::chrono::milliseconds kLookAnyway(1000);
constexpr std::int64_t kTellProgress = 1000;
constexpr std::size_t kMostHeld = std::size_t{64} << 20U;

}  // namespace

LiveRun::LiveRun(Task task, Open open, Calls calls)
    : task_(std::move(task)), open_(std::move(open)), calls_(std::move(calls)) {
  task_.state = name(TaskState::working);
  task_.turns = 1;
  task_.created_at = task_.started_at = task_.last_event_at = now_ms();
  if (task_.id.empty()) task_.id = new_run_id();
  id_ = task_.id;
  thread_ = std::thread([this] {
    try {
      work();
    } catch (const std::exception& fault) {  // no memory, no threads: the run goes on
      lose({ErrorCode::internal, fmt::format("keep the run: {}", fault.what())});
    }
  });
}

LiveRun::~LiveRun() {
  {
    const Lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LiveRun::event(const Event& event, engine::EventLine& line) {
  if (event.partial) return;
  fold_.on_event(event);
  const std::string_view stored = fold_.stored(event, line);
  const std::int64_t now = now_ms();
  std::optional<Task> progress;
  if (now - told_at_ >= kTellProgress && fold_.seen() != told_) {
    told_at_ = now;
    told_ = fold_.seen();
    fold_.put_progress(progress.emplace());
  }
  {
    const Lock lock(mutex_);
    if (lost_) return;
    if (progress) mail_.progress = std::move(progress);
    // A disk that cannot follow: the recording still has it.
    if (stored.empty() || held_ + stored.size() > kMostHeld) return;
    held_ += stored.size();
    mail_.lines.emplace_back(stored);
    if (mail_.lines.size() > 1) return;  // who gathers them is awake
  }
  changed_.notify_all();
}

void LiveRun::tell(Order order) {
  {
    const Lock lock(mutex_);
    if (lost_) return;
    mail_.orders.push_back(std::move(order));
  }
  changed_.notify_all();
}

void LiveRun::ask(KeptQuestion question) { tell(Ask{std::move(question)}); }
void LiveRun::answer(Reply reply, std::string by) { tell(Say{std::move(reply), std::move(by)}); }
void LiveRun::withdraw(std::string key) { tell(Settle{Settle::How::withdraw, std::move(key)}); }
void LiveRun::give_up() { tell(GiveUp{}); }
void LiveRun::delivered(std::string key) { tell(Settle{Settle::How::delivered, std::move(key)}); }

void LiveRun::say(std::string text, std::string by) { tell(Tell{std::move(text), std::move(by)}); }
void LiveRun::heard(std::uint64_t message) { tell(Told{message, true}); }
void LiveRun::unheard(std::uint64_t message) { tell(Told{message, false}); }

Task LiveRun::ended(const RunFacts& facts, std::string signal) {
  Task end;
  end.agent = task_.agent;
  end.working_dir = task_.working_dir;
  fold_.put_end(end, facts);
  end.signal = std::move(signal);
  end.completed_at = now_ms();
  return end;
}

void LiveRun::rest(const RunFacts& facts, std::string signal) {
  Task end = ended(facts, std::move(signal));
  fold_ = TaskFold();
  told_ = 0;
  {
    const Lock lock(mutex_);
    if (lost_) return;
    mail_.progress.reset();
    mail_.end = End{std::move(end), true};
  }
  changed_.notify_all();
}

void LiveRun::end(const RunFacts& facts, std::string signal) {
  if (!thread_.joinable()) return;
  Task end = ended(facts, std::move(signal));
  {
    const Lock lock(mutex_);
    mail_.end = End{std::move(end), false};
  }
  stop();
}

void LiveRun::end() {
  if (!thread_.joinable()) return;
  {
    const Lock lock(mutex_);
    mail_.leaves = true;
  }
  stop();
}

void LiveRun::stop() {
  {
    const Lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::optional<Error> LiveRun::fault() {
  const Lock lock(mutex_);
  return lost_;
}

LiveRun::Mail LiveRun::next_mail() {
  Lock lock(mutex_);
  if (mail_.lines.empty() && mail_.orders.empty() && !mail_.end && !stop_)
    changed_.wait_for(lock.mutex(), kLookForOrders);
  const auto full = std::chrono::steady_clock::now() + kGatherLines;
  while (mail_.orders.empty() && !mail_.lines.empty() && !mail_.end && !stop_ &&
         changed_.wait_until(lock.mutex(), full) == std::cv_status::no_timeout) {
  }
  held_ = 0;
  return std::exchange(mail_, {});
}

void LiveRun::lose(const Error& why) {
  {
    const Lock lock(mutex_);
    lost_ = why;
    mail_ = {};
  }
  calls_.lost(why);
}

void LiveRun::work() {
  auto log = open_();
  if (!log) return lose(log.error());
  // A run that is over by now is written at once.
  Mail mail = next_mail();
  const bool over = mail.end && !mail.end->stays;
  if (auto begun = begin(**log, mail); !begun) return lose(begun.error());
  if (over && !mail.end) return;
  Known known(**log, id_);
  for (;;) {
    if (auto written = write(known, mail); !written) return lose(written.error());
    {
      const Lock lock(mutex_);
      const bool more = !mail_.lines.empty() || !mail_.orders.empty() || mail_.end || mail_.leaves;
      if (stop_ && !more) return;
    }
    mail = next_mail();
  }
}

Result<void> LiveRun::begin(Log& log, Mail& mail) {
  const ProcessIdentity self = identity_of(::getpid());
  task_.runner_pid = self.pid;
  task_.runner_start = self.start;
  task_.boot = self.boot;
  std::string words = task_.text;
  for (const auto& word : task_.words) words += " " + word;
  std::vector<std::string> spoken = {one_line(words)};
  // Over before the store was open.
  if (mail.end && !mail.end->stays && mail.orders.empty()) {
    copy_end(task_, mail.end->task);
    spoken.push_back(one_line(task_.summary));
    mail.end.reset();
  }
  std::vector<LogWrite> writes;
  writes.emplace_back(Put{std::string(kTasks), record_of(task_), 0});
  writes.emplace_back(Append{word_stream(id_), std::move(spoken), {}});
  if (!mail.lines.empty())
    writes.emplace_back(Append{event_stream(id_), std::move(mail.lines), {}});
  mail.lines.clear();
  DRAGOMAN_TRY(const auto written, log.write(std::move(writes)));
  if (!written.front().applied) return Error{ErrorCode::internal, "a run id was given twice"};
  return {};
}

Result<void> LiveRun::write(Known& known, Mail& mail) {
  if (!mail.lines.empty()) {
    DRAGOMAN_TRY(const auto written,
                 write_one(known.log, Append{event_stream(id_), std::move(mail.lines), {}}));
    (void)written;
  }
  for (Order& order : mail.orders) DRAGOMAN_CHECK(carry_out(known, order));
  if (mail.end && mail.end->stays && known.inbox.in_doubt()) {
    known.in_doubt = std::move(mail.end);
  } else if (mail.end) {
    DRAGOMAN_CHECK(conclude(known, *std::move(mail.end)));
  }
  if (mail.leaves) return leave(known.log);
  if (mail.progress && !known.at_rest) {
    DRAGOMAN_TRY(const bool changed, change_task(known.log, id_, [&](Task& task) {
                   copy_progress(task, *mail.progress);
                   return true;
                 }));
    (void)changed;
  }
  return look(known);
}

Result<void> LiveRun::conclude(Known& known, End end) {
  known.questions.give_up();
  DRAGOMAN_CHECK(known.inbox.settle());
  TurnEnd turn;
  turn.end = [&](Task& task) {
    if (task.task_state() != TaskState::working || task.from_queue()) return false;
    copy_end(task, end.task);
    if (end.stays) task.waits = kKept;
    return true;
  };
  turn.then.emplace_back(Append{word_stream(id_), {one_line(end.task.summary)}, {}});
  turn.fleet = known.log.private_directory().empty();
  // Where it is not ours it was cancelled before, and stays so.
  DRAGOMAN_TRY(const Concluded concluded, conclude_turn(known.log, id_, std::move(turn)));
  if (concluded == Concluded::not_ours)
    DRAGOMAN_CHECK(remember_session(known.log, id_, end.task.thread_id));
  known.at_rest = true;
  left_queued_ = concluded == Concluded::goes_on && !end.stays;
  return {};
}

Result<void> LiveRun::carry_out(Known& known, Order& order) {
  ask::Bridge& questions = known.questions;
  if (auto* const ask = std::get_if<Ask>(&order)) {
    questions.ask({std::move(ask->question), id_});
    return questions.put();
  }
  if (auto* const say = std::get_if<Say>(&order)) {
    DRAGOMAN_TRY(const auto question, questions.answer(say->reply, say->by));
    calls_.answer(question);
    return {};
  }
  if (auto* const settle = std::get_if<Settle>(&order)) {
    if (settle->how == Settle::How::delivered) {
      questions.delivered(settle->key);
    } else {
      questions.withdraw(settle->key);
    }
    return {};
  }
  if (const auto* const said = std::get_if<Tell>(&order))
    return accept(known, said->text, said->by);
  if (const auto* const told = std::get_if<Told>(&order)) {
    return take_told(known, told->message, told->heard);
  }
  questions.give_up();
  return {};
}

// Has a person answered, cancelled, or said something?
Result<void> LiveRun::look(Known& known) {
  const std::uint64_t change = known.log.wait_for_change(0, std::chrono::milliseconds(0));
  const auto now = std::chrono::steady_clock::now();
  if (change == known.change && now - known.looked < kLookAnyway) return {};
  known.change = change;
  known.looked = now;
  DRAGOMAN_TRY(const auto news, known.questions.look());
  for (const ask::QuestionRecord& question : news.answered) calls_.answer(question);
  DRAGOMAN_TRY(const auto task, find_task(known.log, id_));
  if (task && known.at_rest && task->terminal()) return {};
  const bool gone = !task || (!known.at_rest && task->task_state() != TaskState::working);
  if (gone && !std::exchange(known.cancelled, true))
    calls_.cancelled(task ? task->cancel_reason : "");
  return gone || known.cancelled ? Result<void>() : look_at_turn(known, *task);
}

}  // namespace dragoman::task
