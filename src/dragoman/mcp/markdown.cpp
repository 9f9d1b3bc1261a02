// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/markdown.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/words.hpp"
#include "dragoman/mcp/markdown_text.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/schema/tree.hpp"
#include "dragoman/show/neutral.hpp"

namespace dragoman::mcp {
namespace {

using schema::NodeId;
using schema::Tree;

std::string tool_of(Origin origin, std::string_view verb) {
  return fmt::format("_codex_{}_{}", origin == Origin::local ? "local" : "cloud", verb);
}

std::string title_of(std::string_view state) {
  std::string title(state);
  if (!title.empty()) title.front() = static_cast<char>(title.front() - 'a' + 'A');
  return title;
}

void put_next_answer(std::string& out, Origin origin, std::string_view task_id) {
  out += fmt::format("Next: dragoman answer, then {} {{\"task_id\":\"{}\"}}\n",
                     tool_of(origin, "wait"), task_id_of(task_id));
}

std::string detail(const Tree& tree, std::string_view name) {
  const auto found = tree.member(schema::kRoot, name);
  if (!found) return {};
  return std::string(tree.is(*found, json::Kind::string) ? tree.string(*found) : tree.raw(*found));
}

// Where it happened, and what to do about it.
void put_details(std::string& out, std::string_view details) {
  const auto tree = Tree::parse(std::string(details.empty() ? "{}" : details));
  if (!tree || !tree->is(schema::kRoot, json::Kind::object)) return;
  if (const auto id = detail(*tree, "task_id"); is_task_id(id)) put_task_line(out, id);
  if (const auto file = detail(*tree, "file"); !file.empty()) {
    const auto line = detail(*tree, "line");
    out += fmt::format("Where: {}{}\n", inline_words(file), line.empty() ? "" : ":" + line);
  }
  if (const auto expected = detail(*tree, "expected"); !expected.empty()) {
    out += fmt::format("Expected: {}\nGot: {}\n", inline_words(expected),
                       inline_words(detail(*tree, "got"), 100));
  }
  if (const auto code = detail(*tree, "exit_code"); !code.empty())
    out += fmt::format("Exit code: {}\n", inline_words(code, 20));
  if (const auto url = detail(*tree, "web_ui_url"); !url.empty())
    out += fmt::format("Page: {}\n", inline_words(url));
  if (const auto what = detail(*tree, "suggestion"); !what.empty())
    out += fmt::format("- {}\n", inline_words(what));
}

void put_next_after_error(std::string& out, std::string_view tool, const Error& error) {
  const bool cloud = tool.find("_cloud_") != std::string_view::npos;
  if (error.reason == "task") {
    out += fmt::format("Next: {} {{}}\n", cloud ? "_codex_cloud_status" : "_codex_local_status");
  } else if (error.reason == "environment") {
    out += "Next: _codex_cloud_list_environments {}\n";
  } else if (error.reason == "confirmation_required") {
    out += fmt::format("Next: ask the user, then {} with \"confirm\":true\n", tool);
  } else if (error.reason == "git_confirmation_required") {
    out += fmt::format("Next: ask the user, then {} with \"allow_destructive_git\":true\n", tool);
  } else if (error.reason == "environment_config") {
    out += "Example:\n";
    show::append_fenced(out,
                        R"([{"id":"env_a","name":"A","repository":"https://github.com/u/a",)"
                        R"("tech_stack":"node","backend":"codex-cloud"}])",
                        "json");
  }
}

std::int64_t number(const Tree& tree, NodeId object, std::string_view name) {
  const auto found = tree.member(object, name);
  if (!found || !tree.is(*found, json::Kind::number)) return 0;
  return json::parse_number(tree.raw(*found)).value.whole().value_or(0);
}

// "src/a.ts, src/b.ts (new) and 3 more"
void put_files(std::string& out, const Tree& tree, NodeId metadata) {
  constexpr std::size_t kShown = 10;
  const auto files = tree.member(metadata, "file_operations");
  if (!files) return;
  std::string line;
  std::size_t count = 0;
  const auto add = [&](std::string_view name, std::string_view mark) {
    const auto list = tree.member(*files, name);
    if (!list || !tree.is(*list, json::Kind::array)) return;
    for (const NodeId each : tree.children(*list)) {
      if (!tree.is(each, json::Kind::string) || ++count > kShown) continue;
      line += line.empty() ? "" : ", ";
      line += inline_words(tree.string(each), 200);
      line += mark;
    }
  };
  add("modified_files", "");
  add("added_files", " (new)");
  add("deleted_files", " (deleted)");
  if (line.empty()) return;
  count += static_cast<std::size_t>(number(tree, *files, "omitted_files"));
  out += "Files: " + line;
  if (count > kShown) out += fmt::format(" and {} more", count - kShown);
  out += "\n";
}

void put_tests_and_tokens(std::string& out, const Tree& tree, NodeId metadata) {
  if (const auto tests = tree.member(metadata, "test_results")) {
    out += fmt::format("Tests: {} passed, {} failed, {} skipped\n", number(tree, *tests, "passed"),
                       number(tree, *tests, "failed"), number(tree, *tests, "skipped"));
  }
  const auto thread = tree.member(metadata, "thread_info");
  if (!thread) return;
  if (const auto id = tree.member(*thread, "thread_id"))
    out += fmt::format("Thread: {}\n", inline_words(tree.string(*id), 80));
  const auto usage = tree.member(*thread, "token_usage");
  if (!usage) return;
  const std::int64_t in = number(tree, *usage, "input_tokens");
  out += fmt::format("Tokens: {} in", in);
  if (in > 0) {
    const std::int64_t cached = number(tree, *usage, "cached_input_tokens");
    out += fmt::format(" ({} % cached)", (cached * 100 + in / 2) / in);
  }
  out += fmt::format(", {} out\n", number(tree, *usage, "output_tokens"));
}

// Why it failed, as the metadata has it.
void put_problem(std::string& out, const task::Task& task, const Tree& tree, NodeId metadata) {
  const auto context = tree.member(metadata, "error_context");
  if (!context || !tree.is(*context, json::Kind::object)) return;
  const auto text = [&](NodeId object, std::string_view name) {
    const auto found = tree.member(object, name);
    return found && tree.is(*found, json::Kind::string) ? std::string(tree.string(*found)) : "";
  };
  const bool timeout = task.task_state() == TaskState::timeout;
  out += fmt::format("Error: {} ({}): {}\n", timeout ? "TIMEOUT" : "TOOL_ERROR",
                     inline_words(task.reason.empty() ? "agent_error" : task.reason, 60),
                     inline_words(text(*context, "error_message")));
  if (const auto places = tree.member(*context, "error_locations")) {
    for (const NodeId place : tree.children(*places)) {
      out += fmt::format("Where: {}:{}\n", inline_words(text(place, "file"), 200),
                         number(tree, place, "line"));
    }
  }
  if (const auto suggestions = tree.member(*context, "suggestions")) {
    for (const NodeId each : tree.children(*suggestions)) {
      if (tree.is(each, json::Kind::string))
        out += fmt::format("- {}\n", inline_words(tree.string(each), 200));
    }
  }
}

void put_output(std::string& out, const task::TaskResults& results) {
  if (!results.output_included) return;
  for (const auto& [name, text] : {std::pair{"Output", &results.output.stdout_text},
                                   {"Standard error", &results.output.stderr_text}}) {
    if (text->empty()) continue;
    out += fmt::format("{}:\n", name);
    show::append_fenced(out, *text, {});
  }
  if (results.output.truncated) {
    out += fmt::format("Output cut to {} of {} bytes\n", results.max_bytes,
                       results.output.original_size);
  }
}

void put_events(std::string& out, const task::TaskResults& results) {
  if (!results.events_included || results.events.empty()) return;
  std::string lines;
  for (const auto& line : results.events) lines += line + "\n";
  out += fmt::format("Events, the last {} of {}:\n", results.events.size(), results.event_count);
  show::append_fenced(out, lines, "json");
}

// "67 %, Running: npm test", else what the task is.
std::string activity_of(const task::Task& task) {
  std::string what;
  const auto tree = Tree::parse(task.progress.json.empty() ? "{}" : task.progress.json);
  if (tree && tree->is(schema::kRoot, json::Kind::object)) {
    const auto percent = detail(*tree, "percent");
    const auto activity = tree->member(schema::kRoot, "current_activity");
    if (!percent.empty() && percent != "null") what = inline_words(percent, 8) + " %";
    if (activity && tree->is(*activity, json::Kind::string))
      what += (what.empty() ? "" : ", ") + escaped_words(tree->string(*activity), 100);
  }
  return what.empty() ? escaped_words(task.text, 60) : what;
}

void put_status_table(std::string& out, const task::Snapshot& snapshot) {
  constexpr std::size_t kRows = 25;
  std::string rows;
  std::size_t count = 0;
  const auto row = [&](std::string_view id, std::string_view state, const std::string& time,
                       const std::string& what) {
    if (++count <= kRows)
      rows += fmt::format("| `{}` | {} | {} | {} |\n", task_id_of(id), state, time, what);
  };
  const auto time_of = [&](const task::Task& task) {
    return spoken_duration(task.duration(snapshot.at).count() / 1000);
  };
  for (const task::Task& task : snapshot.running)
    row(task.id, "working", time_of(task), activity_of(task));
  for (const auto& queued : snapshot.queued)
    row(queued.task.id, "queued", "", fmt::format("position {}", queued.position));
  for (const task::Task& task : snapshot.recent)
    row(task.id, task.state, time_of(task), escaped_words(task.summary, 100));
  if (!rows.empty()) out += "\n| task | state | time | |\n|---|---|---|---|\n" + rows + "\n";
  if (count > kRows) out += fmt::format("and {} more\n", count - kRows);
}

void put_last_lines(std::string& out, const task::Snapshot& snapshot) {
  for (const task::Task& task : snapshot.running) {
    std::string lines;
    for (const auto& line : task.last_lines) lines += line + "\n";
    if (lines.empty()) continue;
    out += fmt::format("`{}`:\n", task_id_of(task.id));
    show::append_fenced(out, lines, {});
  }
}

void put_refused_answer(std::string& out, std::string_view why) {
  if (!why.empty()) out += fmt::format("The answer was not taken: {}\n", inline_words(why));
}

}  // namespace

std::string spoken_duration(std::int64_t seconds) {
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} m {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} m", seconds / 3600, seconds % 3600 / 60);
}

