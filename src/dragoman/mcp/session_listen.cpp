// SPDX-License-Identifier: Apache-2.0
// What changes, and who wants to know: resources/subscribe and subscriptions/listen.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/compose.hpp"
#include "dragoman/mcp/lists.hpp"
#include "dragoman/mcp/session_parts.hpp"

namespace dragoman::mcp {
namespace {

using json::Kind;
using json::Value;

bool contains(const std::vector<std::string>& list, const std::string& what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

std::vector<std::string> strings(const Value& array) {
  std::vector<std::string> out;
  if (!array.is(Kind::array)) return out;
  json::Cursor c(array.raw);
  for (json::Elements e(c); e.next();) {
    const Value value = c.take();
    if (value.is(Kind::string) && out.size() < kMaxSubscriptions) {
      out.push_back(value.text().str());
    }
  }
  return out;
}

std::string uri_params(const std::string& uri) {
  std::string out = R"("uri":)";
  json::append_string(out, std::string_view(uri));
  return out;
}

std::string in_braces(std::string_view members) {
  return members.empty() ? std::string() : fmt::format("{{{}}}", members);
}

}  // namespace

Response Session::subscribe(Exchange& request) {
  const auto uri = string_member(request.params(), "uri");
  if (!uri) return ProtocolError{kInvalidParams, "Invalid params: uri must be a string"};
  if (!server_.abilities().changes) {
    return ProtocolError{kMethodNotFound, "Method not found: resources do not change here"};
  }
  {
    const Lock lock(mutex_);
    if (subscribed_.size() >= kMaxSubscriptions && !subscribed_.contains(*uri)) {
      return ProtocolError{kInvalidParams, fmt::format("Invalid params: more than {} subscriptions",
                                                       kMaxSubscriptions)};
    }
    subscribed_.insert(*uri);
  }
  start_watching();
  return std::string("{}");
}

Response Session::unsubscribe(Exchange& request) {
  const auto uri = string_member(request.params(), "uri");
  if (!uri) return ProtocolError{kInvalidParams, "Invalid params: uri must be a string"};
  const Lock lock(mutex_);
  subscribed_.erase(*uri);
  return std::string("{}");
}

void Session::start_watching() {
  {
    const Lock lock(mutex_);
    if (watching_) return;
    watching_ = true;
  }
  server_.watch(weak_from_this());
}

Response Session::listen(Exchange& /*request*/) { return std::string("{}"); }

void Session::start_listening(const Ptr& request) {
  const Value wanted = member(request->params(), "notifications");
  if (!wanted.is(Kind::object)) {
    return request->finish(
        ProtocolError{kInvalidParams, "Invalid params: notifications must be an object"});
  }
  const Abilities& can = server_.abilities();
  const bool lists = can.changes && can.lists_change;
  Listen listen{.request = request};
  listen.tools = lists && member(wanted, "toolsListChanged").is_true();
  listen.prompts = lists && can.prompts && member(wanted, "promptsListChanged").is_true();
  listen.resources = lists && can.resources && member(wanted, "resourcesListChanged").is_true();
  if (can.changes && can.resources) {
    listen.uris = strings(member(wanted, "resourceSubscriptions"));
  }
  if (can.changes && can.tasks && request->client().tasks) {
    listen.tasks = strings(member(wanted, "taskIds"));
  }
  std::string granted = R"("notifications":)";
  json::Writer w(granted);
  w.begin_object();
  if (listen.tools) w.name("toolsListChanged").boolean(true);
  if (listen.prompts) w.name("promptsListChanged").boolean(true);
  if (listen.resources) w.name("resourcesListChanged").boolean(true);
  const auto put = [&](std::string_view key, const std::vector<std::string>& list) {
    if (list.empty()) return;
    w.key(key).begin_array();
    for (const std::string& each : list) w.string(each);
    w.end_array();
  };
  put("resourceSubscriptions", listen.uris);
  put("taskIds", listen.tasks);
  w.end_object();
  start_watching();
  bool full = false;
  {
    const Lock lock(mutex_);
    full = listens_.size() >= kMaxSubscriptions || closed_ || input_ended_;
    // The acknowledgement goes out first: nothing is told before the lock is free.
    if (!full) tell_listener(listen, "notifications/subscriptions/acknowledged", granted);
    if (!full) listens_.push_back(std::move(listen));
  }
  if (full) {
    return request->finish(ProtocolError{kInternalError, "Too many subscriptions"});
  }
}

void Session::tell_listener(const Listen& listen, std::string_view method,
                            std::string_view members) {
  std::string params =
      fmt::format(R"({{"_meta":{{"{}":{}}})", kMetaSubscription, listen.request->id());
  if (!members.empty()) params.append(",").append(members);
  params.push_back('}');
  (void)listen.request->send(compose_notification(method, params));
}

void Session::on_changes(const Changes& changes) {
  std::map<std::string, std::string> tasks;   // as a modern client is told
  std::map<std::string, std::string> states;  // as a legacy one is
  for (const std::string& id : changes.tasks) {
    const auto task = server_.box().task(id);
    if (!task) continue;
    append_detailed_task(tasks[id], *task);
    append_task(states[id], *task, Era::legacy);
  }
  std::vector<std::string> told;  // legacy: on the standing stream
  {
    const Lock lock(mutex_);
    for (const Listen& listen : listens_) {
      const auto tell_of = [&](bool wanted, std::string_view what) {
        if (wanted) tell_listener(listen, fmt::format("notifications/{}/list_changed", what), {});
      };
      tell_of(listen.tools && changes.tools, "tools");
      tell_of(listen.prompts && changes.prompts, "prompts");
      tell_of(listen.resources && changes.resources, "resources");
      for (const std::string& uri : changes.uris) {
        if (!contains(listen.uris, uri)) continue;
        tell_listener(listen, "notifications/resources/updated", uri_params(uri));
      }
      for (const auto& [id, members] : tasks) {
        if (contains(listen.tasks, id)) tell_listener(listen, "notifications/tasks", members);
      }
    }
    const bool legacy = client_ != nullptr;
    const auto note = [&](std::string_view method, std::string_view members) {
      if (legacy) told.push_back(compose_notification(method, in_braces(members)));
    };
    if (changes.tools) note("notifications/tools/list_changed", {});
    if (changes.prompts) note("notifications/prompts/list_changed", {});
    if (changes.resources) note("notifications/resources/list_changed", {});
    for (const std::string& uri : changes.uris) {
      if (subscribed_.contains(uri)) note("notifications/resources/updated", uri_params(uri));
    }
    for (const auto& [id, members] : states) {
      if (tasks_.contains(id)) note("notifications/tasks/status", members);
    }
  }
  for (const std::string& message : told) tell(message);
}

}  // namespace dragoman::mcp
