// SPDX-License-Identifier: Apache-2.0
// Messages on Slack. Pure. All words of an agent go into plain_text objects, in which Slack takes
// nothing for markup, a mention or a link.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/surface/surface.hpp"

namespace dragoman::surface {

// The body of chat.postMessage; with `ts` that of chat.update.
[[nodiscard]] std::string slack_body(const Message& message, std::string_view channel,
                                     std::string_view ts);
// The body of views.open: a modal for words.
[[nodiscard]] std::string slack_modal(std::string_view trigger, std::string_view ref, Words words);
// The fallback text of a notification: Slack reads three characters in it.
[[nodiscard]] std::string slack_text(std::string_view text, std::size_t most);

}  // namespace dragoman::surface
