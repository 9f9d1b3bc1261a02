// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/emit.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/dialect/command_catalog.hpp"
#include "dragoman/dialect/emit_arguments.hpp"
#include "dragoman/dialect/emit_events.hpp"
#include "dragoman/dialect/list_markers.hpp"
#include "dragoman/dialect/plain_writer.hpp"
#include "dragoman/dialect/refused.hpp"
#include "dragoman/dialect/wxcode_markers.hpp"

namespace dragoman {
namespace {

using std::string_view;

Result<Payload> tool(const EmitArguments& a) {
  ToolStarted p;
  p.tool = a.text("tool");
  p.description = a.text("description");
  p.command = a.text("command");
  p.file = a.text("file");
  p.mcp_tool = a.text("mcp-tool");
  return Payload(p);
}

Result<Payload> tool_result(const EmitArguments& a) {
  ToolFinished p;
  p.tool = a.text("tool");
  p.outcome = a.boolean("success").value_or(true) ? Outcome::ok : Outcome::failed;
  p.output = a.text("output");
  p.error = a.text("error");
  p.duration_ms = a.number("duration-ms");
  if (p.duration_ms && p.duration_ms->real < 0) return refused("duration-ms: is negative");
  return Payload(p);
}

Result<Payload> status(const EmitArguments& a) {
  Status p;
  p.status = a.text("status");
  p.message = a.text("message");
  p.progress = a.number("progress");
  p.phase = a.number("phase");
  p.plan = a.text("plan");
  p.task = a.text("task");
  return Payload(p);
}

Result<Payload> error(const EmitArguments& a) {
  Failure p;
  p.code = a.text("code");
  p.message = a.text("message");
  p.suggestion = a.text("suggestion");
  p.recoverable = recoverable_by_code(p.code);
  if (const auto said = a.boolean("recoverable")) {
    p.recoverable = *said ? Recoverable::true_ : Recoverable::false_;
  }
  if (p.recoverable == Recoverable::unknown) {
    return refused(fmt::format("recoverable: is missing, and '{}' does not say", p.code));
  }
  return Payload(p);
}

Result<Payload> finished(const EmitArguments& /*a*/) {
  CompletionClaimed p;
  p.by = "finished";
  return Payload(p);
}

// "path: 'a' begins with …", or nothing to say.
Result<void> refuse(string_view field, string_view value, string_view why) {
  if (why.empty()) return {};
  return refused(fmt::format("{}: '{}' {}", field, value, why));
}

Result<Payload> go_to(const EmitArguments& a) {
  const string_view step = a.text("step");
  DRAGOMAN_CHECK(refuse("step", step, step_fault(step)));
  return Payload(GoTo{step});
}

Result<Payload> server_ready(const EmitArguments& a) {
  const string_view url = a.text("url");
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return refused(fmt::format("url: '{}' is neither http:// nor https://", url));
  }
  DRAGOMAN_CHECK(refuse("url", url, line_fault(url)));
  return Payload(ServerReady{url});
}

template <const char* Artifact>
Result<Payload> artifact(const EmitArguments& a) {
  ArtifactUpdated p;
  p.artifact = Artifact;
  p.path = a.text("path");
  DRAGOMAN_CHECK(refuse("path", p.path, line_fault(p.path)));
  return Payload(p);
}

constexpr char kDashboard[] = "dashboard";
constexpr char kSchemaDashboard[] = "schema_dashboard";
constexpr char kSchemaStatus[] = "schema_status";
constexpr char kDesignTokens[] = "design_tokens";
constexpr char kDesignVariables[] = "design_variables";
constexpr char kStartDev[] = "start_dev";

struct Maker {
  string_view kind;
  Result<Payload> (*make)(const EmitArguments&);
};

constexpr Maker kMakers[] = {
    {"header", emit_header},
    {"tool", tool},
    {"tool-result", tool_result},
    {"status", status},
    {"next-action", emit_next_action},
    {"error", error},
    {"dashboard-updated", artifact<kDashboard>},
    {"schema-dashboard-updated", artifact<kSchemaDashboard>},
    {"schema-status-updated", artifact<kSchemaStatus>},
    {"design-tokens-updated", artifact<kDesignTokens>},
    {"design-variables-updated", artifact<kDesignVariables>},
    {"start-dev-created", artifact<kStartDev>},
    {"server-ready", server_ready},
    {"question", emit_question},
    {"finished", finished},
    {"goto", go_to},
    {"progress", emit_progress},
    {"blocked", emit_blocked},
    {"files-modified", emit_files_modified},
    {"complete", emit_complete},
    {"need-context", emit_need_context},
    {"test-results", emit_test_results},
    {"lint-warnings", emit_lint_warnings},
    {"dependency", emit_dependency},
    {"commit", emit_commit},
};

// What a dialect has no place for. Leaving it out in silence would lose what was asked.
struct Placeless {
  string_view kind;
  string_view field;
  Target dialect;
};
constexpr Placeless kPlaceless[] = {
    {"question", "header", Target::markers},    {"question", "multi-select", Target::markers},
    {"question", "free-text", Target::markers}, {"question", "context", Target::question},
    {"question", "context", Target::wxcode},
};

Result<void> refuse_placeless(string_view kind, std::span<const EmitArgument> arguments,
                              Target target) {
  for (const EmitArgument& argument : arguments) {
    for (const Placeless& row : kPlaceless) {
      if (row.kind == kind && row.field == argument.name && row.dialect == target) {
        return refused(
            fmt::format("{}: the dialect {} has no place for it", argument.name, name(target)));
      }
    }
  }
  return {};
}

MarkerFamily family_of(Target target) {
  return target == Target::markers    ? MarkerFamily::markers
         : target == Target::question ? MarkerFamily::question
                                      : MarkerFamily::wxcode;
}

}  // namespace

Result<Event> make_event(string_view kind, std::span<const EmitArgument> arguments, Arena& arena) {
  const EmitKind* known = find_emit_kind(kind);
  const auto* const maker = std::ranges::find(kMakers, kind, &Maker::kind);
  if (known == nullptr || maker == std::end(kMakers)) {
    return refused(fmt::format("nothing is called '{}'", kind));
  }
  DRAGOMAN_TRY(const auto checked, EmitArguments::check(*known, arguments, arena));
  DRAGOMAN_TRY(auto payload, maker->make(checked));
  Event event;
  event.payload = payload;
  return event;
}

Result<std::string> emit(string_view kind, std::span<const EmitArgument> arguments,
                         std::optional<Target> dialect) {
  Arena arena;
  DRAGOMAN_TRY(const auto event, make_event(kind, arguments, arena));
  const std::span<const Target> dialects = find_emit_kind(kind)->dialects;
  const Target target = dialect.value_or(dialects.front());
  if (std::ranges::find(dialects, target) == dialects.end()) {
    return refused(fmt::format("the dialect {} has no marker for {}", name(target), kind));
  }
  DRAGOMAN_CHECK(refuse_placeless(kind, arguments, target));
  PlainWriter writer(family_of(target));
  std::string out;
  DRAGOMAN_TRY(const Written written, writer.write(event, out));
  if (written == Written::no) {
    return refused(fmt::format("the dialect {} cannot express this {}", name(target), kind));
  }
  writer.end_block(out);
  return out;
}

}  // namespace dragoman
