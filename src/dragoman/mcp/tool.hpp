// SPDX-License-Identifier: Apache-2.0
// The border between the protocol and what is served over it. A ToolBox knows what its tools do and
// nothing of eras, transports or JSON-RPC; the engine knows the protocol and nothing of the tools.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman::mcp {

enum class Era : std::uint8_t { legacy, modern };

// What the other side said of itself. A kind of question that it did not declare is not asked.
struct Client {
  Era era = Era::legacy;
  std::string version = {};  // of the protocol: "2025-11-25"
  std::string name = {};     // of the program; empty: it did not say
  bool elicit_form = false;
  bool elicit_url = false;
  bool sampling = false;
  bool roots = false;
  bool tasks = false;  // modern: the extension; legacy: every client may ask for a task

  friend bool operator==(const Client&, const Client&) = default;
};

enum class LogLevel : std::uint8_t {
  debug,
  info,
  notice,
  warning,
  error,
  critical,
  alert,
  emergency
};

// How soon a call that waits has to notice that nobody wants it to.
constexpr std::chrono::milliseconds kNotice(250);

// One request while it is worked on. Every function may be called from the thread of the call or
// from any other, until the call returns.
class Context {
 public:
  virtual ~Context() = default;

  [[nodiscard]] virtual const Client& client() const = 0;

  // Whether the client gave a token; without one progress() does nothing. The engine keeps the
  // rules: at most one a second apart from the first and the last (progress = total), none after
  // the response, and strictly increasing: what has not moved is sent 0.01 higher. Tell it as often
  // as something changes.
  [[nodiscard]] virtual bool wants_progress() const = 0;
  virtual void progress(double progress, std::optional<double> total, std::string_view message) = 0;

  // `data` is any JSON value. Dropped below the level the client asked for.
  virtual void log(LogLevel level, std::string_view logger, std::string_view data) = 0;

  // The client no longer wants the answer, or the server ends: return soon, with anything. Whoever
  // waits looks here every kNotice.
  [[nodiscard]] virtual bool cancelled() const = 0;
  // False: cancelled meanwhile.
  virtual bool sleep(std::chrono::milliseconds time) = 0;

  // Whether what was told so far had a total; absent: nothing was told. A call that asks comes in
  // rounds, and has one scale in all of them.
  [[nodiscard]] virtual std::optional<bool> told_total() const { return std::nullopt; }

  // Streams that a client can take up again are closed here; it comes back for the rest.
  virtual void release_stream() = 0;
};

// Something the client has to find out: from its user, its model or its settings.
struct InputRequest {
  std::string key;     // unique within the call, and within the life of a task
  std::string method;  // elicitation/create, sampling/createMessage, roots/list
  std::string params;  // JSON object

  friend bool operator==(const InputRequest&, const InputRequest&) = default;
};

// `result` is what the client sent, whatever it is: any JSON value, checked by whoever reads it.
// Empty: it answered with an error.
struct InputResponse {
  std::string key;
  std::string result;

  friend bool operator==(const InputResponse&, const InputResponse&) = default;
};

// How the caller would like the answer.
enum class TaskWish : std::uint8_t {
  no,       // at once: it does not know tasks, or the tool has none
  allowed,  // the tool decides (modern clients with the extension)
  asked,    // as a task (legacy: params.task)
};

struct Call {
  std::string_view name;            // of a tool or prompt; of a resource its URI
  std::string_view arguments;       // JSON object text; "{}" when absent
  TaskWish task = TaskWish::no;     // tools only
  std::optional<std::int64_t> ttl;  // milliseconds to keep the task, if the client said
  // After Asked the same call comes again, with what was answered (perhaps not everything, perhaps
  // more than was asked) and the state as it was left.
  std::vector<InputResponse> responses;
  std::string state;
  Context& context;
  std::optional<std::chrono::steady_clock::time_point> until = {};  // as Asked left it; legacy only

  [[nodiscard]] const InputResponse* response(std::string_view key) const {
    for (const InputResponse& each : responses) {
      if (each.key == key) return &each;
    }
    return nullptr;
  }
};

