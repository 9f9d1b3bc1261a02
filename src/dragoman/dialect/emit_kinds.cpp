// SPDX-License-Identifier: Apache-2.0
// What can be emitted, as data: the command line makes its options and its help from it.
#include <algorithm>

#include "dragoman/dialect/emit.hpp"

namespace dragoman {
namespace {

using enum EmitType;
using std::string_view;

constexpr string_view kStatuses[] = {"pending", "in_progress", "completed", "failed", "paused"};
constexpr string_view kPriorities[] = {"required", "recommended", "optional"};
constexpr string_view kOutcomes[] = {"success", "gaps"};

constexpr Target kWxcode[] = {Target::wxcode};
constexpr Target kMarkers[] = {Target::markers};
constexpr Target kComments[] = {Target::question, Target::wxcode};
constexpr Target kQuestion[] = {Target::question, Target::markers, Target::wxcode};

constexpr EmitField kHeader[] = {
    {"command", text, "the command, with or without /wxcode:", true, true, {}},
    {"args", text, "its arguments; a number in them is the phase", false, false, {}},
    {"title", text, "default: from the command catalogue", false, false, {}},
    {"phase",
     number,
     "default: the number in --args, for commands about a phase; goes before it",
     false,
     false,
     {}},
    {"plan", text, "id of the plan", false, false, {}},
};
constexpr EmitField kTool[] = {
    {"tool", text, "Bash, Read, Write, Edit, MCP, ...", true, true, {}},
    {"description", text, "what the call is for", true, false, {}},
    {"command", text, "Bash: the command line", false, false, {}},
    {"file", text, "Read, Write, Edit: the path", false, false, {}},
    {"mcp-tool", text, "MCP: the name of its tool", false, false, {}},
};
constexpr EmitField kToolResult[] = {
    {"tool", text, "the tool that has ended", true, true, {}},
    {"success", boolean, "whether it did what it was called for", true, false, {}},
    {"output", text, "cut to 200 characters", false, false, {}},
    {"error", text, "why it failed", false, false, {}},
    {"duration-ms", number, "how long it took", false, false, {}},
};
constexpr EmitField kStatus[] = {
    {"status", choice, "how things stand", true, false, kStatuses},
    {"message", text, "what is going on, for people", true, true, {}},
    {"progress", number, "percent, 0 to 100", false, false, {}},
    {"phase", number, "the current phase", false, false, {}},
    {"plan", text, "the current plan", false, false, {}},
    {"task", text, "the current task", false, false, {}},
};
constexpr EmitField kNextAction[] = {
    {"command", text, "the suggested command, with or without /wxcode:", false, true, {}},
    {"args", text, "its arguments", false, false, {}},
    {"description",
     text,
     "why; default: from the command catalogue, where it says",
     false,
     false,
     {}},
    {"priority", choice, "how urgent, recommended unless said", false, false, kPriorities},
    {"after",
     text,
     "the command that has just ended: suggests what the documents do; a COMMAND has to be one of "
     "it",
     false,
     false,
     {}},
    {"after-args", text, "of --after; a number in them is the phase", false, false, {}},
    {"outcome", choice, "how the command of --after ended", false, false, kOutcomes},
};
constexpr EmitField kError[] = {
    {"code", text, "MCP_UNAVAILABLE, TOOL_FAILED, ... or one of your own", true, false, {}},
    {"message", text, "what went wrong, for people", true, true, {}},
    {"recoverable",
     boolean,
     "whether work can go on; known for most codes of the documents",
     false,
     false,
     {}},
    {"suggestion", text, "how to mend it", false, false, {}},
};
constexpr EmitField kMessage[] = {
    {"message", text, "what was just done or is being done", true, true, {}},
};
constexpr EmitField kAsk[] = {
    {"text", text, "the question", true, true, {}},
    {"header", text, "a word or two above it (not in markers)", false, false, {}},
    {"option",
     list,
     "'label' or 'label - description'; 2 to 4 of them, or none for free text",
     false,
     false,
     {}},
    {"multi-select", boolean, "several options may be chosen (not in markers)", false, false, {}},
    {"free-text", boolean, "whether another answer is welcome (not in markers)", false, false, {}},
    {"context", list, "why you ask, a line each (markers only)", false, false, {}},
};
constexpr EmitField kBlocked[] = {
    {"reason", text, "what blocks all progress", true, true, {}},
    {"context", list, "what is needed, a line each", false, false, {}},
};
constexpr EmitField kFiles[] = {
    {"created", list, "a path; may be given several times", false, false, {}},
    {"modified", list, "a path", false, false, {}},
    {"deleted", list, "a path", false, false, {}},
    {"renamed", list, "'old -> new'", false, false, {}},
};
constexpr EmitField kComplete[] = {
    {"iterations", number, "how many it took", true, true, {}},
};
constexpr EmitField kNeedContext[] = {
    {"type", text, "where to look, for example context7", true, false, {}},
    {"query", text, "what you need to know", true, true, {}},
    {"library", text, "about which library", false, false, {}},
    {"field", list, "key=value, for anything else", false, false, {}},
};
constexpr EmitField kTests[] = {
    {"passed", number, "how many passed", true, false, {}},
    {"failed", number, "default: 0", false, false, {}},
    {"skipped", number, "default: 0", false, false, {}},
    {"duration", number, "seconds", false, false, {}},
    {"framework", text, "jest, pytest, ctest, ...", false, false, {}},
    {"failing",
     list,
     "the name of a test that failed; may be given several times",
     false,
     false,
     {}},
};
constexpr EmitField kLint[] = {
    {"item", list, "path:line[:column]: [error|warning|info] message [[rule]]", true, true, {}},
    {"summary", text, "on the marker's line", false, false, {}},
};
constexpr EmitField kDependency[] = {
    {"name", text, "the package", true, true, {}},
    {"version", text, "which version", false, false, {}},
    {"manager", text, "npm, pip, cargo, ...", false, false, {}},
    {"reason", text, "what it is needed for", false, false, {}},
};
constexpr EmitField kCommit[] = {
    {"subject", text, "first line of the message", true, true, {}},
    {"body", text, "the rest of it", false, false, {}},
};
constexpr EmitField kStep[] = {
    {"step", text, "the step to go to", true, true, {}},
};
constexpr EmitField kPath[] = {
    {"path", text, "the file that was written", true, true, {}},
};
constexpr EmitField kUrl[] = {
    {"url", text, "http:// or https:// address", true, true, {}},
};

constexpr EmitKind kEmitKinds[] = {
    {"header", "a WXCODE command begins", kWxcode, kHeader},
    {"tool", "a tool is about to be called", kWxcode, kTool},
    {"tool-result", "a tool has ended", kWxcode, kToolResult},
    {"status", "how the work stands", kWxcode, kStatus},
    {"next-action", "what the user may run next", kWxcode, kNextAction},
    {"error", "something went wrong", kWxcode, kError},
    {"dashboard-updated", "the dashboard was written", kWxcode, kPath},
    {"schema-dashboard-updated", "the schema dashboard was written", kWxcode, kPath},
    {"schema-status-updated", "the schema status was written", kWxcode, kPath},
    {"design-tokens-updated", "the design tokens were written", kWxcode, kPath},
    {"design-variables-updated", "the design variables were written", kWxcode, kPath},
    {"start-dev-created", "the start script was written", kWxcode, kPath},
    {"server-ready", "the dev server answers", kWxcode, kUrl},
    {"question", "ask the user", kQuestion, kAsk},
    {"finished", "the work is done", kComments, {}},
    {"goto", "go on at another step", kComments, kStep},
    {"progress", "a step of the work", kMarkers, kMessage},
    {"blocked", "no progress is possible", kMarkers, kBlocked},
    {"files-modified", "the files that were changed", kMarkers, kFiles},
    {"complete", "the task is complete", kMarkers, kComplete},
    {"need-context", "ask for documentation", kMarkers, kNeedContext},
    {"test-results", "how the tests went", kMarkers, kTests},
    {"lint-warnings", "what the linter found", kMarkers, kLint},
    {"dependency", "a package is needed", kMarkers, kDependency},
    {"commit", "suggest a commit message", kMarkers, kCommit},
};

}  // namespace

std::span<const EmitKind> emit_kinds() { return kEmitKinds; }

const EmitKind* find_emit_kind(string_view name) {
  const auto* const found = std::ranges::find(kEmitKinds, name, &EmitKind::name);
  return found != std::end(kEmitKinds) ? found : nullptr;
}

}  // namespace dragoman