std::string markdown_error(std::string_view tool, const Error& error) {
  std::string out = fmt::format("**Error** - {}", task::code_name(error.code));
  if (!error.reason.empty()) out += fmt::format(" ({})", error.reason);
  out += fmt::format(": {}\n", inline_words(error.message, 500));
  put_details(out, error.details);
  put_next_after_error(out, tool, error);
  return out;
}

std::string markdown_ack(const task::Acknowledgement& ack, const task::AckFacts& facts,
                         Origin origin) {
  std::string out;
  if (!facts.questions.empty()) {
    out = "**Waiting for an answer** - the agent asks something\n";
  } else if (ack.task.terminal()) {
    out = fmt::format("**{}** - {}\n", title_of(ack.task.state), inline_words(ack.task.summary));
  } else if (ack.queue_position > 0) {
    out = fmt::format("**Queued** - queue position {}\n", ack.queue_position);
  } else {
    out = fmt::format("**Started** - queue position {}\n", ack.queue_position);
  }
  put_task_line(out, ack.task.id);
  if (!ack.task.thread_id.empty() || !ack.task.resume.empty()) {
    out += fmt::format(
        "Thread: {}\n",
        inline_words(ack.task.thread_id.empty() ? ack.task.resume : ack.task.thread_id, 80));
  }
  if (!ack.expected_duration.empty()) out += fmt::format("Expected: {}\n", ack.expected_duration);
  if (ack.estimated_start_ms)
    out += fmt::format("Starts in about {}\n", spoken_duration(*ack.estimated_start_ms / 1000));
  if (!facts.web_ui_url.empty()) out += fmt::format("Page: {}\n", inline_words(facts.web_ui_url));
  put_refused_answer(out, facts.refused_answer);
  put_question_list(out, facts.questions);
  if (!facts.questions.empty()) {
    put_next_answer(out, origin, ack.task.id);
  } else {
    put_next(out, tool_of(origin, ack.task.terminal() ? "results" : "wait"), ack.task.id);
  }
  return out;
}

