// SPDX-License-Identifier: Apache-2.0
// Calls into the box, and the questions that come back from it.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/compose.hpp"
#include "dragoman/mcp/lists.hpp"
#include "dragoman/mcp/session_parts.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::mcp {
namespace {

using json::Kind;
using json::Value;

constexpr int kMostRounds = 64;  // of questions within one legacy call
// Whoever asked for progress hears something every 15 seconds, also while its user thinks.
constexpr std::chrono::seconds kLongestQuiet(14);

// The capability a question needs, as the protocol writes it; empty: the client has it.
std::string lacking(const Client& client, const InputRequest& question) {
  if (question.method == "sampling/createMessage") {
    return client.sampling ? "" : R"("sampling":{})";
  }
  if (question.method == "roots/list") return client.roots ? "" : R"("roots":{})";
  const bool url = string_member({Kind::object, false, question.params}, "mode") == "url";
  if (url) return client.elicit_url ? "" : R"("elicitation":{"url":{}})";
  return client.elicit_form ? "" : R"("elicitation":{})";
}

std::optional<Error> check_questions(const Client& client,
                                     const std::vector<InputRequest>& questions) {
  std::string missing;
  for (const InputRequest& question : questions) {
    const std::string lack = lacking(client, question);
    if (lack.empty() || missing.find(lack) != std::string::npos) continue;
    if (!missing.empty()) missing.push_back(',');
    missing.append(lack);
  }
  if (missing.empty()) return std::nullopt;
  return missing_capability(fmt::format("{{{}}}", missing));
}

std::optional<ProtocolError> read_arguments(const Exchange& request, Call& call) {
  const Value& arguments = request.message().arguments;
  if (!arguments.absent() && !arguments.is(Kind::object)) {
    return bad_params("arguments must be an object");
  }
  call.arguments = arguments.absent() ? std::string_view("{}") : arguments.raw;
  return std::nullopt;
}

}  // namespace

// Modern: what the client was asked for in the round before, and the state it carried.
std::optional<ProtocolError> Session::read_round(Exchange& request, Call& call,
                                                 std::string_view method) {
  if (request.era() == Era::legacy) return std::nullopt;
  const Value state = member(request.params(), "requestState");
  if (!state.absent()) {
    std::optional<std::string> opened;
    if (state.is(Kind::string)) {
      const std::string digest = call_digest(principal_, method, call.name, call.arguments);
      opened = server_.seal().open(state.text().str(), digest, task::now_ms());
    }
    if (!opened) return bad_params("requestState is not what was sent for this call");
    call.state = std::move(*opened);
  }
  const Value responses = member(request.params(), "inputResponses");
  if (responses.absent()) return std::nullopt;
  if (!responses.is(Kind::object)) return bad_params("inputResponses must be an object");
  json::Cursor c(responses.raw);
  std::string_view key;
  for (json::Members m(c); m.next(key);) {
    std::string name(key);
    call.responses.push_back({std::move(name), std::string(c.take().raw)});
  }
  return std::nullopt;
}

// Modern: the client is told what is missing and calls again.
Response Session::asked(Exchange& request, const Asked& asked, std::string_view digest) {
  if (const auto lack = check_questions(request.client(), asked.requests)) {
    return protocol_error(*lack, request.era(), kInvalidParams);
  }
  std::string out = R"({"resultType":"input_required","inputRequests":)";
  append_input_requests(out, asked.requests);
  if (!asked.state.empty()) {
    out.append(R"(,"requestState":")");
    out.append(server_.seal().seal(asked.state, digest, task::now_ms())).append("\"");
  }
  return out.append(",").append(server_.meta()).append("}");
}

