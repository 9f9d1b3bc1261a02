// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/demo.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "dragoman/ask/desk.hpp"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/run/metadata.hpp"
#include "dragoman/run/one_line.hpp"
#include "dragoman/run/progress.hpp"
#include "dragoman/run/verdict.hpp"
#include "dragoman/task/task.hpp"
#include "dragoman/web/embedded.hpp"

namespace dragoman::web {

namespace {

using std::chrono::milliseconds;

struct Script {
  std::string_view file;
  std::string_view agent;
  std::string_view prompt;
  milliseconds begins;  // after the start of the round
  milliseconds line;    // from one line to the next
};

constexpr std::string_view kDemoTool = "demo";

constexpr std::array<Script, 4> kScripts = {{
    {"demo/question.jsonl", "claude", "Add rate limiting to the public API", milliseconds(0),
     milliseconds(1300)},
    {"demo/tests.jsonl", "claude", "Fix the failing tests of the invoice totals",
     milliseconds(2000), milliseconds(1600)},
    {"demo/phase.md", "executor", "Execute phase 3: move session tokens to the server",
     milliseconds(5000), milliseconds(450)},
    {"demo/codex.jsonl", "codex", "Update the dependencies and say what changed",
     milliseconds(9000), milliseconds(1800)},
}};

std::string_view bundled(std::string_view name) {
  for (const EmbeddedFile& file : embedded_web())
    if (file.name == name) return file.bytes;
  return {};
}

}  // namespace

std::string_view demo_recording(const task::Task& task) {
  if (task.tool != kDemoTool) return {};
  for (const Script& script : kScripts)
    if (script.prompt == task.text) return bundled(script.file);
  return {};
}

// One run while it plays.
class Demo::Scene final : public EventSink {
 public:
  Scene(Log& log, const Script& script)
      : log_(log),
        desk_(log),
        script_(script),
        rest_(bundled(script.file)),
        reader_(make_detecting_reader()) {}

  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] milliseconds due() const { return due_; }
  void set_due(milliseconds due) { due_ = due; }
  [[nodiscard]] milliseconds pace() const { return script_.line; }

