// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/session.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/json/cursor.hpp"
#include "dragoman/mcp/batch.hpp"
#include "dragoman/mcp/compose.hpp"
#include "dragoman/mcp/session_parts.hpp"

namespace dragoman::mcp {
namespace {

ProtocolError no_method(const Exchange& request, Era era) {
  return {kMethodNotFound,
          fmt::format("Method not found: {}", request.message().method),
          {},
          era == Era::modern ? 404 : 200};
}

// A peer that was never introduced: it may ask, but nothing may be asked of it.
const std::shared_ptr<const Client>& stranger() {
  static const auto kStranger = std::make_shared<const Client>(
      Client{.era = Era::legacy, .version = std::string(kUnnamedVersion)});
  return kStranger;
}

}  // namespace

std::shared_ptr<Session> Session::make(Server& server, std::shared_ptr<Channel> standing,
                                       std::string principal) {
  return std::shared_ptr<Session>(new Session(server, std::move(standing), std::move(principal)));
}

Session::Session(Server& server, std::shared_ptr<Channel> standing, std::string principal)
    : server_(server), principal_(std::move(principal)), standing_(std::move(standing)) {}

Session::~Session() = default;

const Session::Method* Session::find_method(std::string_view name) {
  using S = Session;
  static constexpr std::array kMethods = {
      // its name, who does it, whether it is in the legacy era, in the modern one, and done by the
      // thread that reads: it
      // waits for nothing, but it may look into the store
      Method{"tools/call", &S::call_tool, true, true, false},
      Method{"tools/list", &S::list_tools, true, true, true},
      Method{"initialize", &S::initialize, true, false, true},
      Method{"server/discover", &S::discover, false, true, true},
      Method{"ping", &S::ping, true, false, true},
      Method{"logging/setLevel", &S::set_level, true, false, true},
      Method{"resources/list", &S::list_resources, true, true, true},
      Method{"resources/templates/list", &S::list_templates, true, true, true},
      Method{"resources/read", &S::read_resource, true, true, false},
      Method{"resources/subscribe", &S::subscribe, true, false, true},
      Method{"resources/unsubscribe", &S::unsubscribe, true, false, true},
      Method{"prompts/list", &S::list_prompts, true, true, true},
      Method{"prompts/get", &S::get_prompt, true, true, false},
      Method{"completion/complete", &S::complete, true, true, true},
      Method{"subscriptions/listen", &S::listen, false, true, true},
      Method{"tasks/get", &S::get_task, true, true, true},
      Method{"tasks/result", &S::task_result, true, false, false},
      Method{"tasks/list", &S::list_tasks, true, false, true},
      Method{"tasks/update", &S::update_task, false, true, false},
      Method{"tasks/cancel", &S::cancel_task, true, true, false},
  };
  const auto* const found = std::find_if(kMethods.begin(), kMethods.end(),
                                         [&](const Method& each) { return each.name == name; });
  return found == kMethods.end() ? nullptr : found;
}

void Session::handle(std::string_view text, const std::shared_ptr<Channel>& channel,
                     const Headers* headers) {
  if (is_batch(text)) return handle_batch(text, channel);
  handle_one(std::string(text), channel, headers, false);
}

void Session::handle_batch(std::string_view text, const std::shared_ptr<Channel>& channel) {
  const auto refuse = [&](int code, std::string message) {
    channel->finish(compose_error("null", {code, std::move(message)}), 400);
  };
  if (text.size() > kMaxMessage) return refuse(kInvalidRequest, "Invalid Request: too large");
  std::vector<std::string> parts;
  json::Cursor c(text, json::Cursor::Scalars::exact);
  for (json::Elements e(c); e.next();) {
    const json::Value value = c.take();
    if (parts.size() <= kMaxBatch) parts.emplace_back(value.raw);
  }
  if (!c.finish()) {
    return refuse(kParseError,
                  fmt::format("Parse error: {} at byte {}", name(c.fault()), c.fault_at()));
  }
  const std::string agreed = version();
  if (!agreed.empty() && agreed != kBatchVersion) {
    return refuse(kInvalidRequest, fmt::format("Invalid Request: {} has no batches", agreed));
  }
  if (parts.empty()) return refuse(kInvalidRequest, "Invalid Request: an empty batch");
  if (parts.size() > kMaxBatch) {
    return refuse(kInvalidRequest,
                  fmt::format("Invalid Request: more than {} messages in a batch", kMaxBatch));
  }
  for (const std::string& part : parts) {
    const Parsed parsed = parse_message(part);
    if (parsed.message && !parsed.message->meta.version.absent()) {
      return refuse(kInvalidRequest, "Invalid Request: 2026-07-28 has no batches");
    }
  }
  const auto batch = std::make_shared<Batch>(channel, parts.size());
  for (std::string& part : parts) {
    handle_one(std::move(part), std::make_shared<BatchPart>(batch), nullptr, true);
  }
}

void Session::handle_one(std::string text, const std::shared_ptr<Channel>& channel,
                         const Headers* headers, bool in_batch) {
  const auto request = std::make_shared<Exchange>(std::move(text), channel);
  const Parsed& parsed = request->parsed();
  if (!parsed.message) {
    channel->finish(compose_error(parsed.refused.id, parsed.refused.error),
                    parsed.refused.error.http);
    return;
  }
  if (parsed.message->kind == Message::Kind::response) {
    handle_response(*parsed.message);
    return channel->accept();
  }
  request->set_headers(headers);
  if (parsed.message->kind == Message::Kind::notification) {
    handle_notification(*request);
    return channel->accept();
  }
  if (in_batch && parsed.message->method == "initialize") {
    channel->finish(
        compose_error(request->id(), {kInvalidRequest, "Invalid Request: initialize stands alone"}),
        400);
    return;
  }
  start(request);
}

void Session::handle_notification(Exchange& request) {
  const Message& message = request.message();
  if (message.method != "notifications/cancelled") return;  // the others change nothing here
  const json::Value id = member(message.params, "requestId");
  if (is_id(id)) cancel(id.raw);
}

void Session::handle_response(const Message& message) {
  std::shared_ptr<Pending> pending;
  {
    const Lock lock(mutex_);
    const auto found = pending_.find(message.id);
    if (found == pending_.end()) return;
    pending = found->second;
    pending_.erase(found);
    pending->result = message.result.absent() ? std::string() : std::string(message.result.raw);
    pending->settled = true;
  }
  pending->asker->wake();
}

void Session::start(const Ptr& request) {
  const Classified classified = classify(request->message(), request->headers());
  Exchange::Settings settings;
  settings.progress_interval = server_.box().progress_interval();
  if (classified.era == Era::modern) {
    const Meta& meta = request->message().meta;
    settings.client = std::make_shared<const Client>(modern_client(meta));
    if (meta.log_level.is(json::Kind::string)) {
      settings.log_from = log_level(meta.log_level.text().str());
    }
  } else {
    const Lock lock(mutex_);
    settings.client = client_ ? client_ : stranger();
    settings.log_from = log_from_;
  }
  request->set(std::move(settings));
  if (classified.refused) return request->finish(*classified.refused);
  const Method* method = nullptr;
  if (const auto refused = admit(*request, classified.era, method)) {
    return request->finish(*refused);
  }
  perform(request, *method);
}

std::optional<ProtocolError> Session::admit(Exchange& request, Era era, const Method*& method) {
  const Message& message = request.message();
  method = find_method(message.method);
  if (method == nullptr || !(era == Era::modern ? method->modern : method->legacy)) {
    return no_method(request, era);
  }
  const Abilities& abilities = server_.abilities();
  const auto of = [&](std::string_view prefix) { return message.method.starts_with(prefix); };
  const bool served =
      (!of("resources/") || abilities.resources) && (!of("prompts/") || abilities.prompts) &&
      (!of("completion/") || abilities.completions) && (!of("tasks/") || abilities.tasks) &&
      (message.method != "tasks/list" || abilities.task_list);
  if (!served) return no_method(request, era);
  const bool call = method->handler == &Session::call_tool;
  if (era == Era::legacy) return call ? check_tool_call(request) : std::nullopt;
  if (of("tasks/") && !request.client().tasks) {
    return protocol_error(
        missing_capability(fmt::format(R"({{"extensions":{{"{}":{{}}}}}})", kTasksExtension)), era,
        kInvalidParams);
  }
  if (request.headers() != nullptr) {
    if (auto wrong = check_name_header(message, *request.headers())) return wrong;
  }
  return call ? check_tool_call(request) : std::nullopt;
}

void Session::perform(const Ptr& request, const Method& method) {
  const bool listens = method.handler == &Session::listen;
  const bool quick = request->tool() != nullptr ? request->tool()->quick : method.quick;
  if (!enter(request, listens || quick)) return;
  if (listens) return start_listening(request);
  if (quick) return request->finish((this->*method.handler)(*request));
  const bool taken =
      server_.workers().run([self = shared_from_this(), request, handler = method.handler] {
        // Those that were cancelled in line must not hold up the others behind them.
        const Response reply =
            request->dropped() ? Response(std::string("{}")) : (self.get()->*handler)(*request);
        self->leave(*request);  // first: with the answer the peer may use the id again
        request->finish(reply);
        self->answered();
      });
  if (!taken) {
    leave(*request);
    answered();
    request->finish(ProtocolError{kInternalError, "The server is busy: try again later"});
  }
}

bool Session::is_in_use(std::string_view id) {
  return in_flight_.find(id) != in_flight_.end() ||
         std::ranges::any_of(listens_,
                             [id](const Listen& each) { return each.request->id() == id; });
}

bool Session::enter(const Ptr& request, bool at_once) {
  std::string problem;
  {
    const Lock lock(mutex_);
    if (is_in_use(request->id())) {
      problem = "Invalid Request: a request with this id is still being answered";
    } else if (!at_once && in_flight_.size() >= kMaxInFlight) {
      problem = fmt::format("Invalid Request: more than {} requests at once", kMaxInFlight);
    } else if (!at_once) {
      in_flight_.emplace(std::string(request->id()), request);
      ++busy_;
    }
  }
  if (problem.empty()) return true;
  request->finish(ProtocolError{kInvalidRequest, std::move(problem), {}, 400});
  return false;
}

void Session::leave(const Exchange& request) {
  const Lock lock(mutex_);
  const auto found = in_flight_.find(request.id());
  if (found != in_flight_.end() && found->second.get() == &request) in_flight_.erase(found);
}

void Session::answered() {
  const Lock lock(mutex_);
  --busy_;
}

void Session::cancel(std::string_view id) {
  Ptr request;
  {
    const Lock lock(mutex_);
    if (const auto found = in_flight_.find(id); found != in_flight_.end()) {
      request = found->second;
      // Its worker may need a while to notice; the id is free for the peer at once.
      in_flight_.erase(found);
    }
    std::erase_if(listens_, [&](const Listen& listen) {
      if (listen.request->id() != id) return false;
      request = listen.request;
      return true;
    });
  }
  if (request) request->cancel();
}

std::string Session::version() {
  const Lock lock(mutex_);
  return client_ ? client_->version : std::string();
}

std::size_t Session::in_flight() {
  const Lock lock(mutex_);
  return busy_;
}

void Session::tell(std::string_view message) {
  std::shared_ptr<Channel> standing;
  {
    const Lock lock(mutex_);
    standing = standing_;
  }
  if (standing) standing->send(message);
}

void Session::end_input() {
  std::vector<Listen> listens;
  std::vector<std::shared_ptr<Pending>> pending;
  {
    const Lock lock(mutex_);
    input_ended_ = true;
    listens.swap(listens_);
    for (auto& [id, each] : pending_) {
      each->settled = true;
      pending.push_back(each);
    }
    pending_.clear();
  }
  for (const auto& each : pending) each->asker->wake();
  for (const Listen& listen : listens) {
    std::string params = R"({"requestId":)";
    params.append(listen.request->id()).append(R"(,"reason":"The server ends"})");
    tell(compose_notification("notifications/cancelled", params));
    listen.request->finish(result(*listen.request, ""));
  }
}

void Session::hurry() {
  std::vector<Ptr> requests;
  {
    const Lock lock(mutex_);
    for (const auto& [id, request] : in_flight_) requests.push_back(request);
  }
  for (const Ptr& request : requests) request->hurry();
}

void Session::close() {
  std::vector<Ptr> requests;
  {
    const Lock lock(mutex_);
    closed_ = true;
    standing_.reset();
    for (auto& [id, request] : in_flight_) requests.push_back(request);
    for (Listen& listen : listens_) requests.push_back(listen.request);
    in_flight_.clear();
    listens_.clear();
    for (auto& [id, each] : pending_) each->settled = true;
    pending_.clear();
    subscribed_.clear();
    tasks_.clear();
  }
  for (const Ptr& request : requests) request->cancel();
}

}  // namespace dragoman::mcp
