// SPDX-License-Identifier: Apache-2.0
// Calls to the server behind a surface, within its limits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/http/client.hpp"
#include "dragoman/http/rate_policy.hpp"
#include "dragoman/log/clock.hpp"
#include "dragoman/surface/surface.hpp"

namespace dragoman::surface {

[[nodiscard]] std::int64_t steady_ms();
// Sleeps unless it is told to stop. Whether the time has passed.
[[nodiscard]] bool nap(std::int64_t ms, const std::stop_token& stop);

// How far back people's words are read, at most.
inline constexpr std::int64_t kLookedBack = 7 * 24 * 3'600'000LL;
// From where on a message of ours may stand that nobody knows to be posted; the server's clock may
// differ from ours.
[[nodiscard]] std::int64_t looked_for_since(const Message& message);

// Law: no request is sent before the server's limits allow it; a call waits for that moment, or
// until it is told to stop. Used by one thread.
class Api {
 public:
  Api(std::string base, http::ClientFields fields, http::ClientOptions options,
      http::RateRules rules, Surroundings surroundings);

  // A 2xx answer (and 304). Everything else is an Error: kThrottled, kRefused (other 4xx),
  // http::kNotSent, or http::kUnsure (5xx and lost answers; for reading that is kNotSent).
  [[nodiscard]] Result<http::ClientResponse> call(std::string_view method, std::string_view path,
                                                  std::string body = {},
                                                  const http::ClientFields& more = {});

 private:
  [[nodiscard]] bool wait_until_allowed(http::Access access);
  void remember_hold();

  std::string base_;
  http::ClientFields fields_;
  http::Client client_;
  http::RatePolicy rates_;
  Surroundings surroundings_;
  std::int64_t told_hold_ = 0;
};

[[nodiscard]] http::RateRules with_gap(http::RateRules rules, const SurfaceSettings& settings);

}  // namespace dragoman::surface
