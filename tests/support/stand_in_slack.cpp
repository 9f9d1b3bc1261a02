// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "tests/support/stand_in.hpp"

namespace dragoman::test {

using nlohmann::json;

std::vector<Post> SlackStandIn::posts() const {
  const std::lock_guard lock(mutex_);
  std::vector<Post> out;
  std::ranges::copy_if(all_, std::back_inserter(out), &Post::ours);
  return out;
}

std::string SlackStandIn::next_id() { return fmt::format("{}.{:06}", std::time(nullptr), next_++); }

void SlackStandIn::say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  all_.push_back({next_id(), text, json{{"text", text}}, "U9", false, 0});
}

std::vector<json> SlackStandIn::calls(const std::string& method) const {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(method);
  return found == calls_.end() ? std::vector<json>() : found->second;
}

std::string SlackStandIn::check(const json& body) const {
  if (!body.is_object()) return "invalid_json";
  if (body.value("channel", "") != "C7") return "channel_not_found";
  const json blocks = body.value("blocks", json::array());
  if (blocks.size() > 50) return "too many blocks";
  for (const json& block : blocks) {
    if (block["type"] == "section" && block["text"]["type"] != "plain_text") return "markup";
    if (block["type"] == "section" && utf8::count(block["text"]["text"].get<std::string>()) > 3000)
      return "section has more than 3000 characters";
    if (block["type"] == "header" && utf8::count(block["text"]["text"].get<std::string>()) > 150)
      return "header is too long";
    if (block["type"] != "actions") continue;
    if (block["elements"].empty() || block["elements"].size() > 25) return "bad actions";
    for (const json& element : block["elements"]) {
      if (element["type"] == "button" &&
          utf8::count(element["text"]["text"].get<std::string>()) > 75)
        return "button is too long";
    }
  }
  return "";
}

// The newest first, from the cursor on; pages behind the first have one.
WireResponse SlackStandIn::history(const WireRequest& request) {
  const auto given = [&request](const char* name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? std::string() : found->second;
  };
  const std::size_t most = given("limit").empty() ? 100 : std::stoul(given("limit"));
  const std::size_t from = given("cursor").empty() ? 0 : std::stoul(given("cursor").substr(1));
  json list = json::array();
  std::size_t at = 0;
  std::string next;
  for (auto it = all_.rbegin(); it != all_.rend(); ++it) {
    if (std::stod(it->id) <= (given("oldest").empty() ? 0 : std::stod(given("oldest")))) break;
    if (at++ < from) continue;
    if (list.size() == most) {
      next = fmt::format("={}", at - 1);
      break;
    }
    list.push_back(
        {{"ts", it->id}, {"text", it->json["text"]}, {"metadata", it->json["metadata"]}});
  }
  json page = {{"ok", true}, {"messages", list}, {"has_more", !next.empty()}};
  if (!next.empty()) page["response_metadata"] = {{"next_cursor", next}};
  return {200, {}, page.dump()};
}

WireResponse SlackStandIn::serve(const WireRequest& request) {
  const auto auth = request.fields.find("authorization");
  if (auth == request.fields.end() || auth->second != "Bearer xoxb-token") {
    refuse(200, "not_authed");
    return {200, {}, R"({"ok":false,"error":"not_authed"})"};
  }
  const std::string method = request.path.substr(1);
  if (method == "conversations.history") return history(request);
  const json body = json::parse(request.body, nullptr, false);
  if (method == "chat.postMessage" || method == "chat.update") {
    if (const std::string why = check(body); !why.empty()) {
      refuse(200, why);
      return {200, {}, json{{"ok", false}, {"error", why}}.dump()};
    }
    if (method == "chat.postMessage") {
      all_.push_back({next_id(), body.dump(), body, "bot", true, 0});
    } else {
      const auto found = std::ranges::find(all_, body.value("ts", ""), &Post::id);
      if (found == all_.end()) return {200, {}, R"({"ok":false,"error":"message_not_found"})"};
      found->json = body;
      found->text = body.dump();
      ++found->edits;
      return {200, {}, R"({"ok":true})"};
    }
    return {200, {}, json{{"ok", true}, {"ts", all_.back().id}}.dump()};
  }
  calls_[method].push_back(body);
  return {200, {}, R"({"ok":true})"};
}

}  // namespace dragoman::test
