// SPDX-License-Identifier: Apache-2.0
// The overview's half of Feed: what changed in the records of tasks and questions.
#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "dragoman/web/feed.hpp"
#include "dragoman/web/questions.hpp"

namespace dragoman::web {

namespace {

constexpr std::size_t kChanges = 500;

std::string question_json(const ask::QuestionRecord& question) {
  std::string out;
  json::Writer w(out);
  put_question_view(w, question);
  return out;
}

// Keeps the map of open questions as the record says; true when that changed it.
bool note_question(OpenQuestions& open, const ask::QuestionRecord& question) {
  auto& list = open[question.task_id];
  const auto before = list.size();
  std::erase_if(list, [&](const auto& known) { return known.id == question.id; });
  const bool is_open = question.is_open();
  if (is_open) list.push_back(question);
  const bool changed = is_open || list.size() != before;
  if (list.empty()) open.erase(question.task_id);
  return changed;
}

}  // namespace

void Feed::Events::add(std::string_view name, std::string_view json) {
  last_ = text_.size();
  text_.append("event: ").append(name).append("\ndata: ").append(json).append("\n\n");
}

Feed::Piece Feed::Events::piece(std::uint64_t revision) && {
  text_.insert(last_, fmt::format("id: {}\n", revision));
  return std::make_shared<const std::string>(std::move(text_));
}

std::string Feed::run_json(const task::Task& task) {
  const auto open = open_.find(task.id);
  std::string out;
  json::Writer w(out);
  put_run(w, {task, open == open_.end() ? nullptr : &open->second, costs_.of(task)});
  return out;
}

Feed::Piece Feed::state_piece(const task::Task& task) {
  return std::make_shared<const std::string>("event: state\ndata: " + run_json(task) + "\n\n");
}

void Feed::prepare() {
  Totals totals;
  for (;;) {
    const auto page = log_.changed(task::kTasks, tasks_seen_, kChanges);
    if (!page || page->empty()) break;
    for (const auto& record : *page) {
      Totals::Counted& counted = known_[record.key];
      if (const auto task = task::task_of(record); task && task->terminal())
        totals.add(*task, counted);
    }
    tasks_seen_ = page->back().revision;
  }
  for (;;) {
    const auto page = log_.changed(kQuestions, questions_seen_, kChanges);
    if (!page || page->empty()) break;
    for (const auto& record : *page)
      if (const auto question = ask::question_in(record)) note_question(open_, *question);
    questions_seen_ = page->back().revision;
  }
  revision_ = std::max(tasks_seen_, questions_seen_);
  const Lock lock(mutex_);
  totals_ = totals;
}

std::vector<LogRecord> Feed::changed(std::string_view bucket, std::uint64_t& after) {
  auto records = log_.changed(bucket, after, kChanges);
  if (!records || records->empty()) return {};
  after = records->back().revision;
  return *std::move(records);
}

void Feed::see_tasks(const std::vector<LogRecord>& records, Events& out) {
  for (const auto& record : records) {
    Totals::Counted& counted = known_[record.key];
    const auto task = task::task_of(record);
    if (!task) continue;
    if (task->terminal()) {
      const Lock lock(mutex_);
      totals_.add(*task, counted);
    }
    if (!overview_.empty()) out.add("run", run_json(*task));
    tell_state(*task);
  }
}

void Feed::see_questions(const std::vector<LogRecord>& records, Events& out) {
  for (const auto& record : records) {
    const auto question = ask::question_in(record);
    if (!question) continue;
    const bool matters = note_question(open_, *question);
    if (!overview_.empty()) out.add("question", question_json(*question));
    if (!matters) continue;
    // The run is shown as waiting, or no longer.
    const auto task = task::find_task(log_, question->task_id);
    if (!task || !*task) continue;
    if (!overview_.empty()) out.add("run", run_json(**task));
    tell_state(**task);
  }
}

void Feed::tell_state(const task::Task& task) {
  const auto found = channels_.find(task.id);
  if (found == channels_.end()) return;
  Channel& channel = found->second;
  // The last events of a turn come before its end, which may follow another one unseen.
  if (task.terminal()) look_at_run(channel);
  channel.over = task.terminal();
  channel.state = state_piece(task);
  for (Reader& reader : channel.readers) {
    reader.state_due = true;
    reader.behind = !catch_up(channel, reader);
    anyone_behind_ = anyone_behind_ || reader.behind;
  }
}

// Records of two buckets are read one after the other, so a change may come in between. What was
// read first is complete up to its last revision in both; what was read second is, once the first
// has been read again.
void Feed::look_at_overview() {
  for (bool more = true; more;) {
    Events out;
    const auto tasks = changed(task::kTasks, tasks_seen_);
    std::uint64_t complete = std::max(revision_.load(), tasks.empty() ? 0 : tasks.back().revision);
    const auto questions = changed(kQuestions, questions_seen_);
    see_questions(questions, out);  // first: runs are shown with their questions
    see_tasks(tasks, out);
    more = tasks.size() == kChanges || questions.size() == kChanges;
    if (!questions.empty() && !more) {
      see_tasks(changed(task::kTasks, tasks_seen_), out);
      complete = std::max(complete, questions.back().revision);
    }
    if (!more) find_removed(out);
    if (tasks.size() < kChanges && questions.size() < kChanges) revision_ = complete;
    if (!out.empty()) send_overview(std::move(out).piece(revision_));
  }
}

void Feed::send_overview(const Piece& piece) {
  for (Reader& reader : overview_) {
    const std::size_t queued = reader.stream->queued();
    if (reader.behind || (queued > 0 && queued + piece->size() > kQueueBytes)) {
      reader.behind = true;
      anyone_behind_ = true;
    } else {
      reader.stream->write(piece);
    }
  }
}

// A dropped record leaves no trace but a smaller count.
void Feed::find_removed(Events& out) {
  const auto now = Clock::now();
  if (now - counted_ < options_.count_every) return;
  counted_ = now;
  const auto count = log_.count({.bucket = std::string(task::kTasks)});
  if (!count || *count >= known_.size()) return;
  std::unordered_set<std::string> there;
  for (std::uint64_t after = 0;;) {
    const auto page = changed(task::kTasks, after);
    if (page.empty()) break;
    for (const auto& record : page) there.insert(record.key);
  }
  std::erase_if(known_, [&](const auto& known) {
    if (there.count(known.first) > 0) return false;
    std::string json;
    json::Writer(json).begin_object().name("id").string(known.first).end_object();
    out.add("removed", json);
    return true;
  });
}

void Feed::welcome_to_overview(Newcomer& newcomer) {
  look_at_overview();
  Reader reader;
  reader.stream = std::move(newcomer.stream);
  const Start& start = newcomer.start;
  const std::uint64_t revision = revision_;
  bool lost = start.kind == Start::Kind::unknown;
  if (start.kind == Start::Kind::number && start.after != revision) {
    const std::size_t most = options_.most_replayed + 1;
    const auto tasks = log_.changed(task::kTasks, start.after, most);
    const auto questions = log_.changed(kQuestions, start.after, most);
    lost = start.after > revision || !tasks || !questions ||
           tasks->size() + questions->size() > options_.most_replayed;
    Events out;
    for (std::size_t i = 0; !lost && i < questions->size(); ++i)
      if (const auto question = ask::question_in((*questions)[i])) {
        out.add("question", question_json(*question));
        const auto task = task::find_task(log_, question->task_id);
        if (task && *task) out.add("run", run_json(**task));
      }
    for (std::size_t i = 0; !lost && i < tasks->size(); ++i)
      if (const auto task = task::task_of((*tasks)[i])) out.add("run", run_json(*task));
    if (!out.empty()) reader.stream->write(std::move(out).piece(revision));
  }
  if (lost) {
    ++resyncs_;
    reader.stream->write(
        fmt::format("id: {0}\nevent: resync\ndata: {{\"last\":{0}}}\n\n", revision));
  }
  overview_.push_back(std::move(reader));
}

}  // namespace dragoman::web
