// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/writer.hpp"

#include <algorithm>
#include <array>

#include "dragoman/dialect/acp_writer.hpp"
#include "dragoman/dialect/ag_ui_writer.hpp"
#include "dragoman/dialect/claude_writer.hpp"
#include "dragoman/dialect/delegator_writer.hpp"
#include "dragoman/dialect/otlp_writer.hpp"
#include "dragoman/dialect/plain_writer.hpp"
#include "dragoman/dialect/settling_writer.hpp"

namespace dragoman {
namespace {

constexpr std::array<Target, 8> kTargets = {Target::wxcode, Target::question,  Target::markers,
                                            Target::claude, Target::delegator, Target::ag_ui,
                                            Target::acp,    Target::otlp};

}  // namespace

std::string_view name(Target target) {
  switch (target) {
    case Target::wxcode:
      return "wxcode";
    case Target::question:
      return "question";
    case Target::markers:
      return "markers";
    case Target::claude:
      return "claude";
    case Target::delegator:
      return "delegator";
    case Target::ag_ui:
      return "ag-ui";
    case Target::acp:
      return "acp";
    case Target::otlp:
      return "otlp";
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

namespace {

using Waits = SettlingWriter::Waits;

std::unique_ptr<Writer> settled(MarkerFamily family) {
  return std::make_unique<SettlingWriter>(
      Waits::for_answers_too, [family] { return std::make_unique<PlainWriter>(family); });
}

template <typename W>
std::unique_ptr<Writer> settled() {
  return std::make_unique<SettlingWriter>(Waits::for_growth, [] { return std::make_unique<W>(); });
}

}  // namespace

std::unique_ptr<Writer> make_writer(Target target, WriterOptions options) {
  switch (target) {
    case Target::wxcode:
      return settled(MarkerFamily::wxcode);
    case Target::question:
      return settled(MarkerFamily::question);
    case Target::markers:
      return settled(MarkerFamily::markers);
    case Target::claude:
      return settled<ClaudeWriter>();
    case Target::delegator:
      return std::make_unique<DelegatorWriter>(options);
    case Target::ag_ui:
      return settled<AgUiWriter>();
    case Target::acp:
      return settled<AcpWriter>();
    case Target::otlp:
      return settled<OtlpWriter>();
  }
  return nullptr;
}

}  // namespace dragoman
