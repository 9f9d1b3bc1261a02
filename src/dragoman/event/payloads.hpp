// SPDX-License-Identifier: Apache-2.0
// What an event can say: one struct for each kind.
//
// The structs hold views. Whoever makes an event owns the bytes, and they are valid only while the
// sink is being called; `keep` (event/keep.hpp) copies an event that has to live longer. A view
// whose data() is null means the field is absent, which is not the same as empty. The bytes are the
// agent's: they need not be valid UTF-8, and sinks mend what they write.
//
// `fields` names the members in the order of the canonical JSON. Writing, reading, copying and
// comparing all go through it, so a field is added in one place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dragoman/json/number.hpp"
#include "dragoman/json/text.hpp"

namespace dragoman {

using json::Number;
using json::Raw;

enum class Kind : std::uint8_t {
  session_started,
  command_started,
  text,
  thinking,
  tool_started,
  tool_finished,
  status,
  question,
  blocked,
  files_changed,
  next_action,
  failure,
  usage,
  rate_limited,
  completion_claimed,
  turn_finished,
  finished,
  artifact_updated,
  server_ready,
  go_to,  // "goto" on the wire
  context_request,
  test_results,
  lint_warnings,
  dependency_needed,
  commit_suggestion,
  quoted_marker,
  malformed,
  oversize,
  unknown,
  diagnostic,
};
inline constexpr std::size_t kKinds = 30;

[[nodiscard]] std::string_view name(Kind kind);
[[nodiscard]] std::optional<Kind> kind_named(std::string_view name);

struct McpServer {
  std::string_view name;
  std::string_view status;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("name", s.name);
    v("status", s.status);
  }
};

// An agent's session is known: its id is what a later run resumes.
struct SessionStarted {
  static constexpr Kind kKind = Kind::session_started;
  std::string_view session_id;
  std::string_view model;
  std::string_view cwd;
  std::string_view version;
  std::span<const std::string_view> tools;
  std::span<const McpServer> mcp_servers;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("session_id", s.session_id);
    v("model", s.model);
    v("cwd", s.cwd);
    v("version", s.version);
    v("tools", s.tools);
    v("mcp_servers", s.mcp_servers);
  }
};

// A WXCODE command began (HEADER).
struct CommandStarted {
  static constexpr Kind kKind = Kind::command_started;
  std::string_view command;
  std::string_view args;
  std::string_view title;
  std::optional<Number> phase;
  std::string_view plan;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("command", s.command);
    v("args", s.args);
    v("title", s.title);
    v("phase", s.phase);
    v("plan", s.plan);
  }
};

// Words for people. Pieces may be cut anywhere; neighbours of one block belong together.
struct DisplayText {
  static constexpr Kind kKind = Kind::text;
  json::Text text;
  std::optional<std::int64_t> block;  // which text block of the stream; absent in plain text
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("text", s.text);
    v("block", s.block);
  }
};

struct Thinking {
  static constexpr Kind kKind = Kind::thinking;
  json::Text text;
  std::optional<bool> redacted;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("text", s.text);
    v("redacted", s.redacted);
  }
};

struct ToolStarted {
  static constexpr Kind kKind = Kind::tool_started;
  std::string_view id;
  std::string_view tool;
  std::string_view description;
  json::Text command;
  std::string_view file;
  std::string_view mcp_tool;
  Raw input;  // the arguments as the agent wrote them
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("id", s.id);
    v("tool", s.tool);
    v("description", s.description);
    v("command", s.command);
    v("file", s.file);
    v("mcp_tool", s.mcp_tool);
    v("input", s.input);
  }
};

enum class Outcome : std::uint8_t { ok, failed, denied, abandoned };

struct ToolFinished {
  static constexpr Kind kKind = Kind::tool_finished;
  std::string_view id;
  std::string_view tool;
  Outcome outcome = Outcome::ok;
  json::Text output;
  json::Text error;
  std::optional<std::int64_t> exit_code;
  std::optional<Number> duration_ms;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("id", s.id);
    v("tool", s.tool);
    v("outcome", s.outcome);
    v("output", s.output);
    v("error", s.error);
    v("exit_code", s.exit_code);
    v("duration_ms", s.duration_ms);
  }
};