// False: the call is cancelled. What nobody has to answer any more is taken back from the client,
// which may show a form that its user never fills in.
bool Session::wait_for_client(Exchange& request, const Form& form) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLookElsewhere(500);
  const auto take_back = [&](std::string_view reason) {
    const std::string params = fmt::format(R"({{"requestId":{},"reason":"{}"}})", form.id, reason);
    return request.send(compose_notification("notifications/cancelled", params));
  };
  while (!form.pending->settled) {
    auto look = Clock::now() + kLookElsewhere;
    if (form.until) look = std::min(look, *form.until);
    const bool going =
        request.wait([&] { return form.pending->settled.load() || Clock::now() >= look; });
    if (form.pending->settled) break;
    if (!going) return false;
    if (form.until && Clock::now() >= *form.until) return take_back("The time to wait is over");
    if (!server_.box().still_asked(form.question)) return take_back("No answer is needed any more");
    if (request.quiet() >= kLongestQuiet) server_.box().tell_progress(form.question, request);
  }
  return true;
}

// Legacy: the client is asked while its call waits.
Result<std::vector<InputResponse>> Session::ask(Exchange& request, const Asked& asked,
                                                std::string_view task_id) {
  if (auto lack = check_questions(request.client(), asked.requests)) return std::move(*lack);
  std::string related;
  if (!task_id.empty()) {
    related = fmt::format(R"("_meta":{{"{}":{{"taskId":)", kMetaRelatedTask);
    json::append_string(related, task_id);
    related.append("}}");
  }
  std::vector<Form> forms;
  {
    const Lock lock(mutex_);
    if (input_ended_ || closed_) {
      return Error{ErrorCode::internal, "the client has left before it could be asked"};
    }
    for (const InputRequest& question : asked.requests) {
      auto pending = std::make_shared<Pending>();
      pending->asker = request.shared_from_this();
      std::string id = fmt::format("\"dragoman-{}\"", ++asked_);
      pending_.emplace(id, pending);
      forms.push_back({std::move(id), question, std::move(pending), asked.until});
    }
  }
  bool going = true;
  for (std::size_t i = 0; i < forms.size() && going; ++i) {
    const InputRequest& question = forms[i].question;
    const std::string params =
        related.empty() ? question.params : with_members(question.params, related);
    going = request.send(compose_request(forms[i].id, question.method, params));
  }
  std::vector<InputResponse> answers;
  for (std::size_t i = 0; i < forms.size() && going; ++i) {
    const Form& form = forms[i];
    going = wait_for_client(request, form);
    if (going && form.pending->settled)
      answers.push_back({form.question.key, form.pending->result});
  }
  const Lock lock(mutex_);
  for (const Form& form : forms) pending_.erase(form.id);
  if (!going) return Error{ErrorCode::internal, "cancelled while the client was asked"};
  return answers;
}

// What can be said of a call before anybody works on it, and with its own HTTP status.
std::optional<ProtocolError> Session::check_tool_call(Exchange& request) const {
  const Message& message = request.message();
  if (!message.name.is(Kind::string)) return bad_params("name must be a string");
  const std::string name = message.name.text().str();
  const ToolSpec* const tool = server_.tool(name);
  if (tool == nullptr) {
    return ProtocolError{kInvalidParams, fmt::format("Unknown tool: {}", name)};
  }
  request.set_tool(*tool);
  const Value& arguments = message.arguments;
  if (!arguments.absent() && !arguments.is(Kind::object)) {
    return bad_params("arguments must be an object");
  }
  const TaskSupport support = tool->task_support;
  if (request.era() == Era::modern) {
    if (support == TaskSupport::required && !request.client().tasks) {
      return protocol_error(
          missing_capability(fmt::format(R"({{"extensions":{{"{}":{{}}}}}})", kTasksExtension)),
          Era::modern, kInvalidParams);
    }
    if (request.headers() == nullptr) return std::nullopt;
    return check_param_headers(tool->input_schema, arguments, *request.headers());
  }
  const bool wished = message.task.is(Kind::object);
  if (wished && support == TaskSupport::forbidden) {
    return ProtocolError{kMethodNotFound, fmt::format("{} cannot be run as a task", name)};
  }
  if (!wished && support == TaskSupport::required) {
    return ProtocolError{kMethodNotFound, fmt::format("{} can only be run as a task", name)};
  }
  return std::nullopt;
}

