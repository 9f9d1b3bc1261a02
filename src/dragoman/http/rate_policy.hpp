// SPDX-License-Identifier: Apache-2.0
// When the next request may be sent: what a server said about its limits, and the limits it is
// known to have.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "dragoman/http/client.hpp"

namespace dragoman::http {

// What a server is known to want. Zero: no such limit.
struct RateRules {
  std::int64_t write_gap_ms = 0;  // between two requests that write
  std::size_t writes_per_minute = 0;
  std::size_t writes_per_hour = 0;
  // The wait after a refusal that does not say how long; doubled each time, up to an hour.
  std::int64_t unsaid_wait_ms = 1000;
  // Whether 403 means "too many" when the answer speaks of a rate limit.
  bool forbidden_may_mean_limit = false;
};
[[nodiscard]] RateRules github_rates();
[[nodiscard]] RateRules discord_rates();
[[nodiscard]] RateRules slack_rates();

enum class Access : std::uint8_t { read, write };

// Milliseconds to wait as the answer demands, from when it was received. Absent: it demands
// nothing. `wall_ms` (since 1970) is used where a date has to be compared and the server sent none
// of its own: its clock, not ours, decides how long "until 10:05" is.
[[nodiscard]] std::optional<std::int64_t> demanded_wait(const ClientResponse& response,
                                                        std::int64_t wall_ms);

// Pure: it is told the time, on one scale of milliseconds that only grows, and never waits itself.
// Law: no time it gives is earlier than what any answer demanded.
class RatePolicy {
 public:
  explicit RatePolicy(RateRules rules) : rules_(rules) {}

  void sent(Access access, std::int64_t now);
  // Whether the answer means "not now": the request was not carried out.
  [[nodiscard]] bool throttles(const ClientResponse& response) const;
  void seen(const ClientResponse& response, std::int64_t now, std::int64_t wall_ms);
  void unreachable(std::int64_t now);  // no answer at all
  void hold_until(std::int64_t time);  // what was known before a restart

  // The earliest time for the next request; may lie in the past.
  [[nodiscard]] std::int64_t not_before(Access access) const;
  // The part of it that a server demanded.
  [[nodiscard]] std::int64_t held_until() const { return held_until_; }

 private:
  void hold_longer(std::int64_t now);

  RateRules rules_;
  std::deque<std::int64_t> writes_;  // of the last hour
  std::int64_t held_until_ = 0;
  unsigned refusals_ = 0;  // in a row
};

}  // namespace dragoman::http
