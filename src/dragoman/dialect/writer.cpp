// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/writer.hpp"

#include <algorithm>
#include <array>

#include "dragoman/dialect/plain_writer.hpp"

namespace dragoman {
namespace {

constexpr std::array<Target, 3> kTargets = {Target::wxcode, Target::question, Target::markers};

}  // namespace

std::string_view name(Target target) {
  switch (target) {
    case Target::wxcode:
      return "wxcode";
    case Target::question:
      return "question";
    case Target::markers:
      return "markers";
  }
  return {};
}

std::optional<Target> target_named(std::string_view wanted) {
  const auto* const found =
      std::ranges::find(kTargets, wanted, [](Target target) { return name(target); });
  if (found == kTargets.end()) return std::nullopt;
  return *found;
}

std::span<const Target> all_targets() { return kTargets; }

std::unique_ptr<Writer> make_writer(Target target) {
  switch (target) {
    case Target::wxcode:
      return std::make_unique<PlainWriter>(MarkerFamily::wxcode);
    case Target::question:
      return std::make_unique<PlainWriter>(MarkerFamily::question);
    case Target::markers:
      return std::make_unique<PlainWriter>(MarkerFamily::markers);
  }
  return nullptr;
}

}  // namespace dragoman
