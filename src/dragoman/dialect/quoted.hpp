// SPDX-License-Identifier: Apache-2.0
// Why a marker is quoted text and has no effect.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

enum class Quoted : std::uint8_t { no, fence, indented, block_quote, code_span, echo, subagent };

[[nodiscard]] constexpr std::string_view name(Quoted why) {
  switch (why) {
    case Quoted::no:
      return "";
    case Quoted::fence:
      return "fence";
    case Quoted::indented:
      return "indented";
    case Quoted::block_quote:
      return "block_quote";
    case Quoted::code_span:
      return "code_span";
    case Quoted::echo:
      return "echo";
    case Quoted::subagent:
      return "subagent";
  }
  return "";
}

}  // namespace dragoman