struct Steps {
  std::int64_t done = 0;
  std::int64_t total = 0;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("done", s.done);
    v("total", s.total);
  }
};

// What is going on. `status` is one of pending, in_progress, completed, failed, paused, or whatever
// else the agent wrote; absent where only the activity is known.
struct Status {
  static constexpr Kind kKind = Kind::status;
  std::string_view status;
  json::Text message;
  std::optional<Number> progress;  // 0..100
  std::optional<Number> phase;
  std::string_view plan;
  std::string_view task;
  std::string_view activity;
  std::optional<Steps> steps;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("status", s.status);
    v("message", s.message);
    v("progress", s.progress);
    v("phase", s.phase);
    v("plan", s.plan);
    v("task", s.task);
    v("activity", s.activity);
    v("steps", s.steps);
  }
};

// What choosing an option of a permission does. An agent may offer several that grant the same.
enum class Grant : std::uint8_t { allow_once, allow_session, allow_always, deny };

struct Option {
  std::string_view label;
  std::string_view description;
  std::optional<Grant> grants;  // of a permission; absent: an option like any other
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("label", s.label);
    v("description", s.description);
    v("grants", s.grants);
  }
};

enum class FileAction : std::uint8_t { created, modified, deleted, renamed, unknown };

// A file that the agent wants to change or look at. A change is told as a diff, or as the text that
// goes and the text that takes its place; of a new file there is only the latter.
struct WantedFile {
  std::string_view path;
  std::optional<FileAction> action;
  std::string_view old_text;
  std::string_view new_text;
  std::string_view diff;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("path", s.path);
    v("action", s.action);
    v("old_text", s.old_text);
    v("new_text", s.new_text);
    v("diff", s.diff);
  }
};

// What an agent asks permission for, as far as it says so.
struct Wants {
  std::string_view tool;
  std::string_view command;  // the line that a shell would be given
  std::span<const WantedFile> files;
  std::optional<bool> cut;  // true: it was too long, and something is missing
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("tool", s.tool);
    v("command", s.command);
    v("files", s.files);
    v("cut", s.cut);
  }
};

enum class QuestionKind : std::uint8_t { question, approval, blocked };
enum class QuestionSource : std::uint8_t {
  comment,
  ask_user_question,
  marker,
  request_user_input,
  permission
};
enum class QuestionState : std::uint8_t { open, answered, withdrawn, unanswered };

// The agent wants to know something, whatever the way it asked.
struct Question {
  static constexpr Kind kKind = Kind::question;
  std::string_view id;
  QuestionKind kind = QuestionKind::question;
  QuestionSource source = QuestionSource::comment;
  QuestionState state = QuestionState::open;
  std::string_view header;
  std::string_view text;
  std::span<const Option> options;  // always written, also when empty
  bool multi_select = false;
  bool free_text = false;
  std::span<const std::string_view> context;
  bool blocking = true;
  std::optional<bool> secret;     // the answer is never logged or shown
  std::optional<Wants> wants;     // a permission: what for
  std::optional<Grant> decision;  // a permission that is answered
  std::string_view answer;        // state answered: the label or text; for a denial, the reason
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("id", s.id);
    v("kind", s.kind);
    v("source", s.source);
    v("state", s.state);
    v("header", s.header);
    v("text", s.text);
    v.required("options", s.options);
    v("multi_select", s.multi_select);
    v("free_text", s.free_text);
    v("context", s.context);
    v("blocking", s.blocking);
    v("secret", s.secret);
    v("wants", s.wants);
    v("decision", s.decision);
    v("answer", s.answer);
  }
};

struct Blocked {
  static constexpr Kind kKind = Kind::blocked;
  std::string_view reason;
  std::span<const std::string_view> context;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("reason", s.reason);
    v.required("context", s.context);
  }
};

struct FileChange {
  std::string_view path;
  FileAction action = FileAction::unknown;
  std::string_view from;  // renamed: the old path
  std::string_view note;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("path", s.path);
    v("action", s.action);
    v("from", s.from);
    v("note", s.note);
  }
};

struct FilesChanged {
  static constexpr Kind kKind = Kind::files_changed;
  std::span<const FileChange> files;
  bool claimed = false;  // the agent says so; nobody has looked
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v.required("files", s.files);
    v("claimed", s.claimed);
  }
};

