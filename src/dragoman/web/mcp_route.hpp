// SPDX-License-Identifier: Apache-2.0
// The endpoint /mcp: streamable HTTP in both eras. Host, Origin and token have been looked at
// before anything comes here.
#pragma once

#include <atomic>
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/http/server.hpp"
#include "dragoman/mcp/session.hpp"
#include "dragoman/web/mcp_stream.hpp"
#include "dragoman/web/route.hpp"

namespace dragoman::web {

class McpEndpoint {
 public:
  // What a client may make us keep.
  static constexpr std::size_t kMostSessions = 1024;
  static constexpr std::size_t kBodyLimit = mcp::kMaxMessage;

  explicit McpEndpoint(mcp::Server& server) : server_(server) {}
  ~McpEndpoint();
  McpEndpoint(const McpEndpoint&) = delete;
  McpEndpoint& operator=(const McpEndpoint&) = delete;

  // One handler each for POST, GET and DELETE of /mcp. None of them waits: they may run in the
  // server's own thread.
  void post(const std::shared_ptr<const http::Request>& request, http::Reply reply);
  void get(const std::shared_ptr<const http::Request>& request, http::Reply reply);
  void remove(const std::shared_ptr<const http::Request>& request, http::Reply reply);

  [[nodiscard]] std::size_t sessions();

 private:
  struct Entry {
    std::string id;
    std::shared_ptr<mcp::Session> session;
    std::shared_ptr<EventShelf> shelf;
  };
  using Entries = std::list<Entry>;  // the one that was used last in front

  void post_modern(const std::shared_ptr<const http::Request>& request, http::Reply reply);
  void post_first(const http::Request& request, http::Reply reply);
  // The session that the request names; otherwise it is answered here.
  [[nodiscard]] std::optional<Entry> find(const http::Request& request, http::Reply& reply);
  [[nodiscard]] std::optional<Entry> make_session();
  void keep(const std::shared_ptr<PostChannel>& channel);
  void start_keeping_alive();

  mcp::Server& server_;
  Mutex mutex_;
  Condition wake_;
  Entries entries_ DRAGOMAN_GUARDED_BY(mutex_);
  std::map<std::string, Entries::iterator, std::less<>> by_id_ DRAGOMAN_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<PostChannel>> streams_ DRAGOMAN_GUARDED_BY(mutex_);  // modern
  std::thread keeper_ DRAGOMAN_GUARDED_BY(mutex_);
  bool ending_ DRAGOMAN_GUARDED_BY(mutex_) = false;
};

// POST, GET and DELETE of /mcp. `endpoint` must outlive the server.
[[nodiscard]] std::vector<RouteSpec> mcp_routes(McpEndpoint& endpoint);

}  // namespace dragoman::web