// The call cannot be finished without these. Modern clients are answered `input_required` and call
// again; legacy ones are asked while they wait. Nothing of the call is kept but `state`, which the
// client carries: it is signed on the way, but the client can read it.
struct Asked {
  std::vector<InputRequest> requests;  // not empty
  std::string state;
  // Legacy: when the call comes again without an answer; absent: never.
  std::optional<std::chrono::steady_clock::time_point> until = {};

  friend bool operator==(const Asked&, const Asked&) = default;
};

// Goes on as a task, which is durable already.
struct Started {
  std::string task_id;

  friend bool operator==(const Started&, const Started&) = default;
};

// JSON in results is UTF-8 on one line, as json::Writer writes it: it is sent as it is.
struct ToolResult {
  std::string text;        // the first block; empty: none
  std::string content;     // further blocks: JSON objects with commas between
  std::string structured;  // JSON object; empty: none
  bool is_error = false;

  friend bool operator==(const ToolResult&, const ToolResult&) = default;
};
using ToolAnswer = std::variant<ToolResult, Asked, Started>;

struct PromptResult {
  std::string description;
  std::string messages;  // JSON array of {role, content}
};
using PromptAnswer = std::variant<PromptResult, Asked>;

struct ResourceResult {
  std::string contents;  // JSON array of {uri, mimeType, text | blob}
};
using ResourceAnswer = std::variant<ResourceResult, Asked>;

enum class TaskSupport : std::uint8_t { forbidden, optional, required };

struct ToolSpec {
  std::string name;
  std::string title;
  std::string description;
  std::string input_schema;   // JSON object
  std::string output_schema;  // JSON object; empty: none
  std::string annotations;    // JSON object; empty: none
  TaskSupport task_support = TaskSupport::forbidden;
  // Never waits for anything but the store, never asks: answered on the thread that hands the
  // message in, without a second one. Over HTTP that is not the thread that serves the connections.
  bool quick = false;
};

struct ResourceSpec {
  std::string uri;  // of a template its pattern
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
};

struct PromptArgument {
  std::string name;
  std::string description;
  bool required = false;
};

struct PromptSpec {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
};

struct CompletionQuery {
  bool resource = false;          // `of` is a template, not a prompt
  std::string of;                 // its pattern or name
  std::string argument;           // which one
  std::string value;              // what was typed so far
  std::string context_arguments;  // JSON object: the others that are known; "{}"
};

struct Completion {
  std::vector<std::string> values;  // at most 100 are sent
  std::optional<std::uint64_t> total;
};

// A task as clients of the protocol see it. A tool that failed is `completed` with an error result;
// `failed` is for what would have been a protocol error.
enum class TaskStatus : std::uint8_t { working, input_required, completed, failed, cancelled };

struct TaskView {
  std::string id;  // not to be guessed
  TaskStatus status = TaskStatus::working;
  std::string message;
  std::int64_t created_at = 0;  // milliseconds since 1970
  std::int64_t updated_at = 0;
  std::optional<std::int64_t> ttl_ms;  // absent: kept for good
  std::int64_t poll_ms = 1000;
  std::vector<InputRequest> requests;  // input_required: those that are open
  std::optional<ToolResult> result;    // completed, and where there is one cancelled
  std::optional<Error> error;          // failed
};

struct TaskList {
  std::vector<TaskView> tasks;
  std::string next;  // the cursor of the next page; empty: this is the last
};

// What changed since the last time somebody asked.
struct Changes {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::vector<std::string> uris;   // resources that read differently
  std::vector<std::string> tasks;  // ids whose view differs
};

struct ServerInfo {
  std::string name;
  std::string title;
  std::string version;
  std::string instructions;
};

// What is declared to clients; nothing else is served.
struct Abilities {
  bool resources = false;
  bool prompts = false;
  bool completions = false;
  bool tasks = false;
  bool task_list = false;     // legacy tasks/list: everybody who gets in may see all tasks
  bool changes = false;       // wait_for_changes() works: subscriptions
  bool lists_change = false;  // the lists themselves may change
};

