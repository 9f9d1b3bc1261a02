// SPDX-License-Identifier: Apache-2.0
// One run in full.
#include "dragoman/task/values.hpp"
#include "dragoman/web/api.hpp"
#include "dragoman/web/questions.hpp"

namespace dragoman::web {

namespace {

void put_json(json::Writer& w, const JsonText& text) {
  if (text.json.empty()) {
    w.null();
  } else {
    w.raw({text.json});
  }
}

void put_words(json::Writer& w, const std::vector<std::string>& words) {
  w.begin_array();
  for (const auto& word : words) w.string(word);
  w.end_array();
}

void put_verdict(json::Writer& w, const task::Task& task, const FoldedRun& run) {
  if (!task.terminal()) {  // a turn before may have had one
    w.null();
    return;
  }
  w.begin_object();
  w.name("state").string(run.verdict.empty() ? task.state : run.verdict);
  w.name("reasons");
  if (!run.reasons.empty() || task.reason.empty()) {
    put_words(w, run.reasons);
  } else {
    w.begin_array().string(task.reason).end_array();
  }
  w.end_object();
}

void put_cost(json::Writer& w, const RunUsage& usage) {
  if (usage.cost_usd) {
    w.real(*usage.cost_usd);
  } else {
    w.null();
  }
}

void put_curve(json::Writer& w, const std::vector<UsagePoint>& curve) {
  w.begin_array();
  for (const UsagePoint& point : curve) {
    w.begin_object().name("seq").count(point.seq).name("at");
    if (point.at) {
      w.integer(point.at->time_since_epoch().count());
    } else {
      w.null();
    }
    w.name("input_tokens").integer(point.total.tokens.total_input);
    w.name("output_tokens").integer(point.total.tokens.output);
    put_cost(w.name("cost_usd"), point.total);
    w.end_object();
  }
  w.end_array();
}

void put_usage(json::Writer& w, const FoldedRun& run) {
  const RunUsage& usage = run.summary.usage;
  if (usage.tokens.empty() && !usage.cost_usd) {
    w.null();
    return;
  }
  w.begin_object();
  w.name("input_tokens").integer(usage.tokens.total_input);
  w.name("output_tokens").integer(usage.tokens.output);
  w.name("cache_read_tokens").integer(usage.tokens.cached_input);
  put_cost(w.name("cost_usd"), usage);
  put_curve(w.name("curve"), run.curve);
  w.end_object();
}

// Only the names of variables: their values may be secrets.
void put_environment(json::Writer& w, const std::vector<std::string>& variables) {
  w.begin_array();
  for (const auto& variable : variables) w.string(variable.substr(0, variable.find('=')));
  w.end_array();
}

Result<void> put_questions(json::Writer& w, Api& api, const task::Task& task) {
  DRAGOMAN_TRY(const auto questions, questions_of(api.service.log(), task.id));
  w.begin_array();
  for (const auto& question : questions) put_question_view(w, question);
  w.end_array();
  return {};
}

}  // namespace

Result<http::Response> show_run(Api& api, const Call& call) {
  DRAGOMAN_TRY(const auto task, api.service.get(call.parts[0]));
  DRAGOMAN_TRY(const auto open, open_questions(api));
  DRAGOMAN_TRY(const auto run, api.folds.of(task.id));
  std::string out;
  json::Writer w(out);
  w.begin_object();
  put_run_members(w, view_of(api, task, open));
  w.name("text").string(task.text);
  put_words(w.name("words"), task.words);
  put_environment(w.name("environment"), task.environment);
  put_text_or_null(w.name("mode"), task::mode_of(task));
  put_text_or_null(w.name("model"), task.model.empty() ? run.summary.model : task.model);
  put_text_or_null(w.name("permission_mode"), task.permission_mode);
  put_text_or_null(w.name("thread_id"), task.thread_id);
  put_text_or_null(w.name("parent"), task.parent);
  w.name("exit_code");
  if (task.exit_code) {
    w.integer(*task.exit_code);
  } else {
    w.null();
  }
  put_text_or_null(w.name("signal"), task.signal);
  put_json(w.name("metadata"), task.metadata);
  put_json(w.name("artifacts"), task.artifacts);
  put_words(w.name("last_lines"), task.last_lines);
  w.name("recorded").boolean(!task.recording.empty());
  put_verdict(w.name("verdict"), task, run);
  put_usage(w.name("usage"), run);
  DRAGOMAN_CHECK(put_questions(w.name("questions"), api, task));
  DRAGOMAN_CHECK(put_talk(w, api, task));
  w.end_object();
  return json_response(200, std::move(out));
}

}  // namespace dragoman::web
