// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/json.hpp"

#include "dragoman/event/names.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

void put_text(json::Writer& w, std::string_view key, const std::string& text) {
  if (!text.empty()) w.key(key).string(text);
}

void put_real(json::Writer& w, std::string_view key, const std::optional<double>& value) {
  if (!value.has_value()) return;
  const Number number = Number::of(*value);
  const auto whole = number.whole();
  w.key(key).number(whole.has_value() ? Number::of(*whole) : number);
}

void put_texts(json::Writer& w, std::string_view key, const std::vector<std::string>& texts) {
  w.key(key).begin_array();
  for (const std::string& text : texts) w.string(text);
  w.end_array();
}

template <typename T, typename Put>
void put_list(json::Writer& w, std::string_view key, const std::vector<T>& items, Put put) {
  w.key(key).begin_array();
  for (const T& item : items) {
    w.begin_object();
    put(item);
    w.end_object();
  }
  w.end_array();
}

void put_status(json::Writer& w, const RunSummary& run) {
  if (run.command.has_value()) {
    w.key("command").begin_object();
    put_text(w, "command", run.command->command);
    put_text(w, "args", run.command->args);
    put_text(w, "title", run.command->title);
    w.end_object();
  }
  if (!run.status.has_value()) return;
  w.key("status").begin_object();
  put_text(w, "status", run.status->status);
  put_text(w, "message", run.status->message);
  put_real(w, "progress", run.status->progress);
  put_real(w, "phase", run.status->phase);
  put_text(w, "plan", run.status->plan);
  put_text(w, "task", run.status->task);
  w.end_object();
}

void put_tools(json::Writer& w, const RunSummary& run) {
  w.key("tools").begin_object();
  w.key("started").count(run.tools.started);
  w.key("ok").count(run.tools.ok);
  w.key("failed").count(run.tools.failed);
  w.key("denied").count(run.tools.denied);
  w.key("abandoned").count(run.tools.abandoned);
  w.end_object();
  put_list(w, "open_tools", run.open_tools, [&w](const OpenTool& tool) {
    put_text(w, "id", tool.id);
    put_text(w, "tool", tool.tool);
    put_text(w, "description", tool.description);
  });
}

void put_work(json::Writer& w, const RunSummary& run) {
  put_list(w, "files", run.files, [&w](const ChangedFile& file) {
    w.key("path").string(file.path);
    w.key("action").string(name(file.action));
    put_text(w, "from", file.from);
    put_text(w, "note", file.note);
    w.key("claimed").boolean(file.claimed).key("observed").boolean(file.observed);
  });
  if (run.tests.has_value()) {
    w.key("tests").begin_object();
    w.key("passed").integer(run.tests->passed);
    w.key("failed").integer(run.tests->failed);
    w.key("skipped").integer(run.tests->skipped);
    put_text(w, "framework", run.tests->framework);
    w.end_object();
  }
  if (run.commit_suggestion.has_value()) {
    w.key("commit_suggestion").begin_object();
    put_text(w, "subject", run.commit_suggestion->subject);
    put_text(w, "body", run.commit_suggestion->body);
    w.end_object();
  }
}

void put_waiting(json::Writer& w, const RunSummary& run) {
  put_list(w, "questions", run.questions, [&w](const AskedQuestion& question) {
    w.key("id").string(question.id);
    w.key("kind").string(name(question.kind));
    w.key("state").string(name(question.state));
    put_text(w, "header", question.header);
    w.key("text").string(question.text);
    put_texts(w, "options", question.options);
    w.key("blocking").boolean(question.blocking);
    if (question.decision) w.key("decision").string(name(*question.decision));
    put_text(w, "answer", question.answer);
  });
  put_list(w, "blocked", run.blocked, [&w](const BlockedNote& note) {
    w.key("reason").string(note.reason);
    put_texts(w, "context", note.context);
    w.key("resumed").boolean(note.resumed);
  });
  put_list(w, "next_actions", run.next_actions, [&w](const NextActionNote& action) {
    w.key("command").string(action.command);
    put_text(w, "args", action.args);
    put_text(w, "description", action.description);
    w.key("priority").string(action.priority);
  });
}

