// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/slack_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/json/writer.hpp"

namespace dragoman::surface {
namespace {

constexpr std::size_t kSection = 3000;
constexpr std::size_t kHeader = 150;
constexpr std::size_t kButton = 75;
constexpr std::size_t kMostSlackButtons = 20;
constexpr std::size_t kMostSlackChoices = 100;

void put_plain(json::Writer& w, std::string_view text) {
  w.begin_object().name("type").string("plain_text").name("text").string(text);
  w.name("emoji").boolean(false).end_object();
}

// Empty texts are refused.
void put_section(json::Writer& w, const std::string& text) {
  if (text.find_first_not_of(" \n\t") == std::string::npos) return;
  w.begin_object().name("type").string("section").name("text");
  put_plain(w, text);
  w.end_object();
}

std::string label_of(const Message& message, std::size_t i) {
  return fmt::format("{}. {}", i + 1, one_line_of(message.asked.options[i].label, kButton - 6));
}

void put_button(json::Writer& w, std::string_view id, std::string_view label,
                std::string_view value, std::string_view style) {
  w.begin_object().name("type").string("button").name("action_id").string(id);
  w.name("text");
  put_plain(w, label);
  w.name("value").string(value);
  if (!style.empty()) w.name("style").string(style);
  w.end_object();
}

void put_slack_select(json::Writer& w, const Message& message) {
  w.begin_object();
  w.name("type").string(message.asked.multi_select ? "multi_static_select" : "static_select");
  w.name("action_id").string(message.ref + ":pick");
  w.name("placeholder");
  put_plain(w, "Choose…");
  w.name("options").begin_array();
  for (std::size_t i = 0; i < std::min(message.asked.options.size(), kMostSlackChoices); ++i) {
    w.begin_object().name("text");
    put_plain(w, label_of(message, i));
    w.name("value").string(std::to_string(i + 1)).end_object();
  }
  w.end_array().end_object();
}

void put_actions(json::Writer& w, const Message& message) {
  w.begin_object().name("type").string("actions").name("block_id").string(message.ref);
  w.name("elements").begin_array();
  if (message.asked.multi_select || message.asked.options.size() > kMostSlackButtons) {
    put_slack_select(w, message);
  } else {
    for (std::size_t i = 0; i < message.asked.options.size(); ++i) {
      const bool abort =
          message.topic == Topic::failure && message.asked.options[i].label == "Abort";
      put_button(w, fmt::format("{}:{}", message.ref, i + 1), label_of(message, i),
                 std::to_string(i + 1), abort ? "danger" : "");
    }
  }
  if (message.asked.free_text || message.asked.options.size() > kMostSlackChoices)
    put_button(w, message.ref + ":other",
               message.takes_reason() ? "Deny, and say why…" : "Write an answer…",
               message.takes_reason() ? "why" : "other", "primary");
  w.end_array().end_object();
}

std::string descriptions_of(const Message& message) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(message.asked.options.size(), 20); ++i) {
    if (!message.asked.options[i].description.empty())
      out += fmt::format("{}. {}\n", i + 1, one_line_of(message.asked.options[i].description, 120));
  }
  return out;
}

}  // namespace

std::string slack_text(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : shortened(text, most)) {
    if (c == '&') {
      out.append("&amp;");
    } else if (c == '<') {
      out.append("&lt;");
    } else if (c == '>') {
      out.append("&gt;");
    } else {
      out.push_back(c);
      if (c == '@') out.append("\xE2\x80\x8B");
    }
  }
  return out;
}

std::string slack_body(const Message& message, std::string_view channel, std::string_view ts) {
  std::string out;
  json::Writer w(out);
  w.begin_object().name("channel").string(channel);
  if (!ts.empty()) w.name("ts").string(ts);
  w.name("text").string(fmt::format("{} ({})", slack_text(message.title, 100), message.ref));
  w.name("mrkdwn").boolean(false).name("parse").string("none").name("link_names").boolean(false);
  w.name("unfurl_links").boolean(false).name("unfurl_media").boolean(false);
  w.name("blocks").begin_array();
  w.begin_object().name("type").string("header").name("text");
  put_plain(w, one_line_of(message.title, kHeader));
  w.end_object();
  put_section(w, shortened(message.text, kSection));
  if (message.asks()) {
    put_section(w, descriptions_of(message));
    put_actions(w, message);
  }
  if (!message.outcome.empty()) put_section(w, shortened(message.outcome, 500));
  w.begin_object().name("type").string("context").name("elements").begin_array();
  put_plain(w, fmt::format("{} · {}", one_line_of(message.task_id, 80), message.ref));
  w.end_array().end_object();
  w.end_array();
  w.name("metadata").begin_object().name("event_type").string("dragoman");
  w.name("event_payload").begin_object().name("ref").string(message.ref).end_object().end_object();
  w.end_object();
  return out;
}

std::string slack_modal(std::string_view trigger, std::string_view ref, Words words) {
  const bool why = words == Words::reason;
  std::string out;
  json::Writer w(out);
  w.begin_object().name("trigger_id").string(trigger).name("view").begin_object();
  w.name("type").string("modal").name("callback_id").string(why ? "dragoman-reason" : "dragoman");
  w.name("private_metadata").string(ref);
  w.name("title");
  put_plain(w, why ? "Deny it" : "Your answer");
  w.name("submit");
  put_plain(w, why ? "Deny" : "Answer");
  w.name("blocks").begin_array().begin_object();
  w.name("type").string("input").name("block_id").string("answer").name("label");
  put_plain(w, why ? "Why" : "Answer");
  w.name("element").begin_object().name("type").string("plain_text_input");
  w.name("action_id").string("words").name("multiline").boolean(true).end_object();
  w.end_object().end_array().end_object().end_object();
  return out;
}

}  // namespace dragoman::surface