// A suggestion. Shown as text and button, never carried out by itself.
struct NextAction {
  static constexpr Kind kKind = Kind::next_action;
  std::string_view command;
  std::string_view args;
  std::string_view description;
  std::string_view priority;  // required, recommended, optional
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("command", s.command);
    v("args", s.args);
    v("description", s.description);
    v("priority", s.priority);
  }
};

enum class Recoverable : std::uint8_t { true_, false_, unknown };

struct Failure {
  static constexpr Kind kKind = Kind::failure;
  std::string_view code;
  json::Text message;
  Recoverable recoverable = Recoverable::unknown;
  std::string_view suggestion;
  std::string_view reason;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("code", s.code);
    v("message", s.message);
    v("recoverable", s.recoverable);
    v("suggestion", s.suggestion);
    v("reason", s.reason);
  }
};

enum class UsageScope : std::uint8_t { message, turn, thread, run };

struct Usage {
  static constexpr Kind kKind = Kind::usage;
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> cached_input_tokens;
  std::optional<std::int64_t> cache_write_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<std::int64_t> reasoning_tokens;
  std::optional<double> cost_usd;
  UsageScope scope = UsageScope::turn;
  bool final = false;
  std::string_view message_id;  // scope message: later figures of the same id replace earlier ones
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("input_tokens", s.input_tokens);
    v("cached_input_tokens", s.cached_input_tokens);
    v("cache_write_tokens", s.cache_write_tokens);
    v("output_tokens", s.output_tokens);
    v("reasoning_tokens", s.reasoning_tokens);
    v("cost_usd", s.cost_usd);
    v("scope", s.scope);
    v("final", s.final);
    v("message_id", s.message_id);
  }
};

struct RateLimited {
  static constexpr Kind kKind = Kind::rate_limited;
  std::string_view status;
  std::optional<Number> resets_at;  // seconds since 1970
  std::string_view limit;
  std::optional<double> utilization;
  std::optional<std::int64_t> attempt;
  std::optional<Number> delay_ms;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("status", s.status);
    v("resets_at", s.resets_at);
    v("limit", s.limit);
    v("utilization", s.utilization);
    v("attempt", s.attempt);
    v("delay_ms", s.delay_ms);
  }
};

// The agent says it is done. Never enough by itself.
struct CompletionClaimed {
  static constexpr Kind kKind = Kind::completion_claimed;
  std::string_view by;  // codex_complete, finished
  std::optional<std::int64_t> iterations;
  std::string_view text;  // what stood on the marker line instead of the count
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("by", s.by);
    v("iterations", s.iterations);
    v("text", s.text);
  }
};

struct TurnFinished {
  static constexpr Kind kKind = Kind::turn_finished;
  bool ok = false;
  std::string_view subtype;
  std::string_view terminal_reason;
  std::optional<std::int64_t> num_turns;
  std::optional<Number> duration_ms;
  json::Text text;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("ok", s.ok);
    v("subtype", s.subtype);
    v("terminal_reason", s.terminal_reason);
    v("num_turns", s.num_turns);
    v("duration_ms", s.duration_ms);
    v("text", s.text);
  }
};

// The end of a run, exactly once and last.
struct Finished {
  static constexpr Kind kKind = Kind::finished;
  std::string_view verdict;
  std::span<const std::string_view> reasons;
  std::optional<std::int64_t> exit_code;
  std::string_view signal;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("verdict", s.verdict);
    v.required("reasons", s.reasons);
    v("exit_code", s.exit_code);
    v("signal", s.signal);
  }
};

struct ArtifactUpdated {
  static constexpr Kind kKind = Kind::artifact_updated;
  std::string_view artifact;
  std::string_view scope;
  std::string_view name;
  std::string_view path;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("artifact", s.artifact);
    v("scope", s.scope);
    v("name", s.name);
    v("path", s.path);
  }
};

struct ServerReady {
  static constexpr Kind kKind = Kind::server_ready;
  std::string_view url;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("url", s.url);
  }
};

struct GoTo {
  static constexpr Kind kKind = Kind::go_to;
  std::string_view step;
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("step", s.step);
  }
};

}  // namespace dragoman
