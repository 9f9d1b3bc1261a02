// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/policy.hpp"

#include <algorithm>
#include <set>

namespace dragoman::surface {
namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kDayMinutes = 24 * 60;

}  // namespace

bool takes(const SurfaceSettings& surface, Topic topic, const std::vector<std::string>& chosen) {
  if (!chosen.empty() && std::ranges::find(chosen, surface.name) == chosen.end()) return false;
  return surface.offers.contains(name(topic));
}

std::int64_t after_quiet(std::int64_t at, const Policy& policy) {
  if (!policy.quiet) return at;
  const auto [from, to] = *policy.quiet;
  const std::int64_t minute = at / kMinute % kDayMinutes;
  const bool quiet = from <= to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!quiet) return at;
  const std::int64_t left = (to - minute + kDayMinutes) % kDayMinutes;
  return (at / kMinute + left) * kMinute;
}

std::int64_t offered_from(const ask::QuestionRecord& question, const SurfaceSettings& surface,
                          const Settings& settings, const std::vector<std::string>& chosen) {
  const Policy& policy = settings.policy;
  const Topic topic = message_of(question).topic;
  const std::int64_t start = after_quiet(question.asked_at, policy);
  if (!policy.in_order) return start;
  std::set<int> before;  // the steps that come first
  for (const SurfaceSettings& other : settings.surfaces) {
    if (other.order < surface.order && takes(other, topic, chosen)) before.insert(other.order);
  }
  const auto steps = static_cast<std::int64_t>(before.size());
  return after_quiet(start + steps * policy.escalate_after.count(), policy);
}

std::optional<DefaultAnswer> default_answer(const ask::QuestionRecord& question,
                                            const Policy& policy) {
  if (policy.default_answer.empty() || !question.is_open() || question.secret) return std::nullopt;
  if (question.kind != QuestionKind::question || question.failure) return std::nullopt;
  if (!read_answer(question, policy.default_answer)) return std::nullopt;
  return DefaultAnswer{after_quiet(question.asked_at, policy) + policy.default_after.count(),
                       policy.default_answer};
}

}  // namespace dragoman::surface
