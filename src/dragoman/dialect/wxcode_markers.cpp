// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/wxcode_markers.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/dialect/command_catalog.hpp"
#include "dragoman/dialect/guarded_text.hpp"
#include "dragoman/dialect/line_value.hpp"
#include "dragoman/dialect/refused.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

using std::string_view;

// The JSON of one marker. Fields come in the order of the calls; what is absent is left out.
class Payload {
 public:
  Payload(string_view type, const Event& event) : event_(event) {
    out_ = fmt::format("<!-- WXCODE:{}:", type);
    w_.begin_object();
  }

  Payload& text(string_view key, string_view value) {
    known(key);
    if (value.data() != nullptr) w_.key(key).string(value);
    return *this;
  }
  Payload& text(string_view key, const json::Text& value) {
    known(key);
    if (!value.absent()) w_.key(key).text(value);
    return *this;
  }
  Payload& number(string_view key, const std::optional<Number>& value) {
    known(key);
    if (value) w_.key(key).number(*value);
    return *this;
  }
  Payload& boolean(string_view key, bool value) {
    known(key);
    w_.key(key).boolean(value);
    return *this;
  }
  Payload& null(string_view key) {
    known(key);
    w_.key(key).null();
    return *this;
  }
  Payload& left_out(string_view key) {
    known(key);
    return *this;
  }

  // Fields that the specification does not name are kept when they come from a WXCODE marker; those
  // of another dialect mean nothing here. One with a name of the table has a value that does not
  // fit the table.
  Result<std::string> finish() {
    if (event_.origin.dialect == Dialect::wxcode) {
      for (const Extra& extra : event_.extra) {
        if (std::find(keys_.begin(), keys_.begin() + count_, extra.key) != keys_.begin() + count_) {
          return refused(
              fmt::format("{}: not the type that the specification asks for", extra.key));
        }
        w_.key(extra.key).raw(extra.value);
      }
    }
    w_.end_object();
    return std::move(out_) + " -->";
  }

 private:
  void known(string_view key) { keys_[static_cast<std::size_t>(count_++)] = key; }

  const Event& event_;
  std::string out_;
  json::Writer w_{out_, json::Escapes::in_comment};
  std::array<string_view, 8> keys_;
  std::ptrdiff_t count_ = 0;
};