// Errors are protocol errors: not_found for a tool, prompt, resource or task that is not there,
// validation for a request that makes no sense, missing_capability() below; everything that a
// caller can do something about is a result with is_error.
//
// All functions may be called from several threads at once. Those that are given a Context may
// block; the others return soon. None throws.
class ToolBox {
 public:
  virtual ~ToolBox() = default;

  [[nodiscard]] virtual const ServerInfo& info() const = 0;
  [[nodiscard]] virtual Abilities abilities() const = 0;

  // In a fixed order. The vector stays as it is for the life of the box.
  [[nodiscard]] virtual const std::vector<ToolSpec>& tools() const = 0;
  [[nodiscard]] virtual Result<ToolAnswer> call(const Call& call) = 0;
  // The result of the same call as it was given before, {"content":…} as the engine would write it,
  // where it is known that call() would find out the same. Absent: it has to be called.
  [[nodiscard]] virtual std::optional<std::string> repeat(std::string_view /*tool*/,
                                                          std::string_view /*arguments*/) {
    return std::nullopt;
  }

  [[nodiscard]] virtual Result<std::vector<ResourceSpec>> resources() {
    return std::vector<ResourceSpec>{};
  }
  [[nodiscard]] virtual Result<std::vector<ResourceSpec>> templates() {
    return std::vector<ResourceSpec>{};
  }
  [[nodiscard]] virtual Result<ResourceAnswer> read(const Call& call) {
    return Error{ErrorCode::not_found, "Resource not found: " + std::string(call.name)};
  }

  [[nodiscard]] virtual Result<std::vector<PromptSpec>> prompts() {
    return std::vector<PromptSpec>{};
  }
  [[nodiscard]] virtual Result<PromptAnswer> prompt(const Call& call) {
    return Error{ErrorCode::not_found, "Prompt not found: " + std::string(call.name)};
  }
  [[nodiscard]] virtual Result<Completion> complete(const CompletionQuery&) { return Completion{}; }

  [[nodiscard]] virtual Result<TaskView> task(std::string_view id) {
    return Error{ErrorCode::not_found, "Task not found: " + std::string(id)};
  }
  // Returns when the task has ended, wants input, or the call is cancelled.
  [[nodiscard]] virtual Result<TaskView> wait_task(std::string_view id, Context&) {
    return task(id);
  }
  [[nodiscard]] virtual Result<void> answer_task(std::string_view id,
                                                 const std::vector<InputResponse>&) {
    return Error{ErrorCode::not_found, "Task not found: " + std::string(id)};
  }
  // Whether an answer is still wanted: somebody else may have given one, or the task has ended.
  [[nodiscard]] virtual bool still_asked(const InputRequest& /*question*/) { return true; }
  // The client is asked and has heard nothing for long: says how it stands.
  virtual void tell_progress(const InputRequest& /*question*/, Context& /*context*/) {}
  // As it stands afterwards; of one that had ended before, as it was.
  [[nodiscard]] virtual Result<TaskView> cancel_task(std::string_view id) { return task(id); }
  // A page, newest first, behind the one whose `next` was `cursor`; without results. A cursor that
  // was never given out is a validation error.
  [[nodiscard]] virtual Result<TaskList> task_list(std::string_view /*cursor*/) {
    return TaskList{};
  }

  // How long two progress notifications of a call are apart at least.
  [[nodiscard]] virtual std::chrono::milliseconds progress_interval() const {
    return std::chrono::seconds(1);
  }

  // Blocks until something changed since `cursor` (0: from now on), which is moved on, or the
  // timeout. Called by one thread, and only while a client has subscribed to something.
  [[nodiscard]] virtual Changes wait_for_changes(std::uint64_t& /*cursor*/,
                                                 std::chrono::milliseconds /*timeout*/) {
    return {};
  }
};

// The client would have to declare these; `capabilities` as in the protocol: {"sampling":{}}.
[[nodiscard]] inline Error missing_capability(std::string capabilities) {
  return {ErrorCode::unsupported, "The client lacks a capability that this needs",
          "missing_capability", std::move(capabilities)};
}

}  // namespace dragoman::mcp
