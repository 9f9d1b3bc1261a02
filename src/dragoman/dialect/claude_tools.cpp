// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "dragoman/base/path.hpp"
#include "dragoman/dialect/claude_reader.hpp"
#include "dragoman/dialect/field_table.hpp"
#include "dragoman/dialect/tool_output.hpp"

namespace dragoman {
namespace {

// What of a tool's arguments is shown.
struct ToolInput {
  json::Value command;
  json::Value description;
  json::Value file_path;
  json::Value notebook_path;
  // The source document's spelling, and ours for a tool that an agent merely told of: no tool of
  // Claude's has it, so its result is no proof that a file was changed.
  json::Value file;
  json::Value mcp_tool;  // likewise
};
using I = ToolInput;
constexpr FieldTable kInput({
    Slot<I>{"command", &I::command},
    {"description", &I::description},
    {"file_path", &I::file_path},
    {"notebook_path", &I::notebook_path},
    {"file", &I::file},
    {"mcp_tool", &I::mcp_tool},
});

struct FileResult {
  json::Value type;
  json::Value file_path;
};
constexpr FieldTable kFileResult({
    Slot<FileResult>{"type", &FileResult::type},
    {"filePath", &FileResult::file_path},
    {"notebook_path", &FileResult::file_path},
});

struct AskResult {
  json::Value answers;
};
constexpr FieldTable kAskResult({Slot<AskResult>{"answers", &AskResult::answers}});

struct ResultMeta {
  json::Value id;
  json::Value non_execution_kind;
  json::Value permission_decision;
};
constexpr FieldTable kResultMeta({
    Slot<ResultMeta>{"id", &ResultMeta::id},
    {"non_execution_kind", &ResultMeta::non_execution_kind},
    {"permission_decision", &ResultMeta::permission_decision},
});

struct Decision {
  json::Value decision;
};
constexpr FieldTable kDecision({Slot<Decision>{"decision", &Decision::decision}});

bool changes_a_file(std::string_view tool) {
  return tool == "Write" || tool == "Edit" || tool == "MultiEdit" || tool == "NotebookEdit";
}

// The file that the tool really works on.
std::string_view target_of(const ToolInput& input, Arena& arena) {
  for (const json::Value* value : {&input.file_path, &input.notebook_path}) {
    const std::string_view file = string_of(*value, arena);
    if (file.data() != nullptr) return file;
  }
  return {};
}

// "Exit code 1\n…": the way Bash reports a command that failed.
std::optional<std::int64_t> exit_code_of(json::Text error) {
  constexpr std::string_view kPrefix = "Exit code ";
  if (error.bytes.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  const char* const from = error.bytes.data() + kPrefix.size();
  const char* const end = error.bytes.data() + error.bytes.size();
  std::int64_t code = 0;
  const auto read = std::from_chars(from, end, code);
  return read.ec == std::errc() ? std::optional<std::int64_t>(code) : std::nullopt;
}

}  // namespace

// What the program itself knows of the results in this message.
json::Value ClaudeReader::tool_use_result() const {
  return line_.tool_use_result.absent() ? line_.tool_use_result_camel : line_.tool_use_result;
}

// It stands beside the message, so of two results in one message nobody can say whose it is.
bool ClaudeReader::has_one_result() const {
  return std::ranges::count_if(line_.blocks, [](const ClaudeBlock& block) {
           return !block.tool_use_id.absent();
         }) <= 1;
}

void ClaudeReader::start_tool(const ClaudeBlock& block, LineEvents& events) {
  ToolInput input;
  if (block.input.is(json::Kind::object)) read_object(block.input.raw, kInput, input);
  Event event = events.draft(Channel::tool_input);
  ToolStarted& started = event.payload.emplace<ToolStarted>();
  started.id = string(block.id);
  started.tool = string(block.name);
  started.description = string(input.description);
  started.command = text_of(input.command);
  const std::string_view target = target_of(input, arena_);
  started.file = target.data() != nullptr ? target : string(input.file);
  started.mcp_tool = string(input.mcp_tool);
  if (started.tool.substr(0, 5) == "mcp__") started.mcp_tool = started.tool;
  started.input = Raw{block.input.raw};
  if (started.id.empty()) started.id = arena_.copy(fmt::format("tool-{}", ++unnamed_tools_));
  const std::optional<RunningTool> pushed_out =
      tools_.open(started.id, started.tool, target, events.origin().parent);
  if (pushed_out.has_value()) {
    give_abandoned(*pushed_out, events.origin_behind(Channel::tool_result), events);
  }
  events.give(event);
  if (started.tool == "AskUserQuestion" && block.input.is(json::Kind::object)) {
    questions_.ask(started.id, {}, block.input.raw, QuestionSource::ask_user_question, events,
                   arena_);
  }
}

void ClaudeReader::finish_tool(const ClaudeBlock& block, LineEvents& events) {
  Event event = events.draft(Channel::tool_result);
  ToolFinished& finished = event.payload.emplace<ToolFinished>();
  finished.id = string(block.tool_use_id);
  const bool failed = block.is_error.is_true();
  RunningTool* const open = tools_.find(finished.id);
  bool denied = open != nullptr && open->denied;
  const Ruling ruling = failed ? ruling_on(finished.id) : Ruling::allowed;
  denied = denied || ruling == Ruling::refused;
  std::string_view file;
  if (open != nullptr) {
    finished.tool = arena_.copy(open->tool);
    file = arena_.copy(open->file);
    tools_.close(*open);
  }
  Extras extra;
  const json::Text output = output_of(block.content, extra);
  if (denied || failed) {
    finished.outcome = denied                      ? Outcome::denied
                       : ruling == Ruling::stopped ? Outcome::abandoned
                                                   : Outcome::failed;
    finished.error = output;
    finished.exit_code = exit_code_of(output);
  } else {
    finished.output = output;
  }
  event.extra = extra;
  events.give(event);
  if (finished.outcome == Outcome::ok && changes_a_file(finished.tool)) {
    report_file(finished.tool, file, events);
  }
  std::optional<Grant> permission;
  const bool was_run = ruling == Ruling::allowed || finished.exit_code.has_value();
  if (was_run) permission = Grant::allow_once;
  if (denied) permission = Grant::deny;
  settle_question(finished.id, failed, permission, events);
}

// A string as it is; of a list of parts the texts, and the whole list beside them when there is
// more than text in it.
json::Text ClaudeReader::output_of(const Value& content, Extras& extra) {
  if (!content.is(json::Kind::array)) {
    if (content.is(json::Kind::object)) extra.add("content", content);
    return text_of(content);
  }
  const ToolOutput output = output_of_parts(content.raw, arena_);
  if (!output.all_text) extra.add("content", content);
  return output.text;
}

// What became of the call, where the line says so.
ClaudeReader::Ruling ClaudeReader::ruling_on(std::string_view id) {
  Ruling ruling = Ruling::unknown;
  if (!line_.tool_result_meta.is(json::Kind::array)) return ruling;
  json::Cursor cursor(line_.tool_result_meta.raw);
  for (json::Elements entries(cursor); entries.next();) {
    ResultMeta meta;
    bool duplicate = false;
    pass_object(cursor, kResultMeta, meta, duplicate);
    if (string(meta.id) != id) continue;
    Decision decision;
    if (meta.permission_decision.is(json::Kind::object)) {
      read_object(meta.permission_decision.raw, kDecision, decision);
    }
    const bool by_user = meta.non_execution_kind.raw == R"("user-rejected")";
    // That is also said of a call that was stopped with its program, which asked nobody about it.
    const bool asked = !had_init_ || questions_.find(id) != nullptr;
    if (decision.decision.raw == R"("reject")" || (by_user && asked) ||
        meta.non_execution_kind.raw == R"("permission-rule")") {
      return Ruling::refused;
    }
    if (by_user) ruling = Ruling::stopped;
    if (decision.decision.raw == R"("accept")") ruling = Ruling::allowed;
  }
  return ruling;
}

// Only a successful result changes a file, never the request alone.
void ClaudeReader::report_file(std::string_view tool, std::string_view file, LineEvents& events) {
  FileResult result;
  const Value raw = has_one_result() ? tool_use_result() : Value{};
  if (raw.is(json::Kind::object)) read_object(raw.raw, kFileResult, result);
  if (result.file_path.is(json::Kind::string)) file = string(result.file_path);
  if (file.empty()) return;
  const bool created = tool == "Write" && result.type.raw == R"("create")";
  const std::array files = {FileChange{
      path_within(cwd_, file), created ? FileAction::created : FileAction::modified, {}, {}}};
  events.emit(FilesChanged{files, false}, Channel::tool_result);
}

// `permission`: what was answered if permission was asked for; absent where nobody knows.
void ClaudeReader::settle_question(std::string_view id, bool failed,
                                   std::optional<Grant> permission, LineEvents& events) {
  OpenQuestion* const question = questions_.find(id);
  if (question == nullptr) return;
  if (question->source == QuestionSource::permission) {
    questions_.settle_permissions(id, permission, events);
    return;
  }
  // Answers name what they answer, so they are good in company too. Without any, whatever words
  // the result has are not the user's.
  const Value result = tool_use_result();
  AskResult ask;
  if (result.is(json::Kind::object)) read_object(result.raw, kAskResult, ask);
  const bool unanswered = failed || ask.answers.absent();
  questions_.settle(*question, unanswered ? QuestionState::unanswered : QuestionState::answered,
                    ask.answers, events, arena_);
}

void ClaudeReader::abandon_tools(bool main_thread_only, const Origin& where, LineEvents& events) {
  std::vector<std::string> abandoned;
  for (const RunningTool* tool : tools_.all()) {
    if (main_thread_only && !tool->parent.empty()) continue;
    give_abandoned(*tool, where, events);
    abandoned.push_back(tool->id);
  }
  for (const std::string& id : abandoned) tools_.close(*tools_.find(id));
}

}  // namespace dragoman
