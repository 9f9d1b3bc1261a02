// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "dragoman/dialect/codex_reader.hpp"
#include "dragoman/dialect/tool_output.hpp"

namespace dragoman {
namespace {

struct Step {
  json::Value completed;
  json::Value status;
};
constexpr FieldTable kStep({
    Slot<Step>{"completed", &Step::completed},
    {"status", &Step::status},
});

struct ToolResult {
  json::Value content;
  json::Value message;
};
constexpr FieldTable kToolResult({
    Slot<ToolResult>{"content", &ToolResult::content},
    {"message", &ToolResult::message},
});

// A command that is said to be completed and has no exit code was still running when its turn was
// over. Where the status says nothing, the exit code does.
Outcome outcome_of_command(std::string_view status, Outcome named,
                           std::optional<std::int64_t> exit_code) {
  if (!exit_code.has_value()) return named == Outcome::ok ? Outcome::abandoned : named;
  if (named != Outcome::abandoned) return named;
  if (*exit_code != 0) return Outcome::failed;
  return status.data() == nullptr ? Outcome::ok : Outcome::abandoned;
}

// A list of strings as one text; still escaped.
json::Text joined_strings(const json::Value& list, Arena& arena) {
  if (!list.is(json::Kind::array)) return {};
  std::string joined;
  json::Text only;
  json::Cursor cursor(list.raw);
  for (json::Elements elements(cursor); elements.next();) {
    const json::Value item = cursor.take();
    if (!item.is(json::Kind::string)) continue;
    if (only.absent()) {
      only = item.text();
      continue;
    }
    if (joined.empty()) joined = only.bytes;
    joined += "\\n";
    joined += item.text().bytes;
  }
  return joined.empty() ? only : json::Text(arena.copy(joined), true);
}

// What was answered if permission was asked for. A call that ended badly may have been refused, but
// not one that has an exit code: that was run.
std::optional<Grant> permission_behind(const ToolFinished& finished) {
  if (finished.outcome == Outcome::denied) return Grant::deny;
  const bool ran = finished.outcome == Outcome::ok || finished.exit_code.has_value();
  return ran ? std::optional(Grant::allow_once) : std::nullopt;
}

// Beside the words of a message stands what they are: a comment on the work, or the answer.
class PhaseOfWords final : public EventSink {
 public:
  PhaseOfWords(const json::Value& phase, EventSink& out) : out_(out) {
    if (phase.given()) extra_.add("phase", phase);
  }
  void on_event(const Event& event) override {
    if (event.as<DisplayText>() == nullptr || !event.extra.empty()) return out_.on_event(event);
    Event words = event;
    words.extra = extra_;
    out_.on_event(words);
  }
  void on_record(const Record& record) override { out_.on_record(record); }
  void on_carried_text(std::string_view text) override { out_.on_carried_text(text); }

 private:
  EventSink& out_;
  Extras extra_;
};

struct Holder {
  json::Value item;
  json::Value params;
};
constexpr FieldTable kHolder({
    Slot<Holder>{"item", &Holder::item},
    {"params", &Holder::params},
});

}  // namespace

bool repeats_its_id_alone(std::string_view item) {
  CodexItem read;
  json::Cursor cursor(item);
  bool other = false;
  int ids = 0;
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    if (key == "id") {
      ++ids;
      cursor.skip();
    } else {
      pass_member(cursor, key, kCodexItem, read, other);
    }
  }
  const std::string_view type = read.type.raw;
  return ids == 2 && !other && (type == R"("web_search")" || type == R"("webSearch")");
}

std::string_view item_with_two_ids(std::string_view line) {
  Holder holder;
  read_object(line, kHolder, holder);
  if (holder.params.is(json::Kind::object)) read_object(holder.params.raw, kHolder, holder);
  const bool twice = holder.item.is(json::Kind::object) && repeats_its_id_alone(holder.item.raw);
  return twice ? holder.item.raw : std::string_view();
}

bool CodexReader::read_item(const Value& value, Phase phase, LineEvents& events) {
  if (!value.is(json::Kind::object)) return false;
  CodexItem item;
  bool duplicate = false;
  json::Cursor cursor(value.raw);
  pass_object(cursor, kCodexItem, item, duplicate);
  if (item.id.absent()) item.id = line_.item_id;
  const std::string_view type = string(item.type);
  if (duplicate && !repeats_its_id_alone(value.raw)) {
    events.form_finding("duplicate_key", "the last of two equal keys wins");
  }
  count_item(events);
  if (read_tool_item(type, item, phase, events) || read_words(type, item, phase, events)) {
    return true;
  }
  unknown_item(type, value, events);
  return true;
}