void put_end(json::Writer& w, const RunSummary& run) {
  put_list(w, "claims", run.claims, [&w](const CompletionClaim& claim) {
    w.key("by").string(claim.by);
    if (claim.iterations.has_value()) w.key("iterations").integer(*claim.iterations);
    put_text(w, "text", claim.text);
  });
  w.key("turns").begin_object();
  w.key("finished").count(run.turns.finished).key("failed").count(run.turns.failed);
  w.key("num_turns").integer(run.turns.num_turns);
  put_real(w, "duration_ms", run.turns.duration_ms);
  if (const auto& last = run.turns.last; last.has_value()) {
    w.key("last").begin_object();
    w.key("ok").boolean(last->ok);
    put_text(w, "subtype", last->subtype);
    put_text(w, "terminal_reason", last->terminal_reason);
    put_text(w, "text", last->text);
    put_texts(w, "reasons", last->reasons);
    w.end_object();
  }
  w.end_object();
  put_texts(w, "in_flight", run.in_flight);
}

void put_troubles(json::Writer& w, const RunSummary& run) {
  put_list(w, "failures", run.failures, [&w](const FailureNote& failure) {
    put_text(w, "code", failure.code);
    put_text(w, "message", failure.message);
    if (failure.recoverable == Recoverable::unknown) {
      w.key("recoverable").string("unknown");
    } else {
      w.key("recoverable").boolean(failure.recoverable == Recoverable::true_);
    }
    put_text(w, "suggestion", failure.suggestion);
    put_text(w, "reason", failure.reason);
    w.key("reported").boolean(failure.reported);
  });
  if (run.rate_limit.has_value()) {
    w.key("rate_limit").begin_object();
    put_text(w, "status", run.rate_limit->status);
    put_text(w, "limit", run.rate_limit->limit);
    if (run.rate_limit->resets_at.has_value()) {
      w.key("resets_at").integer(*run.rate_limit->resets_at);
    }
    put_real(w, "utilization", run.rate_limit->utilization);
    w.key("times").count(run.rate_limit->times);
    w.end_object();
  }
  w.key("warnings").begin_object();
  for (const auto& [rule, times] : run.warnings) w.key(rule).count(times);
  w.end_object();
  w.key("malformed").count(run.malformed);
  w.key("truncated_tail").boolean(run.truncated_tail);
  if (run.left_out != 0) w.key("left_out").count(run.left_out);
}

void put_usage(json::Writer& w, const RunUsage& usage) {
  w.key("usage").begin_object();
  w.key("input_tokens").integer(usage.tokens.input);
  w.key("total_input_tokens").integer(usage.tokens.total_input);
  w.key("cached_input_tokens").integer(usage.tokens.cached_input);
  w.key("cache_write_tokens").integer(usage.tokens.cache_write);
  w.key("output_tokens").integer(usage.tokens.output);
  w.key("reasoning_tokens").integer(usage.tokens.reasoning);
  put_real(w, "cost_usd", usage.cost_usd);
  w.key("final").boolean(usage.final);
  w.end_object();
}

void put_run(json::Writer& w, const RunSummary& run) {
  w.begin_object();
  w.key("dialect").string(name(run.dialect));
  put_text(w, "session_id", run.session_id);
  put_text(w, "model", run.model);
  put_text(w, "cwd", run.cwd);
  put_status(w, run);
  put_tools(w, run);
  put_work(w, run);
  put_waiting(w, run);
  put_end(w, run);
  put_troubles(w, run);
  put_usage(w, run.usage);
  w.end_object();
}

}  // namespace

void append_json(std::string& out, const RunSummary& run) {
  json::Writer w(out);
  put_run(w, run);
}

void append_json(std::string& out, const Verdict& verdict, const RunSummary& run,
                 Explained explained) {
  json::Writer w(out);
  w.begin_object();
  w.key("verdict").string(name(verdict.kind));
  w.key("exit_code").integer(verdict.exit_code);
  put_texts(w, "reasons", verdict.reasons());
  put_texts(w, "warnings", verdict.warnings);
  if (explained == Explained::yes) {
    w.key("rule").integer(verdict.rule).key("condition").string(condition_of(verdict));
    put_list(w, "facts", verdict.facts, [&w](const Fact& fact) {
      w.key("id").string(fact.id);
      put_text(w, "detail", fact.detail);
    });
  }
  w.key("run");
  put_run(w, run);
  w.end_object();
}

}  // namespace dragoman
