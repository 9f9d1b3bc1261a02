// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/broker.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/log/fields.hpp"
#include "dragoman/surface/api.hpp"
#include "dragoman/surface/kinds.hpp"
#include "dragoman/surface/outbox.hpp"
#include "dragoman/surface/policy.hpp"

namespace dragoman::surface {
namespace {

constexpr std::chrono::milliseconds kTick(250);
constexpr std::size_t kQuestionsAtOnce = 200;

constexpr std::string_view kRetries = "retries";

// That a failed task is tried again. It is "doing" from before the new task is submitted until it
// surely is; who finds it so, because a process died in between, submits the task under the same
// id or finds it there.
struct Retry {
  std::string as;  // id of the new run
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("as", s.as);
  }
};

// As it stands, made if there is none.
Result<LogRecord> retry_mark(Log& log, const std::string& task_id) {
  for (;;) {
    DRAGOMAN_TRY(auto known, log.get(kRetries, task_id));
    if (known) return *std::move(known);
    DRAGOMAN_TRY(std::string id, task::free_run_id(log));
    LogRecord mark{task_id, write_fields(Retry{std::move(id)}), 0, "doing", wall_ms()};
    DRAGOMAN_TRY(const auto written, write_one(log, Put{std::string(kRetries), mark, 0}));
    mark.revision = written.number;
    if (written.applied) return mark;
  }
}

// The same choice once more, with the reason why the last one came to nothing.
ask::QuestionRecord asked_again(const ask::QuestionRecord& failure, std::string_view why) {
  constexpr std::string_view kWhy = "\n\nIt could not be tried again: ";
  ask::QuestionRecord question{failure, failure.task_id, failure.ours, failure.failure};
  question.text = failure.text.substr(0, failure.text.find(kWhy)).append(kWhy).append(why);
  return question;
}

}  // namespace

Result<std::unique_ptr<Surface>> make_surface(const SurfaceSettings& settings,
                                              Surroundings surroundings) {
  const std::string& kind = settings.kind;
  if (kind == "github") return make_github(settings, std::move(surroundings));
  if (kind == "discord") return make_discord(settings, std::move(surroundings));
  if (kind == "slack") return make_slack(settings, std::move(surroundings));
  if (kind == "openclaw") return make_openclaw(settings, std::move(surroundings));
  if (kind == "command") return make_command(settings, std::move(surroundings));
  if (kind == "desktop") return make_desktop(settings, std::move(surroundings));
  return Error{ErrorCode::validation, fmt::format("no surface is of kind {}", kind)};
}

Broker::Broker(task::Service& service, BrokerOptions options)
    : service_(service), log_(service.log()), options_(std::move(options)) {
  for (const SurfaceSettings& surface : options_.settings.surfaces) {
    if (!options_.only.empty() &&
        std::ranges::find(options_.only, surface.name) == options_.only.end())
      continue;
    workers_.push_back(std::make_unique<Worker>(log_, options_.settings, surface, options_.lease,
                                                [this] { (void)service_.reconcile(); }));
  }
  for (const auto& worker : workers_) {
    threads_.emplace_back([&work = *worker](const std::stop_token& stop) { work.run(stop); });
  }
  threads_.emplace_back([this](const std::stop_token& stop) { keep_order(stop); });
}

Broker::~Broker() {
  for (auto& thread : threads_) thread.request_stop();
  threads_.clear();
}

void Broker::settle(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  // A look that began before this call may have missed what happened just now.
  std::vector<std::uint64_t> enough;
  enough.reserve(workers_.size());
  for (const auto& worker : workers_) enough.push_back(worker->looks().value_or(0) + 2);
  const auto busy = [&] {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const auto looks = workers_[i]->looks();
      if ((looks && *looks < enough[i]) || workers_[i]->outstanding()) return true;
    }
    return false;
  };
  while (std::chrono::steady_clock::now() < deadline && busy())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void Broker::keep_order(const std::stop_token& stop) {
  std::int64_t beat = 0;
  std::uint64_t change = 0;
  while (!stop.stop_requested()) {
    change = log_.wait_for_change(change, kTick);
    if (steady_ms() - beat > options_.lease.count() / 4) {
      beat = steady_ms();
      for (const auto& worker : workers_) worker->heartbeat();
    }
    answer_by_policy();
    retry_failures();
  }
}

void Broker::answer_by_policy() {
  if (options_.settings.policy.default_answer.empty()) return;
  const auto questions = service_.desk().open_questions();
  if (!questions) return;
  for (const ask::QuestionRecord& question : *questions) {
    const auto answer = default_answer(question, options_.settings.policy);
    if (!answer || answer->from > wall_ms()) continue;
    const auto outcome =
        service_.desk().answer({.id = question.key(), .typed = answer->value}, "policy");
    if (outcome && outcome->accepted) (void)service_.reconcile();
  }
}

void Broker::retry_failures() {
  for (;;) {
    const auto changed = log_.changed("questions", questions_seen_, kQuestionsAtOnce);
    if (!changed) return;
    for (const LogRecord& record : *changed) {
      const auto question = ask::question_in(record);
      const bool wanted =
          question && question->failure && answer_words(*question, question->answer) == "Retry";
      if (wanted && !retry(*question)) return;  // the store is away; the next tick tries again
      questions_seen_ = std::max(questions_seen_, record.revision);
    }
    if (changed->size() < kQuestionsAtOnce) return;
  }
}

// Once, however many brokers see the answer and whichever of them dies.
Result<void> Broker::retry(const ask::QuestionRecord& question) {
  DRAGOMAN_TRY(LogRecord mark, retry_mark(log_, question.task_id));
  const auto retry = read_fields<Retry>(mark.value);
  if (mark.state == "done" || !retry || retry->as.empty()) return {};
  DRAGOMAN_TRY(auto there, task::find_task(log_, retry->as));
  if (there) {
    (void)service_.reconcile();  // whoever submitted it may have died before it woke a runner
  } else if (const auto again = service_.repeat(question.task_id, retry->as); !again) {
    // Another broker may have been quicker, and a write whose reply was lost may have been done.
    DRAGOMAN_TRY(there, task::find_task(log_, retry->as));
    if (!there) return tell_no_retry(question, mark, again.error());
  }
  mark.state = "done";
  const std::uint64_t revision = mark.revision;
  DRAGOMAN_TRY(const auto written,
               write_one(log_, Put{std::string(kRetries), std::move(mark), revision}));
  (void)written;  // refused: another broker has written the same
  return {};
}

// Nothing runs: whoever wanted it is told why, and may want it again.
Result<void> Broker::tell_no_retry(const ask::QuestionRecord& question, const LogRecord& mark,
                                   const Error& why) {
  DRAGOMAN_TRY(const auto dropped,
               write_one(log_, Drop{std::string(kRetries), question.task_id, mark.revision}));
  if (!dropped.applied) return {};  // another broker tells it, or has submitted it
  Outbox(log_, "tasks")
      .audit("retry_failed", question_ref(question), question.answered_by, why.message);
  return service_.desk().open(asked_again(question, why.message));
}

}  // namespace dragoman::surface
