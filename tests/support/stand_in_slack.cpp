// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "tests/support/stand_in.hpp"

namespace dragoman::test {

using nlohmann::json;

std::vector<Post> SlackStandIn::posts() const {
  const std::lock_guard lock(mutex_);
  return all_;
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

WireResponse SlackStandIn::serve(const WireRequest& request) {
  const auto auth = request.fields.find("authorization");
  if (auth == request.fields.end() || auth->second != "Bearer xoxb-token") {
    refuse(200, "not_authed");
    return {200, {}, R"({"ok":false,"error":"not_authed"})"};
  }
  const std::string method = request.path.substr(1);
  if (method == "conversations.history") {
    json list = json::array();
    for (auto it = all_.rbegin(); it != all_.rend(); ++it)
      list.push_back(
          {{"ts", it->id}, {"text", it->json["text"]}, {"metadata", it->json["metadata"]}});
    return {200, {}, json{{"ok", true}, {"messages", list}}.dump()};
  }
  const json body = json::parse(request.body, nullptr, false);
  if (method == "chat.postMessage" || method == "chat.update") {
    if (const std::string why = check(body); !why.empty()) {
      refuse(200, why);
      return {200, {}, json{{"ok", false}, {"error", why}}.dump()};
    }
    if (method == "chat.postMessage") {
      all_.push_back({fmt::format("1700000000.{:06}", next_++), body.dump(), body, "bot", true, 0});
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