std::string markdown_results(const task::TaskResults& results, Origin origin,
                             std::string_view apply) {
  const task::Task& task = results.task;
  const bool asks = !results.questions.empty();
  std::string out =
      fmt::format("**{}** - {}\n", asks ? "Waiting for an answer" : title_of(task.state),
                  inline_words(results.summary));
  put_task_line(out, task.id);
  out += fmt::format("Duration: {}", spoken_duration(task.duration(task::now_ms()).count() / 1000));
  if (task.exit_code) out += fmt::format(" · Exit code: {}", *task.exit_code);
  if (!task.signal.empty()) out += fmt::format(" · Signal: {}", inline_words(task.signal, 40));
  out += "\n";
  const auto tree = Tree::parse(results.metadata.empty() ? "{}" : results.metadata);
  if (tree && tree->is(schema::kRoot, json::Kind::object)) {
    put_files(out, *tree, schema::kRoot);
    put_tests_and_tokens(out, *tree, schema::kRoot);
    put_problem(out, task, *tree, schema::kRoot);
  }
  put_refused_answer(out, results.refused_answer);
  put_question_list(out, results.questions);
  put_output(out, results);
  put_events(out, results);
  if (!apply.empty() && task.task_state() == TaskState::completed)
    out += fmt::format("Apply it by hand: {}\n", inline_words(apply));
  if (asks) {
    put_next_answer(out, origin, task.id);
  } else if (!task.terminal()) {
    put_next(out, tool_of(origin, "wait"), task.id);
  } else if (!results.output_included) {
    put_next(out, tool_of(origin, "results"), task.id, R"("include_output":true)");
  } else if (origin == Origin::local && !task.thread_id.empty()) {
    put_next(out, "_codex_local_resume", task.id, R"("task":"…")");
  }
  return out;
}

