// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/views.hpp"

#include "dragoman/base/utf8.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/json/number.hpp"
#include "dragoman/run/one_line.hpp"
#include "dragoman/run/run_id.hpp"

namespace dragoman::web {

namespace {

constexpr std::size_t kSummary = 2000;

void put_time(json::Writer& w, std::int64_t ms) {
  if (ms == 0) {
    w.null();
  } else {
    w.integer(ms);
  }
}

void put_value(json::Writer& w, const json::Value& value) {
  if (value.absent()) {
    w.null();
  } else {
    w.raw({value.raw});
  }
}

std::int64_t whole(const json::Value& value) {
  if (!value.is(json::Kind::number)) return 0;
  return json::parse_number(value.raw).value.whole().value_or(0);
}

void read_usage(json::Cursor& cursor, Tokens& tokens) {
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const std::string name(key);
    const json::Value value = cursor.take();
    if (name == "input_tokens") tokens.input = whole(value);
    if (name == "cached_input_tokens") tokens.cached = whole(value);
    if (name == "output_tokens") tokens.output = whole(value);
  }
}

// The task's own names are "completed_steps" and so on.
void put_progress(json::Writer& w, const std::string& progress) {
  json::Value percent;
  json::Value completed;
  json::Value total;
  json::Value activity;
  json::Cursor cursor(progress);
  if (progress.empty() || !cursor.next_is(json::Kind::object)) {
    w.null();
    return;
  }
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    if (key == "percent") {
      percent = cursor.take();
    } else if (key == "completed_steps") {
      completed = cursor.take();
    } else if (key == "total_steps") {
      total = cursor.take();
    } else if (key == "current_activity") {
      activity = cursor.take();
    } else {
      (void)cursor.skip();
    }
  }
  w.begin_object();
  put_value(w.name("percent"), percent);
  put_value(w.name("completed"), completed);
  put_value(w.name("total"), total);
  put_value(w.name("activity"), activity);
  w.end_object();
}

// The question itself: a header may be no more than its first characters. The page cuts it to its
// width.
std::string waiting_for(const ask::QuestionRecord& question) {
  const std::string& words = question.text.empty() ? question.header : question.text;
  return one_line(utf8::head(words, kSummary));
}

}  // namespace

OpenQuestions by_task(std::vector<ask::QuestionRecord> questions) {
  OpenQuestions open;
  for (auto& question : questions) open[question.task_id].push_back(std::move(question));
  return open;
}

std::optional<Tokens> tokens_of(const task::Task& task) {
  if (task.metadata.json.empty()) return std::nullopt;
  std::optional<Tokens> tokens;
  json::Cursor cursor(task.metadata.json);
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    if (key != "thread_info") {
      (void)cursor.skip();
      continue;
    }
    std::string_view inner;
    for (json::Members thread(cursor); thread.next(inner);) {
      if (inner == "token_usage") {
        tokens.emplace();
        read_usage(cursor, *tokens);
      } else {
        (void)cursor.skip();
      }
    }
  }
  return cursor.ok() ? tokens : std::nullopt;
}

std::string_view shown_state(const task::Task& task, std::size_t open_questions) {
  return open_questions > 0 && task.state == "working" ? "waiting" : std::string_view(task.state);
}

void put_run_members(json::Writer& w, const RunView& run) {
  const task::Task& task = run.task;
  const std::size_t open = run.open == nullptr ? 0 : run.open->size();
  w.name("id").string(task.id);
  w.name("title").string(title_line(task));
  w.name("agent").string(task.agent);
  w.name("tool").string(task.tool);
  w.name("state").string(shown_state(task, open));
  put_text_or_null(w.name("reason"), task.reason);
  put_text_or_null(w.name("working_dir"), task.working_dir);
  w.name("created_at").integer(task.created_at);
  put_time(w.name("started_at"), task.started_at);
  put_time(w.name("completed_at"), task.completed_at);
  w.name("duration_ms");
  if (task.completed_at != 0 && task.started_at != 0) {
    w.integer(task.duration(task.completed_at).count());
  } else {
    w.null();
  }
  put_progress(w.name("progress"), task.progress.json);
  w.name("tokens");
  if (const auto tokens = tokens_of(task)) {
    w.integer(tokens->input + tokens->output);
  } else {
    w.null();
  }
  w.name("cost_usd");
  if (run.cost_usd) {
    w.real(*run.cost_usd);
  } else {
    w.null();
  }
  put_text_or_null(w.name("waiting_for"), open > 0 ? waiting_for(run.open->front()) : "");
  put_text_or_null(w.name("summary"), utf8::head(task.summary, kSummary));
  w.name("open_questions").count(open);
  w.name("label").null();
  const bool queued = task.task_state() == TaskState::queued;
  put_text_or_null(w.name("waits"), queued ? task::kWaitsForSlot : std::string_view(task.waits));
  w.name("turns").count(task.turns);
  w.name("said").count(task.said);
  w.name("heard").count(task.heard);
  w.name("revision").count(task.revision);
}

void put_run(json::Writer& w, const RunView& run) {
  w.begin_object();
  put_run_members(w, run);
  w.end_object();
}

void put_text_or_null(json::Writer& w, std::string_view text) {
  if (text.empty()) {
    w.null();
  } else {
    w.string(text);
  }
}

void put_question_view(json::Writer& w, const ask::QuestionRecord& question) {
  const auto grants = question.grants();
  w.begin_object();
  w.name("id").string(question.id);
  w.name("run").string(question.task_id);
  w.name("task_id").string(task_id_of(question.task_id));
  w.name("kind").string(question.kind_word());
  w.name("header").string(question.header);
  w.name("question").string(question.text);
  w.name("options").begin_array();
  for (std::size_t i = 0; i < question.options.size(); ++i) {
    w.begin_object().name("label").string(question.options[i].label);
    w.name("description").string(question.options[i].description);
    if (!grants.empty() && grants[i]) w.name("grants").string(name(*grants[i]));
    w.end_object();
  }
  w.end_array();
  w.name("context").begin_array();
  for (const auto& line : question.context) w.string(line);
  w.end_array();
  w.name("multi_select").boolean(question.multi_select);
  w.name("allow_free_text").boolean(question.free_text || question.options.empty());
  w.name("secret").boolean(question.secret);
  w.name("state").string(name(question.state));
  if (!question.wants.empty()) w.name("wants").raw({question.wants.write()});
  put_text_or_null(w.name("answer"), ask::shown_answer(question));
  put_text_or_null(w.name("decision"), question.decision ? name(*question.decision) : "");
  put_text_or_null(w.name("answered_by"), question.answered_by);
  w.name("asked_at").integer(question.asked_at);
  put_time(w.name("answered_at"), question.settled_at);
  w.end_object();
}

std::string error_body(std::string_view code, std::string_view message, std::string_view details) {
  std::string out;
  json::Writer w(out);
  w.begin_object().name("error").begin_object();
  w.name("code").string(code);
  w.name("message").string(message);
  if (!details.empty()) w.name("details").raw({details});
  w.end_object().end_object();
  return out;
}

}  // namespace dragoman::web
