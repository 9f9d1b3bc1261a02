// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/discord_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::surface {
namespace {

constexpr std::size_t kContent = 2000;
constexpr std::size_t kButtonLabel = 80;
constexpr std::size_t kSelectLabel = 100;
constexpr std::size_t kMostDiscordButtons = 20;  // in four rows; the fifth is for words
constexpr std::size_t kMostDiscordChoices = 25;
constexpr std::int64_t kNoEmbeds = 4;

enum ButtonStyle : std::int64_t { primary = 1, secondary = 2 };

void put_button(json::Writer& w, std::string_view id, std::string_view label, ButtonStyle style) {
  w.begin_object().name("type").integer(2).name("style").integer(style);
  w.name("label").string(label).name("custom_id").string(id).end_object();
}

// Labels may be empty or all blanks, which Discord refuses.
std::string label_of(const Message& message, std::size_t i, std::size_t most) {
  const std::string label = one_line_of(message.asked.options[i].label, most - 4);
  return label.find_first_not_of(' ') == std::string::npos ? fmt::format("{}", i + 1)
                                                           : fmt::format("{}. {}", i + 1, label);
}

void put_discord_select(json::Writer& w, const Message& message) {
  const std::size_t count = std::min(message.asked.options.size(), kMostDiscordChoices);
  w.begin_object().name("type").integer(1).name("components").begin_array();
  w.begin_object().name("type").integer(3).name("custom_id").string(message.ref + ":pick");
  w.name("min_values").integer(1);
  w.name("max_values").count(message.asked.multi_select ? count : 1);
  w.name("options").begin_array();
  for (std::size_t i = 0; i < count; ++i) {
    w.begin_object().name("label").string(label_of(message, i, kSelectLabel));
    w.name("value").string(std::to_string(i + 1));
    if (!message.asked.options[i].description.empty())
      w.name("description").string(one_line_of(message.asked.options[i].description, kSelectLabel));
    w.end_object();
  }
  w.end_array().end_object().end_array().end_object();
}

void put_buttons(json::Writer& w, const Message& message) {
  for (std::size_t row = 0; row < message.asked.options.size(); row += 5) {
    w.begin_object().name("type").integer(1).name("components").begin_array();
    for (std::size_t i = row; i < std::min(row + 5, message.asked.options.size()); ++i)
      put_button(w, fmt::format("{}:{}", message.ref, i + 1), label_of(message, i, kButtonLabel),
                 secondary);
    w.end_array().end_object();
  }
}

void put_components(json::Writer& w, const Message& message) {
  w.name("components").begin_array();
  if (message.asks()) {
    const bool select =
        message.asked.multi_select || message.asked.options.size() > kMostDiscordButtons;
    if (!message.asked.options.empty())
      select ? put_discord_select(w, message) : put_buttons(w, message);
    if (message.asked.free_text || message.asked.options.size() > kMostDiscordChoices) {
      w.begin_object().name("type").integer(1).name("components").begin_array();
      if (message.takes_reason()) {
        put_button(w, message.ref + ":why", "Deny, and say why…", primary);
      } else {
        put_button(w, message.ref + ":other", "Write an answer…", primary);
      }
      w.end_array().end_object();
    }
  }
  w.end_array();
}

std::string content_of(const Message& message, Controls controls) {
  std::string tail;
  if (!message.outcome.empty()) tail += "\n**" + discord_text(message.outcome, 400) + "**";
  if (message.asks() && controls == Controls::reactions) {
    for (std::size_t i = 0; i < std::min(message.asked.options.size(), kDiscordNumbers); ++i)
      tail += fmt::format("\n{} {}", discord_number(i + 1),
                          discord_text(message.asked.options[i].label, 80));
    tail += fmt::format("\nReact with a number, or reply to this message{}.",
                        message.asked.options.empty() ? " with your words"
                        : message.takes_reason()      ? " with y, n, or \"no: \" and the reason"
                                                      : "");
  } else if (message.asks() && !message.asked.options.empty()) {
    for (std::size_t i = 0; i < std::min<std::size_t>(message.asked.options.size(), 10); ++i) {
      if (!message.asked.options[i].description.empty())
        tail += fmt::format("\n{}\\. {}", i + 1,
                            discord_text(message.asked.options[i].description, 60));
    }
  }
  tail += fmt::format("\n-# {} · `{}`", discord_text(message.task_id, 60), message.ref);
  const std::string head = fmt::format("**{}**\n", discord_text(message.title, 100));
  const std::size_t used = utf8::count(head) + utf8::count(tail);
  // Escaping can double it.
  std::size_t room = used + 50 < kContent ? kContent - used - 50 : 0;
  std::string text = discord_text(message.text, room);
  while (utf8::count(text) + used > kContent && room > 10) {
    room /= 2;
    text = discord_text(message.text, room);
  }
  return head + text + tail;
}

}  // namespace

std::string discord_number(std::size_t option) {
  if (option == 10) return "🔟";
  return option >= 1 && option < 10 ? fmt::format("{}\xEF\xB8\x8F\xE2\x83\xA3", option) : "";
}

std::string discord_text(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : shortened(text, most)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool mark =
        byte < 0x80 && std::string_view("\\`*_~|>#[]()<:-+@").find(c) != std::string_view::npos;
    if (mark) out.push_back('\\');
    out.push_back(c);
    if (c == '@') out.append("\xE2\x80\x8B");  // names of people are looked for behind all markup
  }
  return out;
}

std::string discord_body(const Message& message, Controls controls, bool first) {
  std::string out;
  json::Writer w(out);
  w.begin_object().name("content").string(content_of(message, controls));
  w.name("allowed_mentions").begin_object().name("parse").begin_array().end_array().end_object();
  w.name("flags").integer(kNoEmbeds);
  if (controls == Controls::components) put_components(w, message);
  if (first) w.name("nonce").string(message.ref).name("enforce_nonce").boolean(true);
  w.end_object();
  return out;
}

std::string discord_modal(std::string_view ref, Words words) {
  const bool why = words == Words::reason;
  std::string out;
  json::Writer w(out);
  w.begin_object().name("type").integer(9).name("data").begin_object();
  w.name("custom_id").string(std::string(ref) + (why ? ":reason" : ":text"));
  w.name("title").string(why ? "Deny it" : "Your answer");
  w.name("components").begin_array().begin_object();
  w.name("type").integer(18).name("label").string(why ? "Why" : "Answer");
  w.name("component").begin_object().name("type").integer(4).name("custom_id").string("answer");
  w.name("style").integer(2).name("max_length").integer(4000).name("required").boolean(true);
  w.end_object().end_object().end_array().end_object().end_object();
  return out;
}

}  // namespace dragoman::surface
