// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/api.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "dragoman/run/one_line.hpp"

namespace dragoman::surface {
namespace {

using http::Access;
using http::ClientResponse;

}  // namespace

std::int64_t looked_for_since(const Message& message) {
  constexpr std::int64_t kClocksApart = 3'600'000;
  return std::max(wall_ms() - kLookedBack, message.since - kClocksApart);
}

bool nap(std::int64_t ms, const std::stop_token& stop) {
  if (ms <= 0) return !stop.stop_requested();
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, std::chrono::milliseconds(ms), [] { return false; });
  return !stop.stop_requested();
}

std::int64_t steady_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

http::RateRules with_gap(http::RateRules rules, const SurfaceSettings& settings) {
  if (settings.write_gap) rules.write_gap_ms = settings.write_gap->count();
  return rules;
}

Api::Api(std::string base, http::ClientFields fields, http::ClientOptions options,
         http::RateRules rules, Surroundings surroundings)
    : base_(std::move(base)),
      fields_(std::move(fields)),
      client_(std::move(options)),
      rates_(rules),
      surroundings_(std::move(surroundings)) {
  if (surroundings_.held_until > wall_ms())
    rates_.hold_until(steady_ms() + surroundings_.held_until - wall_ms());
}

bool Api::wait_until_allowed(Access access) {
  for (;;) {
    const std::int64_t wait = rates_.not_before(access) - steady_ms();
    if (wait <= 0) return !surroundings_.stop.stop_requested();
    if (!nap(wait, surroundings_.stop)) return false;
  }
}

void Api::remember_hold() {
  // Waits of a moment need not survive a restart, which takes longer.
  const std::int64_t wait = rates_.held_until() - steady_ms();
  if (wait < 1500 || rates_.held_until() == told_hold_) return;
  told_hold_ = rates_.held_until();
  if (surroundings_.held) surroundings_.held(wall_ms() + wait);
}

Result<ClientResponse> Api::call(std::string_view method, std::string_view path, std::string body,
                                 const http::ClientFields& more) {
  const Access access = method == "GET" ? Access::read : Access::write;
  if (!wait_until_allowed(access))
    return Error{ErrorCode::tool_error, "stopped", std::string(http::kNotSent)};
  http::ClientRequest request{std::string(method), base_ + std::string(path), fields_,
                              std::move(body)};
  request.fields.insert(request.fields.end(), more.begin(), more.end());
  if (!request.body.empty())
    request.fields.emplace_back("Content-Type", "application/json; charset=utf-8");
  rates_.sent(access, steady_ms());
  auto response = client_.send(request, surroundings_.stop);
  if (!response) {
    rates_.unreachable(steady_ms());
    Error error = std::move(response).error();
    if (access == Access::read) error.reason = http::kNotSent;
    return error;
  }
  rates_.seen(*response, steady_ms(), wall_ms());
  remember_hold();
  if ((response->status >= 200 && response->status < 300) || response->status == 304)
    return response;
  const std::string_view reason = rates_.throttles(*response) ? kThrottled
                                  : response->status < 500    ? kRefused
                                  : access == Access::read    ? http::kNotSent
                                                              : http::kUnsure;
  return Error{ErrorCode::tool_error,
               fmt::format("{} {}: status {}: {}", method, path, response->status,
                           one_line(std::string_view(response->body).substr(0, 300))),
               std::string(reason)};
}

}  // namespace dragoman::surface