  // The next line, or a look whether somebody has answered.
  void step() {
    if (id_.empty()) return begin();
    if (!asked_.empty()) return look_for_answer();
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, std::min(end + 1, rest_.size()));
    rest_.remove_prefix(line.size());
    reader_->push(line, *this);
    if (rest_.empty()) return finish();
    // Nothing comes for a while: what is held back is shown, as of a live run.
    reader_->idle(*this);
    flush();
    tell();
  }

  void on_event(const Event& event) override {
    Event numbered = event;
    numbered.seq = ++seq_;
    numbered.ts = Timestamp(milliseconds(task::now_ms()));
    fold_.on_event(numbered);
    metadata_.on_event(numbered);
    progress_.on_event(numbered);
    lines_.push_back(to_json(numbered));
    if (const auto* const question = event.as<Question>()) {
      if (question->state != QuestionState::open) return;
      asked_ = question->id;
      asked_line_ = lines_.back();
      (void)desk_.open({keep_question(*question), id_});
    }
  }

 private:
  void begin() {
    task::Task task;
    task.id = id_ = task::new_run_id();
    task.tool = kDemoTool;
    task.state = "working";
    task.text = script_.prompt;
    task.agent = script_.agent;
    task.working_dir = "/demo/shop";
    task.created_at = task.started_at = started_ = task::now_ms();
    // The record has to belong to a process that lives.
    const auto self = task::identity_of(::getpid());
    task.runner_pid = self.pid;
    task.runner_start = self.start;
    task.boot = self.boot;
    (void)log_.write({Put{std::string(task::kTasks), task::record_of(task), 0},
                      Append{task::word_stream(id_), {std::string(script_.prompt)}, {}}});
  }

  void flush() {
    if (lines_.empty()) return;
    (void)write_one(log_, Append{task::event_stream(id_), std::move(lines_), {}});
    lines_.clear();
  }

  void tell() {
    std::string progress;
    json::Writer w(progress);
    put_progress(w, progress_.progress());
    const auto going = task::change_task(log_, id_, [&](task::Task& task) {
      task.progress.json = progress;
      task.last_event_at = task::now_ms();
      return true;
    });
    over_ = going && !*going;  // somebody has cancelled it
  }

  void look_for_answer() {
    const auto settled = desk_.wait(id_ + "/" + asked_, milliseconds(0));
    if (!settled || !*settled) return tell();
    asked_.clear();
    // The question once more, as it stands now.
    Arena arena;
    auto event = read_event(asked_line_, arena);
    if (event) {
      Question question = *event->as<Question>();
      question.state = QuestionState::answered;
      const std::string words = ask::shown_answer(**settled);
      question.answer = words;
      question.decision = (*settled)->decision;
      event->payload = question;
      on_event(*event);
    }
    flush();
  }

  void finish() {
    reader_->finish(*this);
    const RunSummary run = fold_.summary();
    const Verdict verdict = judge(run, {.exit_code = 0});
    const bool done = verdict.kind == VerdictKind::completed;
    Event end;
    Finished finished;
    const auto reasons = verdict.reasons();
    const std::vector<std::string_view> views(reasons.begin(), reasons.end());
    finished.verdict = name(verdict.kind);
    finished.reasons = views;
    finished.exit_code = 0;
    end.payload = finished;
    on_event(end);
    flush();
    RunFacts facts;
    facts.state = done ? TaskState::completed : TaskState::failed;
    facts.reason = done || reasons.empty() ? "" : reasons.front();
    facts.exit_code = 0;
    facts.duration = milliseconds(task::now_ms() - started_);
    const Metadata metadata = metadata_.metadata(run, facts);
    std::string json;
    json::Writer w(json);
    put_metadata(w, metadata);
    const std::string summary = metadata_.summary(metadata, facts);
    const auto changed = task::change_task(log_, id_, [&](task::Task& task) {
      task.state = name(facts.state);
      task.reason = facts.reason;
      task.summary = summary;
      task.metadata.json = json;
      task.exit_code = 0;
      task.thread_id = run.session_id;
      task.progress.json.clear();
      return true;
    });
    (void)changed;  // false: it was cancelled, and stays so
    over_ = true;
  }

  Log& log_;
  ask::Desk desk_;
  const Script& script_;
  std::string_view rest_;
  std::unique_ptr<dragoman::Reader> reader_;
  RunFold fold_;
  MetadataFold metadata_;
  ProgressFold progress_;
  std::string id_;
  std::uint64_t seq_ = 0;
  std::int64_t started_ = 0;
  std::vector<std::string> lines_;  // not yet in the log
  std::string asked_;               // id of the question that is waited for
  std::string asked_line_;
  milliseconds due_{0};
  bool over_ = false;
};

Demo::Demo(Log& log, DemoOptions options)
    : log_(log), options_(options), thread_([this] { play(); }) {}

Demo::~Demo() {
  {
    const Lock lock(mutex_);
    stop_ = true;
    wake_.notify_all();
  }
  wait();
}

void Demo::wait() {
  if (thread_.joinable()) thread_.join();
}

bool Demo::rest(milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  Lock lock(mutex_);
  while (!stop_ && std::chrono::steady_clock::now() < until) wake_.wait_until(lock.mutex(), until);
  return !stop_;
}

void Demo::play() {
  const auto scaled = [this](milliseconds time) {
    return milliseconds(
        static_cast<std::int64_t>(static_cast<double>(time.count()) / options_.speed));
  };
  for (std::size_t round = 0; options_.rounds == 0 || round < options_.rounds; ++round) {
    std::vector<std::unique_ptr<Scene>> scenes;
    for (const Script& script : kScripts) {
      if (bundled(script.file).empty()) continue;
      scenes.push_back(std::make_unique<Scene>(log_, script));
      scenes.back()->set_due(scaled(script.begins));
    }
    milliseconds now{0};
    while (!scenes.empty()) {
      const auto next =
          std::min_element(scenes.begin(), scenes.end(),
                           [](const auto& a, const auto& b) { return a->due() < b->due(); });
      Scene& scene = **next;
      if (!rest(std::max(milliseconds(0), scene.due() - now))) return;
      now = std::max(now, scene.due());
      scene.step();
      scene.set_due(now + scaled(scene.pace()));
      std::erase_if(scenes, [](const auto& one) { return one->over(); });
    }
    if (!rest(options_.pause)) return;
  }
}

}  // namespace dragoman::web
