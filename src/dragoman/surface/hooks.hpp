// SPDX-License-Identifier: Apache-2.0
// The endpoints that the servers of surfaces call.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/surface/hook.hpp"
#include "dragoman/surface/outbox.hpp"
#include "dragoman/surface/settings.hpp"

namespace dragoman::surface {

inline constexpr std::string_view kHookPaths[] = {"/hooks/github", "/hooks/discord",
                                                  "/hooks/slack"};
inline constexpr std::size_t kLongestHook = std::size_t{1} << 20U;  // bytes of a body

// Law: what is not signed changes nothing and is answered 401; a path for which no surface has a
// secret is closed, 404; the same delivery twice has one effect. May be called from any thread; no
// call waits for another server.
class Hooks {
 public:
  // `answered` is called after an answer was accepted.
  Hooks(Log& log, Settings settings, std::function<void()> answered);
  ~Hooks();
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;

  // Those of kHookPaths that are not closed.
  [[nodiscard]] std::vector<std::string_view> open_paths() const;
  [[nodiscard]] HookAnswer receive(std::string_view path, const HookRequest& request);

 private:
  struct Later {
    const SurfaceSettings* surface;
    FollowUp call;
  };
  [[nodiscard]] HookAnswer settle(const SurfaceSettings& surface, HookAnswer answer);
  void follow_up(const SurfaceSettings& surface, FollowUp call);
  void work(const std::stop_token& stop);

  Log& log_;
  Settings settings_;
  std::function<void()> answered_;
  Mutex mutex_;
  Condition changed_;
  std::deque<Later> later_ DRAGOMAN_GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace dragoman::surface