// What is passed on as raw JSON is always well formed, and nobody looked at it that closely before.
void CodexReader::unknown_item(std::string_view type, const Value& item, LineEvents& events) {
  const std::string_view label = arena_.copy(fmt::format("item/{}", type));
  json::Cursor cursor(item.raw, json::Cursor::Scalars::exact);
  cursor.skip();
  if (cursor.finish()) {
    events.emit(Unknown{label, Raw{item.raw}}, Channel::system);
  } else {
    events.emit(Malformed{item.raw, "bad_json", "an item that is no JSON", label}, Channel::system);
  }
}

// False: it is of another type, or does not say what its type promises.
bool CodexReader::read_words(std::string_view type, const CodexItem& item, Phase phase,
                             LineEvents& events) {
  const bool done = phase == Phase::completed;
  const bool speaks =
      type == "agent_message" || type == "assistant_message" || type == "agentMessage";
  if (speaks && (!done || item.text.is(json::Kind::string))) {
    if (done) say(item.text, item.phase, events);
  } else if (type == "reasoning") {
    return !done || think(item, events);
  } else if (type == "todo_list" || type == "todoList") {
    steps_item("todo_list", item.items, events);
  } else if (type == "plan" && (!item.text.given() || item.text.is(json::Kind::string))) {
    activity("plan", text_of(item.text), events);
  } else if (type == "error") {
    return !done || warn(item.message, events);
  } else if (type == "userMessage" || type == "user_message") {
    return !done || user_item(item, events);
  } else {
    return false;
  }
  return true;
}

bool CodexReader::read_tool_item(std::string_view type, const CodexItem& item, Phase phase,
                                 LineEvents& events) {
  if (type == "command_execution" || type == "commandExecution") {
    command_item(item, phase, events);
  } else if (type == "file_change" || type == "fileChange") {
    file_item(item, phase, events);
  } else if (type == "mcp_tool_call" || type == "mcpToolCall") {
    mcp_item(item, phase, events);
  } else if (type == "web_search" || type == "webSearch") {
    search_item(item, phase, events);
  } else if (type == "collab_tool_call" || type == "collabToolCall" ||
             type == "collabAgentToolCall") {
    agent_item(item, phase, events);
  } else {
    return false;
  }
  return true;
}

// The trust rule: markers count only in what the agent itself said on its main thread.
void CodexReader::say(const Value& text, const Value& phase, LineEvents& events) {
  const bool own = !is_subagents(events);
  if (own) fragment_text_.clear();
  if (!text.is(json::Kind::string)) return;
  const std::string_view decoded = json::decode(text.text(), arena_);
  CarriedBlock block;
  block.origin = events.origin_in(own ? Channel::assistant_text : Channel::subagent_text);
  block.block = blocks_++;
  block.report_only = !own;
  PhaseOfWords words(phase, events.sink());
  scanner_.read(decoded, block, spoken_.on_the_way_to(words));
  if (own) last_message_ = decoded;
}

bool CodexReader::think(const CodexItem& item, LineEvents& events) {
  if (item.text.given() && !item.text.is(json::Kind::string)) return false;
  Thinking thinking;
  thinking.text = text_of(item.text);
  if (thinking.text.absent()) thinking.text = joined_strings(item.summary, arena_);
  if (thinking.text.absent()) thinking.text = joined_strings(item.content, arena_);
  events.emit(thinking, Channel::thinking);
  return true;
}

// Of a status that nobody knows, or that is missing, nobody knows how it ended.
Outcome CodexReader::outcome_named(std::string_view status) {
  if (status == "completed") return Outcome::ok;
  if (status == "failed") return Outcome::failed;
  return status == "declined" ? Outcome::denied : Outcome::abandoned;
}

// A tool that ends was begun, whether that was seen or not: what its end says of it is told first.
void CodexReader::start_tool(const ToolStarted& started, Phase phase, LineEvents& events) {
  if (phase == Phase::completed) {
    const bool tells =
        !started.command.absent() || !started.description.empty() || !started.input.json.empty();
    if (!tells || tools_.find(started.id) != nullptr) return;
    events.emit_at(started, events.origin_before(Channel::tool_input));
    return;
  }
  const std::optional<RunningTool> pushed_out =
      tools_.open(started.id, started.tool, {}, events.origin().parent);
  if (pushed_out.has_value()) {
    abandon(*pushed_out, events.origin_behind(Channel::tool_result), events);
  }
  events.emit(started, Channel::tool_input);
}

void CodexReader::finish_tool(ToolFinished finished, LineEvents& events, const Extras& extra) {
  if (RunningTool* open = tools_.find(finished.id); open != nullptr) {
    if (finished.tool.data() == nullptr) finished.tool = arena_.copy(open->tool);
    tools_.close(*open);
  }
  events.emit(finished, Channel::tool_result, extra);
  questions_.settle_permissions(finished.id, permission_behind(finished), events);
}

