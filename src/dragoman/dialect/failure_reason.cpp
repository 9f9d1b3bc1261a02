// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/failure_reason.hpp"

#include <array>

namespace dragoman {
namespace {

struct Sign {
  std::string_view text;
  std::string_view reason;
};

constexpr std::array kTerminals = {
    Sign{"prompt_too_long", "context_too_long"}, Sign{"max_turns", "max_turns"},
    Sign{"budget_exhausted", "budget"},          Sign{"refusal", "refusal"},
    Sign{"aborted_streaming", "interrupted"},    Sign{"aborted_tools", "interrupted"},
};

constexpr std::array kErrors = {
    Sign{"rate_limit", "rate_limited"},
    Sign{"rate_limit_error", "rate_limited"},
    Sign{"rate_limit_exceeded", "rate_limited"},
    Sign{"overloaded", "overloaded"},
    Sign{"overloaded_error", "overloaded"},
    Sign{"connection_failed", "network"},
    Sign{"authentication_failed", "auth_required"},
    Sign{"authentication_error", "auth_required"},
    Sign{"permission_error", "auth_required"},
    Sign{"billing_error", "quota"},
    Sign{"max_output_tokens", "output_limit"},
    Sign{"error_max_turns", "max_turns"},
    Sign{"error_max_budget_usd", "budget"},
    Sign{"context_length_exceeded", "context_too_long"},
    Sign{"usage_limit_reached", "rate_limited"},
    Sign{"insufficient_quota", "quota"},
};

constexpr std::array kPhrases = {
    Sign{"No conversation found", "session_expired"},
    Sign{"no rollout found for thread id", "session_expired"},
    Sign{"context_length_exceeded", "context_too_long"},
    Sign{"context window", "context_too_long"},
    Sign{"429 Too Many Requests", "rate_limited"},
    Sign{"hit your usage limit", "rate_limited"},
    Sign{"Credit balance is too low", "quota"},
    Sign{"Quota exceeded", "quota"},
    Sign{"at capacity", "overloaded"},
    Sign{"high demand", "overloaded"},
    Sign{"verloaded", "overloaded"},
    Sign{"503 Service Unavailable", "overloaded"},
    Sign{"ECONNREFUSED", "network"},
    Sign{"ENOTFOUND", "network"},
    Sign{"stream disconnected", "network"},
    Sign{"waiting for network", "network"},
    Sign{"Not logged in", "auth_required"},
    Sign{"Not signed in", "auth_required"},
    Sign{"Missing environment variable", "auth_required"},
    Sign{"401 Unauthorized", "auth_required"},
    Sign{"403 Forbidden", "auth_required"},
    Sign{"Not inside a trusted directory", "not_a_git_repo"},
};

std::string_view by_status(std::int64_t status) {
  switch (status) {
    case 401:
    case 403:
      return "auth_required";
    case 429:
      return "rate_limited";
    case 503:
    case 529:
      return "overloaded";
    default:
      return {};
  }
}

}  // namespace

std::string_view failure_reason(const FailureSigns& signs) {
  for (const Sign& sign : kErrors) {
    if (signs.error == sign.text) return sign.reason;
  }
  if (signs.http_status.has_value()) {
    const std::string_view reason = by_status(*signs.http_status);
    if (!reason.empty()) return reason;
  }
  for (const Sign& sign : kTerminals) {
    if (signs.terminal == sign.text) return sign.reason;
  }
  // The first words tell; an agent's long complaint is not searched through.
  const std::string_view message = signs.message.substr(0, 4096);
  for (const Sign& sign : kPhrases) {
    if (message.find(sign.text) != std::string_view::npos) return sign.reason;
  }
  return "agent_error";
}

Recoverable recoverable_by(std::string_view reason) {
  if (reason == "rate_limited" || reason == "overloaded" || reason == "network") {
    return Recoverable::true_;
  }
  return reason == "agent_error" || reason == "interrupted" ? Recoverable::unknown
                                                            : Recoverable::false_;
}

}  // namespace dragoman