std::string markdown_status(const task::Snapshot& snapshot, const task::SnapshotFacts& facts,
                            Origin origin, const std::vector<ask::QuestionRecord>& questions) {
  std::string out =
      fmt::format("**{} running, {} queued** - {} ended in the last 24 h\n",
                  snapshot.running.size(), snapshot.queued.size(), snapshot.recent_count);
  put_status_table(out, snapshot);
  if (facts.verbose) put_last_lines(out, snapshot);
  for (const auto& [state, number] : facts.stats) out += fmt::format("{}: {}\n", state, number);
  put_question_list(out, questions);
  if (!questions.empty()) {
    put_next_answer(out, origin, questions.front().task_id);
  } else if (!snapshot.running.empty()) {
    put_next(out, tool_of(origin, "wait"), snapshot.running.front().id);
  } else if (!snapshot.recent.empty()) {
    put_next(out, tool_of(origin, "results"), snapshot.recent.front().id);
  }
  return out;
}

std::string markdown_cancel(const task::Cancelled& cancelled) {
  std::string out = fmt::format("**Cancelled** - {}\n", inline_words(cancelled.task.summary));
  put_task_line(out, cancelled.task.id);
  out += fmt::format("Before: {}\n", cancelled.previous_state);
  return out;
}

std::string markdown_clean(const task::Cleaned& cleaned, bool dry_run) {
  std::string out =
      fmt::format("**{}** - {}\n", dry_run ? "Dry run" : "Cleaned", cleaned.summary(dry_run));
  const std::size_t shown = std::min<std::size_t>(cleaned.stuck.size(), 10);
  for (std::size_t i = 0; i < shown; ++i) out += fmt::format("Stuck: `{}`\n", cleaned.stuck[i]);
  if (shown < cleaned.stuck.size())
    out += fmt::format("and {} more\n", cleaned.stuck.size() - shown);
  if (cleaned.old_found > 0) out += fmt::format("Oldest: {} h\n", cleaned.oldest_age_hours);
  return out;
}

std::string markdown_environments(const Environments& environments) {
  constexpr std::size_t kRows = 30;
  std::string out = fmt::format("**{}** - {}\n", counted(environments.all.size(), "environment"),
                                inline_words(environments.source));
  if (!environments.all.empty())
    out += "\n| id | name | repository | stack | backend |\n|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < std::min(environments.all.size(), kRows); ++i) {
    const Environment& each = environments.all[i];
    out += fmt::format("| {} | {} | {} | {} | {} |\n", escaped_words(each.id, 80),
                       escaped_words(each.name, 80), escaped_words(each.repository, 200),
                       escaped_words(each.tech_stack, 30), escaped_words(each.backend, 30));
  }
  if (environments.all.size() > kRows)
    out += fmt::format("and {} more\n", environments.all.size() - kRows);
  if (environments.skipped > 0)
    out += fmt::format("\nSkipped: {} without a name or a repository\n", environments.skipped);
  if (!environments.all.empty()) {
    out += "\nNext: _codex_cloud_submit {\"env_id\":";
    json::append_string(out, environments.all.front().id);
    out += ",\"task\":\"…\"}\n";
  }
  return out;
}

}  // namespace dragoman::mcp
