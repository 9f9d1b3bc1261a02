// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/claude_suggestions.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "dragoman/json/cursor.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kMostUpdates = 64;

struct Rule {
  std::string tool;
  std::string content;
};

// One change, as far as it is one that may be made.
struct Update {
  std::string type;
  std::string destination;
  std::string behavior;
  std::string mode;
  std::vector<Rule> rules;
  std::vector<std::string> directories;

  [[nodiscard]] bool known() const {
    if (type == "addRules") return behavior == "allow" && !rules.empty();
    if (type == "addDirectories") return !directories.empty();
    return type == "setMode" && mode == "acceptEdits";
  }
  [[nodiscard]] bool lasts() const { return destination.ends_with("Settings"); }
};

std::string string_in(const json::Value& value) {
  return value.is(json::Kind::string) ? value.text().str() : std::string();
}

std::vector<Rule> rules_in(std::string_view list) {
  std::vector<Rule> rules;
  json::Cursor c(list);
  for (json::Elements elements(c); elements.next();) {
    if (!c.next_is(json::Kind::object)) {
      c.skip();
      continue;
    }
    Rule rule;
    json::Members members(c);
    for (std::string_view key; members.next(key);) {
      const std::string name(key);
      const std::string text = string_in(c.take());
      if (name == "toolName") rule.tool = text;
      if (name == "ruleContent") rule.content = text;
    }
    if (!rule.tool.empty()) rules.push_back(std::move(rule));
  }
  return rules;
}

std::vector<std::string> strings_in(std::string_view list) {
  std::vector<std::string> out;
  json::Cursor c(list);
  for (json::Elements elements(c); elements.next();) {
    if (std::string text = string_in(c.take()); !text.empty()) out.push_back(std::move(text));
  }
  return out;
}

Update update_in(json::Cursor& c) {
  Update update;
  json::Members members(c);
  for (std::string_view key; members.next(key);) {
    const std::string name(key);
    const json::Value value = c.take();
    const bool is_list = value.is(json::Kind::array);
    if (name == "type") update.type = string_in(value);
    if (name == "destination") update.destination = string_in(value);
    if (name == "behavior") update.behavior = string_in(value);
    if (name == "mode") update.mode = string_in(value);
    if (name == "rules" && is_list) update.rules = rules_in(value.raw);
    if (name == "directories" && is_list) update.directories = strings_in(value.raw);
  }
  return update;
}

std::vector<Update> updates_in(std::string_view suggestions) {
  std::vector<Update> updates;
  json::Cursor c(suggestions);
  if (!c.next_is(json::Kind::array)) return updates;
  for (json::Elements elements(c); elements.next();) {
    if (!c.next_is(json::Kind::object)) {
      c.skip();
      continue;
    }
    Update update = update_in(c);
    if (update.known() && updates.size() < kMostUpdates) updates.push_back(std::move(update));
  }
  if (!c.finish()) return {};
  const bool rules = std::ranges::any_of(updates, [](const Update& u) { return !u.rules.empty(); });
  if (rules) std::erase_if(updates, [](const Update& update) { return update.type == "setMode"; });
  return updates;
}

void put_update(json::Writer& w, const Update& update, std::string_view destination) {
  w.begin_object().key("type").string(update.type);
  if (update.type == "addRules") {
    w.key("rules").begin_array();
    for (const Rule& rule : update.rules) {
      w.begin_object().key("toolName").string(rule.tool);
      if (!rule.content.empty()) w.key("ruleContent").string(rule.content);
      w.end_object();
    }
    w.end_array().key("behavior").string(update.behavior);
  } else if (update.type == "addDirectories") {
    w.key("directories").begin_array();
    for (const std::string& directory : update.directories) w.string(directory);
    w.end_array();
  } else {
    w.key("mode").string(update.mode);
  }
  w.key("destination").string(destination).end_object();
}

}  // namespace

std::string permission_updates(std::string_view suggestions, Grant grant) {
  std::string out;
  if (grant != Grant::allow_session && grant != Grant::allow_always) return out;
  const std::vector<Update> updates = updates_in(suggestions);
  const bool always = grant == Grant::allow_always;
  if (updates.empty() || (always && std::ranges::none_of(updates, &Update::lasts))) return out;
  json::Writer w(out);
  w.begin_array();
  for (const Update& update : updates) {
    put_update(w, update,
               always && update.lasts() ? std::string_view(update.destination)
                                        : std::string_view("session"));
  }
  w.end_array();
  return out;
}

std::string permission_words(std::string_view updates) {
  std::string out;
  const auto add = [&out](const std::string& words) {
    if (!out.empty()) out += ", ";
    out += words;
  };
  for (const Update& update : updates_in(updates)) {
    for (const Rule& rule : update.rules) {
      add(rule.content.empty() ? rule.tool : fmt::format("{}({})", rule.tool, rule.content));
    }
    for (const std::string& directory : update.directories) add("the directory " + directory);
    if (update.type == "setMode") add("all edits");
  }
  return out;
}

}  // namespace dragoman
