// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/rate_policy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace dragoman::http {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr double kLongest = 10.0 * 366 * 24 * 3600;  // seconds; beyond it numbers are nonsense

std::optional<double> seconds_in(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (text.empty() || stop != end || std::isnan(value)) return std::nullopt;
  if (fault == std::errc::result_out_of_range) return kLongest;
  if (fault != std::errc()) return std::nullopt;
  return value;
}

std::int64_t to_ms(double seconds) {
  return static_cast<std::int64_t>(std::ceil(std::clamp(seconds, 0.0, kLongest) * 1000));
}

// "Wed, 21 Oct 2015 07:28:00 GMT" as seconds since 1970.
std::optional<std::int64_t> http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || text.substr(25) != " GMT") return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t length) {
    int value = -1;
    std::from_chars(text.data() + at, text.data() + at + length, value);
    return value;
  };
  const auto month = std::ranges::find(kMonths, text.substr(8, 3));
  const int day = number(5, 2);
  const int year = number(12, 4);
  if (month == kMonths.end() || day < 1 || year < 1970) return std::nullopt;
  const std::chrono::year_month_day date{
      std::chrono::year(year),
      std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
      std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return std::int64_t{days} * 86400 + number(17, 2) * 3600 + number(20, 2) * 60 + number(23, 2);
}

// "retry_after": 1.5 in the body of a refusal; a full reader is not needed for one number.
std::optional<double> retry_after_in(std::string_view body) {
  constexpr std::string_view kName = "\"retry_after\":";
  const std::size_t at = body.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  body.remove_prefix(at + kName.size());
  while (body.starts_with(' ')) body.remove_prefix(1);
  return seconds_in(body.substr(0, body.find_first_not_of("0123456789.")));
}

bool speaks_of_a_limit(std::string_view body) {
  return body.find("rate limit") != std::string_view::npos ||
         body.find("abuse") != std::string_view::npos;
}

}  // namespace

RateRules github_rates() { return {kSecond, 80, 500, kMinute, true}; }
RateRules discord_rates() { return {0, 0, 0, kSecond, false}; }
RateRules slack_rates() { return {kSecond, 50, 0, kSecond, false}; }

std::optional<std::int64_t> demanded_wait(const ClientResponse& response, std::int64_t wall_ms) {
  const auto server_time = [&]() -> double {
    const auto date = http_date(response.field("Date"));
    return date ? static_cast<double>(*date) : static_cast<double>(wall_ms) / 1000;
  };
  std::optional<std::int64_t> wait;
  const auto at_least = [&wait](double seconds) {
    wait = std::max(wait.value_or(0), to_ms(seconds));
  };
  const std::string_view after = response.field("Retry-After");
  if (const auto seconds = seconds_in(after)) {
    at_least(*seconds);
  } else if (const auto date = http_date(after)) {
    at_least(static_cast<double>(*date) - server_time());
  }
  const bool refused = response.status == 429 || response.status == 403;
  const bool used_up = response.field("X-RateLimit-Remaining") == "0";
  if (used_up || (response.status == 429 && after.empty())) {
    const auto reset_after = seconds_in(response.field("X-RateLimit-Reset-After"));
    const auto reset = seconds_in(response.field("X-RateLimit-Reset"));
    if (reset_after) {
      at_least(*reset_after);
    } else if (reset) {
      // The reset is a whole second and so is the server's clock: one more is never early.
      at_least(*reset - server_time() + 1);
    }
  }
  if (refused) {
    if (const auto seconds = retry_after_in(response.body)) at_least(*seconds);
  }
  return wait;
}

void RatePolicy::sent(Access access, std::int64_t now) {
  if (access == Access::read) return;
  writes_.push_back(now);
  while (!writes_.empty() && now - writes_.front() >= kHour) writes_.pop_front();
}

bool RatePolicy::throttles(const ClientResponse& response) const {
  if (response.status == 429) return true;
  if (response.status == 503 && !response.field("Retry-After").empty()) return true;
  return response.status == 403 && rules_.forbidden_may_mean_limit &&
         (!response.field("Retry-After").empty() ||
          response.field("X-RateLimit-Remaining") == "0" || speaks_of_a_limit(response.body));
}

void RatePolicy::hold_until(std::int64_t time) { held_until_ = std::max(held_until_, time); }

void RatePolicy::hold_longer(std::int64_t now) {
  const std::int64_t wait = std::min(rules_.unsaid_wait_ms << std::min(refusals_, 12U),
                                     std::max(kHour, rules_.unsaid_wait_ms));
  ++refusals_;
  hold_until(now + wait);
}

void RatePolicy::seen(const ClientResponse& response, std::int64_t now, std::int64_t wall_ms) {
  const auto wait = demanded_wait(response, wall_ms);
  if (wait) hold_until(now + *wait);
  if (throttles(response)) {
    // A demand of nothing ("Retry-After: 0") is as good as none.
    if (!wait || *wait == 0) {
      hold_longer(now);
    } else {
      ++refusals_;
    }
  } else if (response.status >= 500) {
    unreachable(now);
  } else {
    refusals_ = 0;
  }
}

void RatePolicy::unreachable(std::int64_t now) {
  const std::int64_t wait = std::min(kSecond << std::min(refusals_, 6U), kMinute);
  ++refusals_;
  hold_until(now + wait);
}

std::int64_t RatePolicy::not_before(Access access) const {
  std::int64_t time = held_until_;
  if (access == Access::read || writes_.empty()) return time;
  time = std::max(time, writes_.back() + rules_.write_gap_ms);
  const auto after_the_nth_last = [&](std::size_t n, std::int64_t span) {
    if (n != 0 && writes_.size() >= n) time = std::max(time, writes_[writes_.size() - n] + span);
  };
  after_the_nth_last(rules_.writes_per_minute, kMinute);
  after_the_nth_last(rules_.writes_per_hour, kHour);
  return time;
}

}  // namespace dragoman::http
