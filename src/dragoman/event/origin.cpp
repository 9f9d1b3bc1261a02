// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/origin.hpp"

#include <array>
#include <cstddef>

namespace dragoman {
namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, 7> kDialects = {"text",   "wxcode", "question", "markers",
                                                       "claude", "codex",  "delegator"};
constexpr std::array<std::string_view, 2> kStreams = {"stdout", "stderr"};
constexpr std::array<std::string_view, 14> kChannels = {
    "assistant_text", "stdout",     "stderr",      "subagent_text", "synthetic_text",
    "thinking",       "tool_input", "tool_result", "user",          "result",
    "partial",        "system",     "control",     "noise"};

template <typename Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view wanted) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == wanted) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Dialect dialect) { return kDialects[static_cast<std::size_t>(dialect)]; }
std::string_view name(Stream stream) { return kStreams[static_cast<std::size_t>(stream)]; }
std::string_view name(Channel channel) { return kChannels[static_cast<std::size_t>(channel)]; }

std::optional<Dialect> dialect_named(std::string_view name) {
  return find<Dialect>(kDialects, name);
}
std::optional<Stream> stream_named(std::string_view name) { return find<Stream>(kStreams, name); }
std::optional<Channel> channel_named(std::string_view name) {
  return find<Channel>(kChannels, name);
}

}  // namespace dragoman
