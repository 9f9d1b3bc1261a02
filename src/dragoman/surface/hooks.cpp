// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/hooks.hpp"

#include <algorithm>
#include <map>

#include "dragoman/ask/desk.hpp"
#include "dragoman/surface/judge.hpp"

namespace dragoman::surface {
namespace {

constexpr std::size_t kMostLater = 100;
constexpr std::string_view kHookPrefix = "/hooks/";

using Handler = HookAnswer (*)(const SurfaceSettings&, const HookRequest&);

Handler handler_for(std::string_view kind) {
  if (kind == "github") return github_hook;
  if (kind == "discord") return discord_hook;
  if (kind == "slack") return slack_hook;
  return nullptr;
}

// By what a call is known to come from the surface's server; empty: none does.
const std::string& key_of(const SurfaceSettings& surface) {
  if (surface.kind == "github") return surface.secret("webhook_secret");
  if (surface.kind == "discord") return surface.text("public_key");
  return surface.secret("signing_secret");
}

}  // namespace

Hooks::Hooks(Log& log, Settings settings, std::function<void()> answered)
    : log_(log),
      settings_(std::move(settings)),
      answered_(std::move(answered)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

Hooks::~Hooks() = default;

std::vector<std::string_view> Hooks::open_paths() const {
  std::vector<std::string_view> paths;
  for (const std::string_view path : kHookPaths) {
    const std::string_view kind = path.substr(kHookPrefix.size());
    const bool open = std::ranges::any_of(settings_.surfaces, [&](const SurfaceSettings& surface) {
      return surface.kind == kind && !key_of(surface).empty();
    });
    if (open) paths.push_back(path);
  }
  return paths;
}

HookAnswer Hooks::receive(std::string_view path, const HookRequest& request) {
  if (!path.starts_with(kHookPrefix)) return {404};
  const std::string_view kind = path.substr(kHookPrefix.size());
  const Handler handler = handler_for(kind);
  HookAnswer refused{404};
  for (const SurfaceSettings& surface : settings_.surfaces) {
    if (handler == nullptr || surface.kind != kind) continue;
    HookAnswer answer = handler(surface, request);
    if (answer.status == 404) continue;
    if (answer.status == 401) {  // perhaps it is signed for another of the same kind
      refused.status = 401;
      continue;
    }
    return settle(surface, std::move(answer));
  }
  return refused;
}

HookAnswer Hooks::settle(const SurfaceSettings& surface, HookAnswer answer) {
  if (answer.incoming) {
    const Incoming incoming = *std::exchange(answer.incoming, std::nullopt);
    Outbox outbox(log_, surface.name);
    if (surface.kind == "github") {  // whether they may answer has to be asked first
      const auto kept = outbox.receive(incoming);
      return {kept ? 202 : 503};
    }
    ask::Desk desk(log_);
    const auto known = outbox.seen(incoming.id);
    if (!known) return {503};
    auto verdict = give_answer(desk, outbox, surface.name, incoming);
    if (!verdict) return {503};
    if (*known && verdict->kind == Verdict::Kind::late) verdict->kind = Verdict::Kind::accepted;
    // What was refused comes again under the same id when it was mended: Slack keeps its window
    // open.
    if (verdict->kind != Verdict::Kind::refused) (void)outbox.mark_seen(incoming.id);
    if (verdict->kind == Verdict::Kind::accepted && !*known && answered_) answered_();
    answer = surface.kind == "discord" ? discord_verdict(*verdict)
                                       : slack_verdict(surface, incoming, *verdict);
  }
  if (answer.follow_up) follow_up(surface, *std::exchange(answer.follow_up, std::nullopt));
  return answer;
}

void Hooks::follow_up(const SurfaceSettings& surface, FollowUp call) {
  const Lock lock(mutex_);
  if (later_.size() >= kMostLater) return;  // somebody clicks faster than Slack takes it
  later_.push_back({&surface, std::move(call)});
  changed_.notify_all();
}

void Hooks::work(const std::stop_token& stop) {
  std::map<const SurfaceSettings*, std::unique_ptr<Surface>> surfaces;
  while (!stop.stop_requested()) {
    Later next{};
    {
      Lock lock(mutex_);
      changed_.wait(lock.mutex(), stop,
                    [this]() DRAGOMAN_REQUIRES(mutex_) { return !later_.empty(); });
      if (later_.empty()) continue;
      next = std::move(later_.front());
      later_.pop_front();
    }
    auto& surface = surfaces[next.surface];
    if (!surface) {
      auto made = make_surface(*next.surface, {stop, {}, 0});
      if (!made) continue;
      surface = *std::move(made);
    }
    auto done = surface->follow_up(next.call.path, next.call.body);
    if (!done)
      Outbox(log_, next.surface->name).audit("follow_up_failed", "", "", done.error().message);
  }
}

}  // namespace dragoman::surface
