// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/item.hpp"

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/show/item_reports.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/show/text_head.hpp"
#include "dragoman/show/words.hpp"

namespace dragoman::show {
namespace {

Item item_of(const SessionStarted& p) {
  Item item{.tone = Tone::quiet, .icon = "●", .label = "Session", .title = std::string(p.model)};
  if (!p.session_id.empty()) item.add({"id", std::string(p.session_id), {}, {}});
  if (!p.cwd.empty()) item.add({"in", std::string(p.cwd), {}, {}});
  item.add_fact("version", p.version);
  if (!p.tools.empty()) item.add_fact("", counted(p.tools.size(), "tool"));
  for (const McpServer& server : p.mcp_servers) {
    item.add({"server", std::string(server.name), {}, std::string(server.status)});
  }
  return item;
}

Item item_of(const CommandStarted& p) {
  Item item{.icon = "▶", .label = "Command", .title = std::string(p.title)};
  if (!p.command.empty()) {
    item.add({"", fmt::format("{}{}{}", p.command, p.args.empty() ? "" : " ", p.args), {}, {}});
  }
  if (p.phase) item.add_fact("phase", number_words(p.phase->real));
  item.add_fact("plan", p.plan);
  return item;
}

Item item_of(const DisplayText& p) {
  return {.icon = "", .label = "Text", .title = {}, .lines = {}, .verbatim = shortened(p.text)};
}

Item item_of(const Thinking& p) {
  Item item{.tone = Tone::quiet, .icon = "…", .label = "Thinking"};
  if (p.redacted.value_or(false)) item.title = "(redacted)";
  item.verbatim = shortened(p.text);
  return item;
}

Item item_of(const ToolStarted& p) {
  Item item{.icon = "⚙", .label = "Tool", .title = std::string(p.tool)};
  item.add_fact("", p.description);
  if (!p.command.absent()) item.add({"$", shortened(p.command, Story::kKeptText), {}, {}});
  if (!p.file.empty()) item.add({"file", std::string(p.file), {}, {}});
  if (!p.mcp_tool.empty()) item.add({"calls", std::string(p.mcp_tool), {}, {}});
  return item;
}

Item item_of(const ToolFinished& p, const Story::Step& step) {
  const bool ok = p.outcome == Outcome::ok;
  Item item{.tone = ok ? Tone::good : Tone::bad,
            .icon = ok ? "✓" : "✗",
            .label = ok ? "Tool" : fmt::format("Tool {}", name(p.outcome)),
            .title = std::string(p.tool.empty() && step.call != nullptr
                                     ? std::string_view(step.call->tool)
                                     : p.tool)};
  if (step.call != nullptr) {
    item.add_fact("", step.call->description);
    if (!step.call->detail.empty()) {
      const bool command = step.call->detail_kind == ToolCall::DetailKind::command;
      item.add({command ? "$" : "", step.call->detail, {}, {}});
    }
  }
  if (step.duration_ms) item.add_fact("took", duration_words(*step.duration_ms));
  if (p.exit_code && *p.exit_code != 0) item.add_fact("exit code", std::to_string(*p.exit_code));
  item.verbatim = printed(p.error);
  if (!p.output.absent()) {
    if (!item.verbatim.empty() && item.verbatim.back() != '\n') item.verbatim.push_back('\n');
    item.verbatim += printed(p.output);
  }
  return item;
}

Item item_of(const Status& p) {
  Item item{.icon = "◌", .label = "Status", .title = shortened(p.message, Story::kKeptText)};
  if (p.status == "completed") item.tone = Tone::good;
  if (p.status == "failed") item.tone = Tone::bad;
  if (p.status == "paused") item.tone = Tone::warning;
  if (p.status.data() == nullptr) item.tone = Tone::quiet;
  item.add_fact("", p.status);
  if (p.progress) item.add_fact("", number_words(p.progress->real) + " %");
  if (p.steps) item.add_fact("steps", fmt::format("{} of {}", p.steps->done, p.steps->total));
  if (p.phase) item.add_fact("phase", number_words(p.phase->real));
  item.add_fact("plan", p.plan);
  item.add_fact("task", p.task);
  item.add_fact("", p.activity);
  return item;
}

Item item_of(const Question& p) {
  Item item{.tone = Tone::warning, .icon = "?", .label = "Question", .title = std::string(p.text)};
  if (p.kind == QuestionKind::approval) item.label = "Approval";
  if (p.kind == QuestionKind::blocked) item.label = "Blocked";
  item.add_fact("", p.header);
  for (const Option& option : p.options) {
    item.add({"option", std::string(option.label), std::string(option.description), {}});
  }
  for (const std::string_view context : p.context) item.add_fact("context", context);
  item.label += fmt::format(" ({})", name(p.state));
  if (p.state == QuestionState::answered) {
    item.add_fact("answer", p.secret.value_or(false) ? std::string_view("(secret)") : p.answer);
  }
  return item;
}

Item item_of(const NextAction& p) {
  Item item{.icon = "▶", .label = "Next", .title = std::string(p.description)};
  item.add({"", call_of(p), {}, std::string(p.priority)});
  return item;
}

Item item_of(const Failure& p) {
  Item item{.tone = Tone::bad, .icon = "✗", .label = "Error", .title = std::string(p.code)};
  item.verbatim = shortened(p.message);
  item.add_fact("suggestion", p.suggestion);
  item.add_fact("reason", p.reason);
  if (p.recoverable == Recoverable::true_) item.add_fact("", "recoverable");
  if (p.recoverable == Recoverable::false_) item.add_fact("", "not recoverable");
  return item;
}

}  // namespace

std::string printed(json::Text text, std::size_t limit) {
  std::string scratch;
  return std::string(without_colours(shortened(text, limit), scratch));
}

std::string shortened(json::Text text, std::size_t limit) {
  std::string out;
  const json::Text head = cut(text, limit);
  json::decode_to(out, head);
  out.resize(utf8::head(out, out.size() - utf8::incomplete_tail(out)).size());
  if (head.bytes.size() < text.bytes.size()) {
    out += fmt::format("\n[… {} more]", size_words(text.bytes.size() - head.bytes.size()));
  }
  return out;
}

Item describe(const Event& event, const Story::Step& step) {
  Item item = std::visit(Overloaded{
                             [](const SessionStarted& p) { return item_of(p); },
                             [](const CommandStarted& p) { return item_of(p); },
                             [](const DisplayText& p) { return item_of(p); },
                             [](const Thinking& p) { return item_of(p); },
                             [](const ToolStarted& p) { return item_of(p); },
                             [&](const ToolFinished& p) { return item_of(p, step); },
                             [](const Status& p) { return item_of(p); },
                             [](const Question& p) { return item_of(p); },
                             [](const NextAction& p) { return item_of(p); },
                             [](const Failure& p) { return item_of(p); },
                             // What is reported, rather than done: item_reports.cpp.
                             [](const auto& p) { return report_item(p); },
                         },
                         event.payload);
  if (event.partial) item.label += " (unfinished)";
  return item;
}

}  // namespace dragoman::show
