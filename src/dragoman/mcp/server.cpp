// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/server.hpp"

#include "dragoman/mcp/lists.hpp"
#include "dragoman/mcp/protocol.hpp"

namespace dragoman::mcp {

Server::Server(ToolBox& box, Options options)
    : box_(box),
      abilities_(box.abilities()),
      seal_(StateSeal::random()),
      identity_(implementation(box.info())),
      meta_(std::string(R"("_meta":{")") + std::string(kMetaServer) + R"(":)" + identity_ + "}"),
      workers_(options.threads, options.waiting) {}

Server::~Server() {
  ending_ = true;
  std::thread follower;
  {
    const Lock lock(mutex_);
    follower.swap(follower_);
  }
  if (follower.joinable()) follower.join();
}

const ToolSpec* Server::tool(std::string_view name) const {
  for (const ToolSpec& tool : box_.tools()) {
    if (tool.name == name) return &tool;
  }
  return nullptr;
}

void Server::watch(std::weak_ptr<Watcher> watcher) {
  if (!abilities_.changes) return;
  const Lock lock(mutex_);
  watchers_.push_back(std::move(watcher));
  if (follower_.joinable()) return;
  // The cursor is set here, not in the thread: what changes from now on is told.
  std::uint64_t cursor = 0;
  (void)box_.wait_for_changes(cursor, std::chrono::milliseconds(0));
  follower_ = std::thread([this, cursor] { follow(cursor); });
}

void Server::follow(std::uint64_t cursor) {
  while (!ending_) {
    const Changes changes = box_.wait_for_changes(cursor, std::chrono::milliseconds(250));
    std::vector<std::shared_ptr<Watcher>> live;
    {
      const Lock lock(mutex_);
      std::erase_if(watchers_, [&](const std::weak_ptr<Watcher>& each) {
        auto watcher = each.lock();
        if (watcher) live.push_back(std::move(watcher));
        return each.expired();
      });
    }
    for (const auto& watcher : live) watcher->on_changes(changes);
  }
}

}  // namespace dragoman::mcp
