// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dragoman/base/utf8.hpp"
#include "tests/support/stand_in.hpp"

namespace dragoman::test {

using nlohmann::json;

std::vector<Post> DiscordStandIn::posts() const {
  const std::lock_guard lock(mutex_);
  std::vector<Post> out;
  std::ranges::copy_if(all_, std::back_inserter(out), &Post::ours);
  return out;
}

void DiscordStandIn::reply(const std::string& to, const std::string& user,
                           const std::string& content) {
  const std::lock_guard lock(mutex_);
  all_.push_back({std::to_string(next_++), content,
                  json{{"message_reference", {{"message_id", to}}}}, user, false, 0});
}

void DiscordStandIn::react(const std::string& message, const std::string& user,
                           const std::string& emoji) {
  const std::lock_guard lock(mutex_);
  reactions_.push_back({{"message", message}, {"user", user}, {"emoji", emoji}});
}

std::string DiscordStandIn::check(const json& body) const {
  if (!body.is_object()) return "not an object";
  if (utf8::count(body.value("content", "")) > 2000) return "content has more than 2000 characters";
  if (body["allowed_mentions"]["parse"] != json::array()) return "mentions are not switched off";
  if (body.value("nonce", "").size() > 25) return "nonce is too long";
  const json components = body.value("components", json::array());
  if (components.size() > 5) return "more than 5 rows";
  for (const json& row : components) {
    if (row["components"].empty() || row["components"].size() > 5) return "row of a wrong size";
    for (const json& part : row["components"]) {
      const std::string id = part["custom_id"];
      if (id.empty() || id.size() > 100) return "bad custom_id";
      if (part["type"] == 2) {
        const std::string label = part["label"];
        if (label.empty() || utf8::count(label) > 80) return "bad label of a button";
      } else {
        if (part["options"].empty() || part["options"].size() > 25) return "bad number of options";
        for (const json& option : part["options"]) {
          if (utf8::count(option["label"].get<std::string>()) > 100 ||
              utf8::count(option.value("description", "")) > 100)
            return "option is too long";
        }
      }
    }
  }
  return "";
}

WireResponse DiscordStandIn::post(const WireRequest& request) {
  const json body = json::parse(request.body, nullptr, false);
  if (const std::string why = check(body); !why.empty()) return refuse(400, why);
  const std::string nonce = body.value("nonce", "");
  if (!nonce.empty() && body.value("enforce_nonce", false)) {
    for (const Post& post : all_) {
      if (post.json.value("nonce", "") == nonce)
        return {200, {}, json{{"id", post.id}, {"content", post.text}}.dump()};
    }
  }
  all_.push_back({std::to_string(next_++), body["content"], body, "bot", true, 0});
  return {200, {}, json{{"id", all_.back().id}, {"content", all_.back().text}}.dump()};
}

WireResponse DiscordStandIn::serve(const WireRequest& request) {
  const auto agent = request.fields.find("user-agent");
  if (agent == request.fields.end() || !agent->second.starts_with("DiscordBot ("))
    return refuse(403, "blocked by Cloudflare: no DiscordBot User-Agent");
  const auto auth = request.fields.find("authorization");
  if (auth == request.fields.end() || auth->second != "Bot dc-token")
    return refuse(401, "bad token");
  const std::string base = "/channels/77/messages";
  if (!request.path.starts_with(base)) return refuse(404, "no such path");
  const std::string rest = request.path.substr(base.size());
  if (rest.empty() && request.method == "POST") return post(request);
  if (rest.empty()) {
    json list = json::array();
    const auto after = request.query.find("after");
    const auto limit = request.query.find("limit");
    const std::size_t most = limit == request.query.end() ? 50 : std::stoul(limit->second);
    if (most > 100) return refuse(400, "limit is 1 to 100");
    // Behind `after` the oldest, otherwise the newest; in either case the newest of them first.
    std::vector<const Post*> page;
    for (const Post& post : all_) {
      if (after != request.query.end() && std::stoull(post.id) <= std::stoull(after->second))
        continue;
      page.push_back(&post);
    }
    if (page.size() > most) {
      const auto excess = static_cast<std::ptrdiff_t>(page.size() - most);
      after != request.query.end() ? page.erase(page.end() - excess, page.end())
                                   : page.erase(page.begin(), page.begin() + excess);
    }
    for (auto post = page.rbegin(); post != page.rend(); ++post) {
      const Post* const it = *post;
      json message = {
          {"id", it->id},
          {"content", it->text},
          {"author", {{"id", it->author}, {"username", it->author}, {"bot", it->ours}}}};
      if (it->json.contains("message_reference"))
        message["message_reference"] = it->json["message_reference"];
      list.push_back(message);
    }
    return {200, {}, list.dump()};
  }
  const std::string id = rest.substr(1, rest.find('/', 1) - 1);
  const auto found = std::ranges::find(all_, id, &Post::id);
  if (found == all_.end()) return refuse(404, "Unknown Message");
  if (rest.find("/reactions/") != std::string::npos) {
    if (request.method == "PUT") return {204};
    const std::string emoji = url_decoded(rest.substr(rest.find("/reactions/") + 11));
    json list = json::array();
    for (const json& reaction : reactions_) {
      if (reaction["message"] == id && reaction["emoji"] == emoji)
        list.push_back({{"id", reaction["user"]}, {"username", reaction["user"]}});
    }
    return {200, {}, list.dump()};
  }
  const json body = json::parse(request.body, nullptr, false);
  if (const std::string why = check(body); !why.empty()) return refuse(400, why);
  found->text = body["content"];
  found->json = body;
  ++found->edits;
  return {200, {}, "{}"};
}

}  // namespace dragoman::test