bool is_one_of(std::span<const string_view> words, string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool empty(const json::Text& text) { return text.bytes.empty(); }

Result<WxcodeComment> header(const CommandStarted& p, const Event& event) {
  const string_view command = bare_command(p.command);
  if (command.empty()) return refused("HEADER: the command is empty");
  if (trimmed(p.title).empty()) return refused("HEADER: the title is empty");
  Payload json("HEADER", event);
  json.text("command", command);
  p.args.data() != nullptr ? json.text("args", p.args) : json.null("args");
  json.text("title", p.title).number("phase", p.phase).text("plan", p.plan);
  DRAGOMAN_TRY(auto comment, json.finish());
  return WxcodeComment{std::move(comment), "## " + guarded_value(p.title), true};
}

// Agents do not always say what a tool call is for; the marker has to.
std::string described(const ToolStarted& p) {
  if (!p.description.empty()) return std::string(p.description);
  if (!empty(p.command)) return shortened(on_one_line(p.command.str()), 80);
  return std::string(!p.file.empty() ? p.file : !p.mcp_tool.empty() ? p.mcp_tool : p.tool);
}

std::string tool_line(const ToolStarted& p, string_view description) {
  constexpr std::array<std::array<string_view, 2>, 3> kWithFile = {
      {{"Read", "Reading"}, {"Write", "Writing"}, {"Edit", "Editing"}}};
  for (const auto& [tool, doing] : kWithFile) {
    if (p.tool == tool && !p.file.empty()) {
      return fmt::format("**{}:** `{}`", doing, guarded_value(p.file));
    }
  }
  return "**Running:** " + guarded_value(description);
}

Result<WxcodeComment> tool(const ToolStarted& p, const Event& event) {
  if (p.tool.empty()) return refused("TOOL: the tool is empty");
  const std::string description = described(p);
  Payload json("TOOL", event);
  json.text("tool", p.tool).text("description", string_view(description));
  json.text("command", p.command).text("file", p.file).text("mcp_tool", p.mcp_tool);
  DRAGOMAN_TRY(auto comment, json.finish());
  return WxcodeComment{std::move(comment), tool_line(p, description)};
}

Result<WxcodeComment> tool_result(const ToolFinished& p, const Event& event) {
  if (p.tool.empty()) return refused("TOOL_RESULT: the tool is empty");
  const bool success = p.outcome == Outcome::ok;
  const std::string output = shortened(p.output.str(), kMaxToolOutput);
  std::string error = p.error.str();
  if (error.empty() && p.outcome == Outcome::denied) error = "denied";
  const bool vanished = p.outcome == Outcome::abandoned && p.output.absent();
  if (error.empty() && vanished) error = "abandoned";
  Payload json("TOOL_RESULT", event);
  json.text("tool", p.tool).boolean("success", success);
  p.output.absent() ? json.left_out("output") : json.text("output", string_view(output));
  error.empty() ? json.text("error", p.error) : json.text("error", string_view(error));
  json.number("duration_ms", p.duration_ms);
  DRAGOMAN_TRY(auto comment, json.finish());
  std::string human = (success ? "\u2713 " : "\u2717 ") + guarded_value(p.tool);
  if (!success && !error.empty()) {
    human += ": " + guarded_value(error);
  } else if (success && p.duration_ms) {
    human += " (";
    json::append_number(human, *p.duration_ms);
    human += "ms)";
  }
  return WxcodeComment{std::move(comment), std::move(human)};
}

std::string status_line(string_view status, string_view message) {
  if (status == "in_progress") return fmt::format("\u23f3 {}...", guarded_value(message));
  if (status == "completed") return "\u2705 " + guarded_value(message);
  if (status == "failed") return "\u274c " + guarded_value(message);
  if (status == "paused") return "\u23f8 " + guarded_value(message);
  return guarded_line(message);
}

Result<WxcodeComment> status(const Status& p, const Event& event) {
  if (!is_one_of(status_values(), p.status)) {
    return refused(fmt::format(
        "STATUS: '{}' is not pending, in_progress, completed, failed or paused", p.status));
  }
  const std::string message = p.message.str();
  if (trimmed(message).empty()) return refused("STATUS: the message is empty");
  if (p.progress && !(p.progress->real >= 0 && p.progress->real <= 100)) {
    return refused("STATUS: the progress is not within 0 and 100");
  }
  Payload json("STATUS", event);
  json.text("status", p.status)
      .text("message", string_view(message))
      .number("progress", p.progress);
  json.number("phase", p.phase).text("plan", p.plan).text("task", p.task);
  DRAGOMAN_TRY(auto comment, json.finish());
  return WxcodeComment{std::move(comment), status_line(p.status, message)};
}

Result<WxcodeComment> next_action(const NextAction& p, const Event& event) {
  const string_view command = bare_command(p.command);
  if (command.empty()) return refused("NEXT_ACTION: the command is empty");
  if (trimmed(p.description).empty()) return refused("NEXT_ACTION: the description is empty");
  const string_view priority = p.priority.data() == nullptr ? "recommended" : p.priority;
  if (!is_one_of(priority_values(), priority)) {
    return refused(
        fmt::format("NEXT_ACTION: '{}' is not required, recommended or optional", p.priority));
  }
  Payload json("NEXT_ACTION", event);
  json.text("command", command).text("args", p.args).text("description", p.description);
  json.text("priority", priority);
  DRAGOMAN_TRY(auto comment, json.finish());
  const std::string args = guarded_value(p.args);
  return WxcodeComment{std::move(comment),
                       fmt::format("**Next:** `/wxcode:{}{}{}` \u2014 {}", guarded_value(command),
                                   args.empty() ? "" : " ", args, guarded_value(p.description))};
}

// A failure of a JSON-line dialect may have a reason in place of a code.
std::string error_code(const Failure& p) {
  std::string code(!p.code.empty() ? p.code : p.reason);
  if (p.code.empty()) {
    std::ranges::transform(code, code.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
  }
  return code;
}

Result<WxcodeComment> error(const Failure& p, const Event& event) {
  const std::string code = error_code(p);
  if (code.empty()) return refused("ERROR: the code is empty");
  const std::string message = p.message.str();
  if (trimmed(message).empty()) return refused("ERROR: the message is empty");
  Payload json("ERROR", event);
  json.text("code", string_view(code)).text("message", string_view(message));
  // Where nobody says it, the code does. Not known is not false: then the field is left out, and
  // reads back as not known.
  const Recoverable recoverable =
      p.recoverable != Recoverable::unknown ? p.recoverable : recoverable_by_code(code);
  recoverable == Recoverable::unknown
      ? json.left_out("recoverable")
      : json.boolean("recoverable", recoverable == Recoverable::true_);
  json.text("suggestion", p.suggestion);
  DRAGOMAN_TRY(auto comment, json.finish());
  std::string human = "\u274c **Error:** " + guarded_value(message);
  if (!p.suggestion.empty()) human += "\n\U0001f4a1 " + guarded_value(p.suggestion);
  return WxcodeComment{std::move(comment), std::move(human)};
}

Result<std::optional<WxcodeComment>> some(Result<WxcodeComment> made) {
  if (!made) return std::move(made).error();
  return std::optional<WxcodeComment>(*std::move(made));
}

}  // namespace

Result<std::optional<WxcodeComment>> wxcode_marker(const Event& event) {
  if (const auto* p = event.as<CommandStarted>()) return some(header(*p, event));
  if (const auto* p = event.as<ToolStarted>()) return some(tool(*p, event));
  if (const auto* p = event.as<ToolFinished>()) return some(tool_result(*p, event));
  if (const auto* p = event.as<NextAction>()) return some(next_action(*p, event));
  if (const auto* p = event.as<Failure>()) return some(error(*p, event));
  const auto* p = event.as<Status>();
  // A STATUS is the agent's own word; what its program reports of an activity is none.
  const bool says_something =
      p != nullptr && p->status.data() != nullptr && !p->message.absent() && p->activity.empty();
  if (!says_something) return std::optional<WxcodeComment>();
  return some(status(*p, event));
}

}  // namespace dragoman
