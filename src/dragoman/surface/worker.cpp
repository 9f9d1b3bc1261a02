// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/worker.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/surface/api.hpp"
#include "dragoman/surface/judge.hpp"

namespace dragoman::surface {
namespace {

constexpr std::chrono::milliseconds kLook(100);   // how often the log is looked at
constexpr std::chrono::milliseconds kPause(500);  // after something went wrong
constexpr std::size_t kTasksAtOnce = 200;
constexpr std::int64_t kSeenFor = 14 * 24 * 3'600'000LL;

bool failed(const task::Task& task) {
  return task.task_state() == TaskState::failed || task.task_state() == TaskState::timeout;
}

}  // namespace

Worker::Worker(Log& log, const Settings& settings, const SurfaceSettings& mine,
               std::chrono::milliseconds lease, std::function<void()> answered)
    : log_(log),
      settings_(settings),
      mine_(mine),
      lease_(lease),
      answered_(std::move(answered)),
      desk_(log),
      outbox_(log, mine.name) {}

bool Worker::hold_lease() {
  {
    const Lock lock(mutex_);
    if (claim_) return true;
  }
  const std::string queue = fmt::format("surface-{}", mine_.name);
  if (auto there = write_one(log_, Enqueue{queue, "lease"}); !there) return false;
  auto claim = log_.claim(queue, fmt::format("broker {}", ::getpid()), lease_, 1);
  if (!claim || !*claim) return false;
  const Lock lock(mutex_);
  claim_ = **std::move(claim);
  return true;
}

void Worker::let_go() {
  const Lock lock(mutex_);
  if (claim_) (void)log_.give_back(*claim_);
  claim_.reset();
}

void Worker::heartbeat() {
  const Lock lock(mutex_);
  if (!claim_) return;
  const auto kept = log_.heartbeat(*claim_, lease_);
  if (kept && !*kept) claim_.reset();
}

bool Worker::make(const std::stop_token& stop) {
  const auto state = outbox_.state();
  if (!state) return false;
  since_ = state->since;
  Surroundings around{stop,
                      [this](std::int64_t until) {
                        outbox_.audit("delayed", "", "", fmt::format("until {}", until));
                        (void)outbox_.set_held(until);
                      },
                      state->held_until};
  auto made = make_surface(mine_, std::move(around));
  if (!made) {
    outbox_.audit("surface_failed", "", "", made.error().message);
    return false;
  }
  surface_ = *std::move(made);
  (void)outbox_.forget_seen_before(wall_ms() - kSeenFor);
  polled_ = 0;
  return true;
}

void Worker::run(const std::stop_token& stop) {
  const auto pause = [&](std::chrono::milliseconds time) {
    Mutex alone;
    Condition never;
    Lock lock(alone);
    (void)never.wait_for(alone, stop, time, [] { return false; });
  };
  std::uint64_t change = 0;
  std::int64_t synced = 0;
  bool again = true;
  while (!stop.stop_requested()) {
    if (!hold_lease()) {
      surface_.reset();
      pause(kPause);
      continue;
    }
    if (!surface_ && !make(stop)) {
      pause(kPause);
      continue;
    }
    const std::uint64_t now =
        log_.wait_for_change(change, again ? std::chrono::milliseconds(0) : kLook);
    const bool poll = steady_ms() - polled_ >= mine_.poll.count();
    const bool stale = steady_ms() - synced >= 1000;  // escalation and quiet hours pass by
    if (now == change && !poll && !again && !stale) continue;
    change = now;
    synced = steady_ms();
    again = !sync();
    ++looks_;
    if (again) pause(kPause);
  }
  let_go();
}

Result<void> Worker::sync() {
  DRAGOMAN_CHECK(want_questions());
  DRAGOMAN_CHECK(want_runs());
  DRAGOMAN_TRY(const auto deliveries, outbox_.unsettled());
  open_.clear();
  for (const Delivery& delivery : deliveries) {
    if (delivery.state != "shown" || delivery.question.empty()) continue;
    DRAGOMAN_TRY(Message message, truth(delivery));
    if (message.asks()) open_.push_back({delivery.message_id, std::move(message)});
  }
  std::optional<Error> fault;
  for (const Delivery& delivery : deliveries) {
    // People are listened to also while there is much to post; where that is refused, posting may
    // not be.
    if (steady_ms() - polled_ >= mine_.poll.count()) {
      auto heard = take_answers();
      if (!heard && heard.error().reason != kRefused) return heard;
      if (!heard) fault = std::move(heard).error();
    }
    auto stepped = step(delivery);
    if (!stepped) {
      fault = std::move(stepped).error();
      break;
    }
  }
  DRAGOMAN_TRY(const auto received, outbox_.received());
  if (!fault && (!received.empty() || steady_ms() - polled_ >= mine_.poll.count() ||
                 mine_.kind == "command" || mine_.kind == "desktop"))
    DRAGOMAN_CHECK(take_answers());
  if (fault) return *std::move(fault);
  return {};
}

Result<void> Worker::want(Delivery delivery) {
  DRAGOMAN_TRY(const auto known, outbox_.find(delivery.ref));
  if (known) return {};
  DRAGOMAN_TRY(const bool put, outbox_.put(delivery, "offer_wanted"));
  (void)put;
  return {};
}

Result<void> Worker::want_questions() {
  DRAGOMAN_TRY(const auto questions, desk_.open_questions());
  for (const ask::QuestionRecord& question : questions) {
    DRAGOMAN_TRY(const auto chosen, surfaces_of(log_, question.task_id));
    if (!takes(mine_, message_of(question).topic, chosen)) continue;
    if (offered_from(question, mine_, settings_, chosen) > wall_ms()) continue;
    Delivery delivery;
    delivery.ref = question_ref(question);
    delivery.question = question.key();
    delivery.task_id = question.task_id;
    delivery.asked_at = question.asked_at;
    DRAGOMAN_CHECK(want(std::move(delivery)));
  }
  return {};
}

Result<void> Worker::want_runs() {
  const auto& offers = mine_.offers;
  if (!offers.contains("failure") && !offers.contains("completion") && !offers.contains("progress"))
    return {};
  for (;;) {
    DRAGOMAN_TRY(const auto changed, log_.changed(task::kTasks, tasks_seen_, kTasksAtOnce));
    for (const LogRecord& record : changed) {
      if (const auto task = task::task_of(record)) DRAGOMAN_CHECK(want_run(*task));
      tasks_seen_ = std::max(tasks_seen_, record.revision);
    }
    if (changed.size() < kTasksAtOnce) return {};
  }
}

Result<void> Worker::want_run(const task::Task& task) {
  const bool over = task.terminal();
  if (over ? task.completed_at < since_ : task.task_state() != TaskState::working) return {};
  if (task.task_state() == TaskState::cancelled) return {};
  Delivery delivery;
  delivery.ref = task_ref(task.id);
  delivery.task_id = task.id;
  delivery.asked_at = task.created_at;
  if (!over) {
    if (takes(mine_, Topic::progress, task.surfaces)) return want(std::move(delivery));
    return {};
  }
  if (!failed(task))
    return takes(mine_, Topic::completion, task.surfaces) ? want(std::move(delivery))
                                                          : Result<void>();
  if (!takes(mine_, Topic::failure, task.surfaces)) return {};
  if (task.tool == "run") return want(std::move(delivery));  // it was somebody's own terminal
  // Whoever is first retries or lets it be: a question like any other.
  ask::QuestionRecord question;
  question.task_id = task.id;
  question.id = "failure";
  question.ours = question.failure = true;
  question.header = "Failed";
  question.text = fmt::format("{}\n\n{}", one_line_of(task.text, 300), task.summary);
  question.options = {{"Retry", "submit the same task again"}, {"Abort", "leave it as it is"}};
  DRAGOMAN_TRY(const auto known, log_.get("questions", question.key()));
  if (known) return {};
  return desk_.open(std::move(question));
}

Result<Message> Worker::truth(const Delivery& delivery) {
  Message gone;
  gone.ref = delivery.ref;
  gone.open = false;
  gone.outcome = "no longer known";
  if (delivery.question.empty()) {
    DRAGOMAN_TRY(const auto task, task::find_task(log_, delivery.task_id));
    return task ? message_of(*task) : gone;
  }
  auto question = desk_.find(delivery.question);
  if (!question && question.error().code == ErrorCode::not_found) return gone;
  if (!question) return std::move(question).error();
  if (question->asked_at == delivery.asked_at) return message_of(*question);
  gone = message_of(*question);
  gone.ref = delivery.ref;
  gone.open = false;
  gone.outcome = "asked again";
  return gone;
}

std::optional<std::uint64_t> Worker::looks() {
  const Lock lock(mutex_);
  return claim_ ? std::optional<std::uint64_t>(looks_) : std::nullopt;
}

bool Worker::outstanding() {
  const auto deliveries = outbox_.unsettled();
  if (!deliveries) return false;
  return std::ranges::any_of(*deliveries, [this](const Delivery& delivery) {
    if (delivery.state != "shown") return delivery.error.empty();
    const auto message = truth(delivery);
    return message && !message->open;
  });
}

}  // namespace dragoman::surface