void CodexReader::command_item(const CodexItem& item, Phase phase, LineEvents& events) {
  if (phase == Phase::updated) return;
  ToolStarted started;
  started.tool = "Bash";
  started.id = call_id(item.id, started.tool, phase, events);
  started.command = text_of(item.command);
  start_tool(started, phase, events);
  if (phase == Phase::started) return;
  NumberReader numbers(events);
  const std::string_view status = string(item.status);
  ToolFinished finished;
  finished.id = started.id;
  finished.tool = started.tool;
  finished.output = text_of(item.output);
  finished.exit_code = numbers.integer(item.exit_code);
  finished.outcome = outcome_of_command(status, outcome_named(status), finished.exit_code);
  finished.duration_ms = numbers.amount(item.duration_ms);
  finish_tool(finished, events);
}

void CodexReader::mcp_item(const CodexItem& item, Phase phase, LineEvents& events) {
  if (phase == Phase::updated) return;
  ToolStarted started;
  started.tool = started.mcp_tool =
      arena_.copy(fmt::format("mcp__{}__{}", string(item.server), string(item.tool)));
  started.id = call_id(item.id, started.tool, phase, events);
  started.input = Raw{item.arguments.raw};
  start_tool(started, phase, events);
  if (phase == Phase::started) return;
  ToolFinished finished;
  finished.id = started.id;
  finished.tool = started.tool;
  const bool has_error = item.error.is(json::Kind::object) || item.error.is(json::Kind::string);
  finished.outcome = outcome_named(string(item.status));
  if (has_error && finished.outcome != Outcome::denied) finished.outcome = Outcome::failed;
  finished.duration_ms = NumberReader(events).amount(item.duration_ms);
  Extras extra;
  ToolResult result;
  if (item.result.is(json::Kind::object)) read_object(item.result.raw, kToolResult, result);
  if (result.content.is(json::Kind::array)) {
    const ToolOutput output = output_of_parts(result.content.raw, arena_);
    const bool bad = finished.outcome == Outcome::failed || finished.outcome == Outcome::denied;
    (bad ? finished.error : finished.output) = output.text;
    if (!output.all_text) extra.add("content", result.content);
  }
  ToolResult error;
  if (item.error.is(json::Kind::object)) read_object(item.error.raw, kToolResult, error);
  if (error.message.is(json::Kind::string)) finished.error = error.message.text();
  if (item.error.is(json::Kind::string)) finished.error = item.error.text();
  finish_tool(finished, events, extra);
}

void CodexReader::search_item(const CodexItem& item, Phase phase, LineEvents& events) {
  if (phase == Phase::updated) return;
  ToolStarted started;
  started.tool = "WebSearch";
  started.id = call_id(item.id, started.tool, phase, events);
  started.description = string(item.query);
  start_tool(started, phase, events);
  if (phase == Phase::started) return;
  ToolFinished finished;
  finished.id = started.id;
  finished.tool = started.tool;
  finish_tool(finished, events, Extras().add("query", item.query));
}

void CodexReader::agent_item(const CodexItem& item, Phase phase, LineEvents& events) {
  name_subagents(item);
  if (phase == Phase::updated) return;
  ToolStarted started;
  started.tool = "Agent";
  started.id = call_id(item.id, started.tool, phase, events);
  started.description = string(item.tool);
  started.command = text_of(item.prompt);
  start_tool(started, phase, events);
  if (phase == Phase::started) {
    tools_.find(started.id)->spawns = spawns_agent(item);
    return;
  }
  ToolFinished finished;
  finished.id = started.id;
  finished.tool = started.tool;
  finished.outcome = outcome_named(string(item.status));
  finish_tool(finished, events);
}

void CodexReader::steps_item(std::string_view name, const Value& list, LineEvents& events) {
  Status status;
  status.activity = name;
  Steps steps;
  if (list.is(json::Kind::array)) {
    json::Cursor cursor(list.raw);
    for (json::Elements elements(cursor); elements.next();) {
      Step step;
      bool duplicate = false;
      pass_object(cursor, kStep, step, duplicate);
      ++steps.total;
      if (step.completed.is_true() || step.status.raw == R"("completed")") ++steps.done;
    }
  }
  status.steps = steps;
  events.emit(status, Channel::system, Extras().add("items", list));
}

void CodexReader::hear_user(json::Text words, LineEvents& events) {
  events.emit(DisplayText{words, blocks_++}, Channel::user);
  if (is_subagents(events) || (spoken_.empty() && questions_.empty())) return;
  const std::string_view answer = answer_in(json::decode(words, arena_));
  if (answer.empty()) return;
  spoken_.answer_in_words(answer, events);
  questions_.answer_in_words(answer, events, arena_);
}

bool CodexReader::user_item(const CodexItem& item, LineEvents& events) {
  json::Text text = text_of(item.text);
  if (item.content.is(json::Kind::array)) text = output_of_parts(item.content.raw, arena_).text;
  if (text.absent()) return false;
  hear_user(text, events);
  return true;
}

}  // namespace dragoman
