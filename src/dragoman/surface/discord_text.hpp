// SPDX-License-Identifier: Apache-2.0
// Messages on Discord. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/surface/surface.hpp"

namespace dragoman::surface {

// With buttons or a select where somebody listens to them, else with numbers to react with.
enum class Controls : std::uint8_t { components, reactions };

// The body for POST and PATCH. `nonce` only when it is posted.
[[nodiscard]] std::string discord_body(const Message& message, Controls controls, bool first);
// The modal that asks for words, as the answer to a click.
[[nodiscard]] std::string discord_modal(std::string_view ref, Words words);

// An agent's words with nothing that Discord would take for markup or a mention.
[[nodiscard]] std::string discord_text(std::string_view text, std::size_t most);

inline constexpr std::size_t kDiscordNumbers = 10;
// "1️⃣" for 1 to "🔟" for 10; empty for others.
[[nodiscard]] std::string discord_number(std::size_t option);

}  // namespace dragoman::surface