Response Session::in_rounds(Exchange& request, Call& call, std::string_view method,
                            const std::function<Round(const Call&)>& round) {
  const bool modern = request.era() == Era::modern;
  if (auto failed = read_round(request, call, method)) return std::move(*failed);
  for (int n = 0; n < kMostRounds; ++n) {
    Round came = round(call);
    if (auto* const done = std::get_if<Response>(&came)) return std::move(*done);
    auto& question = *std::get_if<Asked>(&came);
    if (modern) {
      return asked(request, question, call_digest(principal_, method, call.name, call.arguments));
    }
    auto answers = ask(request, question);
    if (!answers) return protocol_error(answers.error(), request.era(), kInvalidParams);
    call.responses = *std::move(answers);
    call.state = std::move(question.state);
    call.until = question.until;
  }
  return ProtocolError{kInternalError, fmt::format("{} asked too often", call.name)};
}

Response Session::call_tool(Exchange& request) {
  const ToolSpec& tool = *request.tool();
  Call call{.name = tool.name, .context = request};
  if (auto failed = read_arguments(request, call)) return std::move(*failed);
  const bool modern = request.era() == Era::modern;
  const Value& wish = request.message().task;
  if (tool.task_support != TaskSupport::forbidden) {
    if (modern && request.client().tasks) call.task = TaskWish::allowed;
    if (!modern && wish.is(Kind::object)) call.task = TaskWish::asked;
  }
  if (call.task == TaskWish::asked) {
    const Value ttl = member(wish, "ttl");
    if (ttl.is(Kind::number)) call.ttl = json::parse_number(ttl.raw).value.whole();
  }
  return in_rounds(request, call, "tools/call", [&](const Call& now) -> Round {
    if (auto again = server_.box().repeat(now.name, now.arguments)) {
      return completed(request, *std::move(again));
    }
    auto answer = server_.box().call(now);
    if (!answer) return protocol_error(answer.error(), request.era(), kInvalidParams);
    if (const auto* done = std::get_if<ToolResult>(&*answer)) {
      std::string out;
      out.reserve(done->text.size() * 2 + done->structured.size() + 512);
      append_tool_result(out, *done);
      return result(request, out);
    }
    if (const auto* task = std::get_if<Started>(&*answer)) return started(request, task->task_id);
    return std::move(*std::get_if<Asked>(&*answer));
  });
}

Response Session::read_resource(Exchange& request) {
  const auto uri = string_member(request.params(), "uri");
  if (!uri) return bad_params("uri must be a string");
  Call call{.name = *uri, .arguments = "{}", .context = request};
  return in_rounds(request, call, "resources/read", [&](const Call& now) -> Round {
    auto answer = server_.box().read(now);
    if (!answer) {
      const bool modern = request.era() == Era::modern;
      ProtocolError error = protocol_error(answer.error(), request.era(),
                                           modern ? kInvalidParams : kResourceNotFound);
      if (answer.error().code == ErrorCode::not_found) {
        error.data.clear();
        json::Writer w(error.data);
        w.begin_object().name("uri").string(*uri).end_object();
      }
      return error;
    }
    if (const auto* done = std::get_if<ResourceResult>(&*answer)) {
      return result(request, R"("contents":)" + done->contents, Caching::own);
    }
    return std::move(*std::get_if<Asked>(&*answer));
  });
}

Response Session::get_prompt(Exchange& request) {
  if (!request.message().name.is(Kind::string)) return bad_params("name must be a string");
  const std::string name = request.message().name.text().str();
  Call call{.name = name, .context = request};
  if (auto failed = read_arguments(request, call)) return std::move(*failed);
  return in_rounds(request, call, "prompts/get", [&](const Call& now) -> Round {
    auto answer = server_.box().prompt(now);
    if (!answer) return protocol_error(answer.error(), request.era(), kInvalidParams);
    if (const auto* done = std::get_if<PromptResult>(&*answer)) {
      std::string out;
      if (!done->description.empty()) {
        out.append(R"("description":)");
        json::append_string(out, std::string_view(done->description));
        out.push_back(',');
      }
      return result(request, out.append(R"("messages":)").append(done->messages));
    }
    return std::move(*std::get_if<Asked>(&*answer));
  });
}

}  // namespace dragoman::mcp
