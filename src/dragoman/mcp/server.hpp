// SPDX-License-Identifier: Apache-2.0
// What all sessions of a process share: the box, the threads, the seal, and the watch for changes.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/mcp/request_state.hpp"
#include "dragoman/mcp/tool.hpp"
#include "dragoman/mcp/workers.hpp"

namespace dragoman::mcp {

// Is told of changes, from the thread that watches.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void on_changes(const Changes& changes) = 0;
};

// Costs nothing until it is needed: no thread, no call of the box.
class Server {
 public:
  struct Options {
    std::size_t threads = 64;   // calls that may block at once
    std::size_t waiting = 256;  // and those that wait for a thread
  };

  explicit Server(ToolBox& box) : Server(box, Options{}) {}
  Server(ToolBox& box, Options options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] ToolBox& box() { return box_; }
  [[nodiscard]] const Abilities& abilities() const { return abilities_; }
  [[nodiscard]] Workers& workers() { return workers_; }
  [[nodiscard]] const StateSeal& seal() const { return seal_; }

  // {"name":…} of this server, and "_meta":{…} that modern results carry.
  [[nodiscard]] const std::string& identity() const { return identity_; }
  [[nodiscard]] const std::string& meta() const { return meta_; }
  // The tool of that name, or null.
  [[nodiscard]] const ToolSpec* tool(std::string_view name) const;

  // From now on, until it is gone.
  void watch(std::weak_ptr<Watcher> watcher);

 private:
  void follow(std::uint64_t cursor);

  ToolBox& box_;
  const Abilities abilities_;
  const StateSeal seal_;
  const std::string identity_;
  const std::string meta_;

  Mutex mutex_;
  std::vector<std::weak_ptr<Watcher>> watchers_ DRAGOMAN_GUARDED_BY(mutex_);
  std::thread follower_ DRAGOMAN_GUARDED_BY(mutex_);
  std::atomic<bool> ending_ = false;
  Workers workers_;  // last: its threads use the rest
};

}  // namespace dragoman::mcp
