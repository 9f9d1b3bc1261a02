// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/mcp_route.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/random.hpp"
#include "dragoman/mcp/compose.hpp"
#include "dragoman/mcp/message.hpp"
#include "dragoman/mcp/protocol.hpp"

namespace dragoman::web {
namespace {

constexpr std::chrono::seconds kKeepAlive{15};

std::optional<std::string> field(const http::Request& request, std::string_view name) {
  auto value = request.fields.find(name);
  if (!value) return std::nullopt;
  return std::string(ascii::trimmed(*value, " \t"));
}

bool accepts(const http::Request& request, std::string_view type) {
  for (const auto& [name, value] : request.fields.all()) {
    if (name.size() != std::string_view("accept").size() || ascii::lowered(name) != "accept")
      continue;
    const std::string accept = ascii::lowered(value);
    if (accept.find(type) != std::string::npos || accept.find("*/*") != std::string::npos) {
      return true;
    }
  }
  return false;
}

std::optional<http::Response> refuse_post(const http::Request& request) {
  if (!accepts(request, "application/json") || !accepts(request, "text/event-stream")) {
    return mcp_error(406, mcp::kBadRequest,
                     "Not Acceptable: Accept must have application/json and text/event-stream");
  }
  if (!is_json(request)) {
    return mcp_error(415, mcp::kBadRequest,
                     "Unsupported Media Type: Content-Type must be application/json");
  }
  return std::nullopt;
}

mcp::Headers headers_of(const std::shared_ptr<const http::Request>& request) {
  return {.version = field(*request, "MCP-Protocol-Version"),
          .method = field(*request, "Mcp-Method"),
          .name = field(*request, "Mcp-Name"),
          .param = [request](std::string_view name) {
            return field(*request, fmt::format("Mcp-Param-{}", name));
          }};
}

}  // namespace

McpEndpoint::~McpEndpoint() {
  std::thread keeper;
  Entries entries;
  {
    const Lock lock(mutex_);
    ending_ = true;
    keeper.swap(keeper_);
    entries.swap(entries_);
    by_id_.clear();
  }
  wake_.notify_all();
  if (keeper.joinable()) keeper.join();
  for (const Entry& entry : entries) {
    entry.session->close();
    entry.shelf->close();
  }
}

void McpEndpoint::post(const std::shared_ptr<const http::Request>& request, http::Reply reply) {
  if (auto refused = refuse_post(*request)) return reply.send(std::move(*refused));
  const bool batch = mcp::is_batch(request->body);
  const mcp::Parsed parsed = batch ? mcp::Parsed{} : mcp::parse_message(request->body);
  const bool claims = parsed.message && !parsed.message->meta.version.absent();
  const bool first = parsed.message && parsed.message->method == "initialize" &&
                     parsed.message->kind == mcp::Message::Kind::request;
  const auto version = field(*request, "MCP-Protocol-Version");
  if (claims || (!first && version == mcp::kModernVersion) || (!batch && !parsed.message)) {
    return post_modern(request, std::move(reply));
  }
  if (first) return post_first(*request, std::move(reply));
  if (version && !mcp::is_legacy_version(*version)) {
    return reply.send(
        mcp_error(400, mcp::kBadRequest, "Bad Request: this protocol version is not supported"));
  }
  auto entry = find(*request, reply);
  if (!entry) return;
  const auto channel = std::make_shared<PostChannel>(std::move(reply), entry->shelf);
  entry->session->handle(request->body, channel);
  // Whoever loses the connection of a legacy call may come back for its answer.
  channel->become_stream();
  start_keeping_alive();
}

// Also what is no message at all: the error is the same in both eras.
void McpEndpoint::post_modern(const std::shared_ptr<const http::Request>& request,
                              http::Reply reply) {
  const auto channel = std::make_shared<PostChannel>(std::move(reply), nullptr);
  const auto session = mcp::Session::make(server_);
  const mcp::Headers headers = headers_of(request);
  // A modern client that closes the response has cancelled the request.
  channel->set_closed([session] { session->close(); });
  session->handle(request->body, channel, &headers);
  channel->become_stream();
  if (channel->is_stream()) keep(channel);
}

void McpEndpoint::keep(const std::shared_ptr<PostChannel>& channel) {
  {
    const Lock lock(mutex_);
    std::erase_if(streams_, [](const auto& each) { return each.expired(); });
    streams_.push_back(channel);
  }
  start_keeping_alive();
}

void McpEndpoint::post_first(const http::Request& request, http::Reply reply) {
  auto entry = make_session();
  if (!entry) {
    return reply.send(
        mcp_error(503, mcp::kBadRequest, "Service Unavailable: too many sessions at work"));
  }
  const auto channel = std::make_shared<PostChannel>(std::move(reply), entry->shelf);
  channel->set_session_id(entry->id);
  entry->session->handle(request.body, channel);
}

void McpEndpoint::get(const std::shared_ptr<const http::Request>& request, http::Reply reply) {
  if (!accepts(*request, "text/event-stream")) {
    return reply.send(
        mcp_error(406, mcp::kBadRequest, "Not Acceptable: Accept must have text/event-stream"));
  }
  const auto entry = find(*request, reply);
  if (!entry) return;
  const auto last = field(*request, "Last-Event-ID");
  if (last && !entry->shelf->knows(*last)) {
    return reply.send(mcp_error(400, mcp::kBadRequest, "Bad Request: no such event is kept"));
  }
  if (!last && entry->shelf->has_standing()) {
    return reply.send(
        mcp_error(409, mcp::kBadRequest, "Conflict: this session has its stream already"));
  }
  const auto stream = reply.stream(event_stream_head(entry->id));
  if (!stream) return;
  if (last) {
    entry->shelf->resume(*last, stream);
  } else {
    entry->shelf->open_standing(stream);
  }
  start_keeping_alive();
}

void McpEndpoint::remove(const std::shared_ptr<const http::Request>& request, http::Reply reply) {
  const auto entry = find(*request, reply);
  if (!entry) return;
  {
    const Lock lock(mutex_);
    if (const auto found = by_id_.find(entry->id); found != by_id_.end()) {
      entries_.erase(found->second);
      by_id_.erase(found);
    }
  }
  entry->session->close();
  entry->shelf->close();
  reply.send({.status = 204, .fields = {}, .body = {}});
}

std::optional<McpEndpoint::Entry> McpEndpoint::find(const http::Request& request,
                                                    http::Reply& reply) {
  const auto id = field(request, "Mcp-Session-Id");
  if (!id) {
    reply.send(
        mcp_error(400, mcp::kBadRequest, "Bad Request: the header Mcp-Session-Id is required"));
    return std::nullopt;
  }
  {
    const Lock lock(mutex_);
    if (const auto found = by_id_.find(*id); found != by_id_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return *found->second;
    }
  }
  reply.send(mcp_error(404, mcp::kSessionNotFound, "Session not found"));
  return std::nullopt;
}

std::optional<McpEndpoint::Entry> McpEndpoint::make_session() {
  Entry entry;
  entry.id = random_hex(16);
  entry.shelf = std::make_shared<EventShelf>();
  entry.session =
      mcp::Session::make(server_, std::make_shared<StandingChannel>(entry.shelf), "http");
  std::optional<Entry> oldest;
  {
    const Lock lock(mutex_);
    if (entries_.size() >= kMostSessions) {
      // The one that was not used for longest and has nothing to do.
      const auto idle = std::find_if(entries_.rbegin(), entries_.rend(), [](const Entry& each) {
        return each.session->in_flight() == 0;
      });
      if (idle == entries_.rend()) return std::nullopt;
      oldest = *idle;
      by_id_.erase(idle->id);
      entries_.erase(std::next(idle).base());
    }
    entries_.push_front(entry);
    by_id_[entry.id] = entries_.begin();
  }
  if (oldest) {
    oldest->session->close();
    oldest->shelf->close();
  }
  return entry;
}

std::size_t McpEndpoint::sessions() {
  const Lock lock(mutex_);
  return entries_.size();
}

void McpEndpoint::start_keeping_alive() {
  const Lock started(mutex_);
  if (keeper_.joinable() || ending_) return;
  keeper_ = std::thread([this] {
    Lock lock(mutex_);
    while (!ending_) {
      wake_.wait_for(lock.mutex(), kKeepAlive);
      for (const Entry& entry : entries_) entry.shelf->keep_alive();
      for (const auto& each : streams_) {
        if (const auto channel = each.lock()) channel->keep_alive();
      }
    }
  });
}

std::vector<RouteSpec> mcp_routes(McpEndpoint& endpoint) {
  using Handler = void (McpEndpoint::*)(const std::shared_ptr<const http::Request>&, http::Reply);
  const auto route = [&endpoint](std::string method, Handler handler) {
    RouteSpec spec;
    spec.method = std::move(method);
    spec.path = "/mcp";
    spec.handler = [&endpoint, handler](const Call& call, http::Reply reply) {
      (endpoint.*handler)(call.request, std::move(reply));
    };
    // A message may look into the log, which may lie on other machines; the rest only waits.
    spec.runs_in = spec.method == "POST" ? http::RunsIn::pool : http::RunsIn::loop;
    spec.body_limit = McpEndpoint::kBodyLimit;
    spec.body_type = BodyType::any;  // the endpoint says it in the words of the protocol
    return spec;
  };
  return {route("POST", &McpEndpoint::post), route("GET", &McpEndpoint::get),
          route("DELETE", &McpEndpoint::remove)};
}

}  // namespace dragoman::web
