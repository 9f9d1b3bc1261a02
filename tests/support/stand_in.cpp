// SPDX-License-Identifier: Apache-2.0
#include "tests/support/stand_in.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/base/utf8.hpp"

namespace dragoman::test {
namespace {

using nlohmann::json;

std::string decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out.push_back(static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)));
      i += 2;
    } else {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

WireRequest parse(const std::string& head) {
  WireRequest request;
  std::istringstream lines(head);
  std::string target;
  lines >> request.method >> target;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "\r") {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string value = line.substr(std::min(line.size(), colon + 2));
    if (value.ends_with('\r')) value.pop_back();
    request.fields[lower(line.substr(0, colon))] = value;
  }
  const std::size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  std::istringstream pairs(mark == std::string::npos ? "" : target.substr(mark + 1));
  for (std::string pair; std::getline(pairs, pair, '&');) {
    const std::size_t equals = pair.find('=');
    request.query[pair.substr(0, equals)] =
        equals == std::string::npos ? "" : decoded(pair.substr(equals + 1));
  }
  return request;
}

}  // namespace

StandIn::StandIn() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(listener_, 64), 0);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

StandIn::~StandIn() { stop(); }

void StandIn::stop() {
  if (listener_ < 0) return;
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  for (auto& talk : talks_) talk.join();
  ::close(std::exchange(listener_, -1));
}

std::string StandIn::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

void StandIn::accept_all() {
  for (;;) {
    const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) return;
    const timeval patience{5, 0};
    ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    talks_.emplace_back([this, peer] { talk(peer); });
  }
}

void StandIn::talk(int peer) {
  std::string bytes;
  std::array<char, 8192> buffer;
  const auto more = [&] {
    const auto got = ::read(peer, buffer.data(), buffer.size());
    if (got > 0) bytes.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  };
  std::size_t end = 0;
  while ((end = bytes.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) {
      ::close(peer);
      return;
    }
  }
  WireRequest request = parse(bytes.substr(0, end + 2));
  const std::size_t length = std::strtoul(request.fields["content-length"].c_str(), nullptr, 10);
  while (bytes.size() < end + 4 + length && more()) {
  }
  request.body = bytes.substr(end + 4, length);
  WireResponse response;
  bool dropped = false;
  {
    const std::lock_guard lock(mutex_);
    ++requests_;
    response = answer(request);
    dropped = request.method != "GET" && response.status < 300 &&
              std::uniform_real_distribution<>(0, 1)(random_) < drop_;
  }
  if (!dropped) {
    std::string out =
        fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n", response.status,
                    response.status == 204 || response.status == 304 ? 0 : response.body.size());
    for (const auto& [name, value] : response.fields) out += name + ": " + value + "\r\n";
    out += "\r\n";
    if (response.status != 204 && response.status != 304) out += response.body;
    (void)!::send(peer, out.data(), out.size(), MSG_NOSIGNAL);
  }
  ::close(peer);
}

WireResponse StandIn::answer(const WireRequest& request) {
  const auto now = std::chrono::steady_clock::now();
  if (throttled_ && now < closed_until_) {
    if (std::exchange(announced_, true)) ++early_;
    return *throttled_;
  }
  throttled_.reset();
  return serve(request);
}

void StandIn::throttle(std::chrono::milliseconds time, WireResponse answer) {
  const std::lock_guard lock(mutex_);
  throttled_ = std::move(answer);
  closed_until_ = std::chrono::steady_clock::now() + time;
  announced_ = false;
}

std::vector<std::string> StandIn::complaints() const {
  const std::lock_guard lock(mutex_);
  return complaints_;
}

WireResponse StandIn::refuse(int status, const std::string& why) {
  complaints_.push_back(why);
  return {status, {}, json{{"message", why}}.dump()};
}

// GitHub

namespace {
constexpr const char* kTime = "2026-11-16T04:00:00Z";
}

std::vector<Post> GithubStandIn::posts() const {
  const std::lock_guard lock(mutex_);
  std::vector<Post> out;
  std::ranges::copy_if(all_, std::back_inserter(out), &Post::ours);
  return out;
}

std::string GithubStandIn::comment(const std::string& login, const std::string& body,
                                   const std::string& type) {
  const std::lock_guard lock(mutex_);
  const std::string id = std::to_string(next_++);
  all_.push_back({id, body, json{{"type", type}}, login, false, 0});
  ++version_;
  return id;
}

void GithubStandIn::react(const std::string& comment, const std::string& login,
                          const std::string& content) {
  const std::lock_guard lock(mutex_);
  reactions_.push_back({{"id", next_++},
                        {"comment", comment},
                        {"user", {{"login", login}, {"type", "User"}}},
                        {"content", content}});
  ++version_;
}

WireResponse GithubStandIn::serve(const WireRequest& request) {
  const auto field = [&](const char* name) {
    const auto found = request.fields.find(name);
    return found == request.fields.end() ? std::string() : found->second;
  };
  if (field("user-agent").empty()) return refuse(403, "no User-Agent");
  if (field("authorization") != "Bearer gh-token") return refuse(401, "bad token");
  if (field("accept") != "application/vnd.github+json") return refuse(415, "no Accept");
  if (field("x-github-api-version") != "2022-11-28") return refuse(400, "no version");
  const std::string base = "/repos/o/r/";
  if (request.path == base + "issues/7/comments") return comments(request);
  if (request.path.starts_with(base + "issues/comments/"))
    return one_comment(request, request.path.substr(base.size() + 16));
  const std::string people = base + "collaborators/";
  if (request.path.starts_with(people)) {
    const std::string login =
        request.path.substr(people.size(), request.path.find("/permission") - people.size());
    const auto found = permissions.find(login);
    return {
        200, {}, json{{"permission", found == permissions.end() ? "none" : found->second}}.dump()};
  }
  return refuse(404, "no such path " + request.path);
}

WireResponse GithubStandIn::comments(const WireRequest& request) {
  const auto shown = [](const Post& post) {
    return json{{"id", std::stoi(post.id)},
                {"body", post.text},
                {"user", {{"login", post.author}, {"type", post.json.value("type", "User")}}},
                {"created_at", kTime},
                {"updated_at", post.edits > 0 ? "2026-11-16T04:00:01Z" : kTime}};
  };
  if (request.method == "POST") {
    const json body = json::parse(request.body, nullptr, false);
    if (!body.is_object() || !body["body"].is_string()) return refuse(422, "no body");
    const std::string text = body["body"];
    if (utf8::count(text) > 65536) return refuse(422, "Body is too long");
    all_.push_back({std::to_string(next_++), text, json{{"type", "User"}}, "dragoman", true, 0});
    ++version_;
    return {201, {}, shown(all_.back()).dump()};
  }
  const std::string etag = fmt::format("W/\"{}\"", version_);
  if (const auto known = request.fields.find("if-none-match");
      known != request.fields.end() && known->second == etag)
    return {304, {{"ETag", etag}}, ""};
  if (!request.query.contains("since")) return refuse(400, "polls without since");
  const std::size_t page = std::stoul(request.query.at("page"));
  json list = json::array();
  for (std::size_t i = (page - 1) * 100; i < std::min(all_.size(), page * 100); ++i)
    list.push_back(shown(all_[i]));
  return {200, {{"ETag", etag}}, list.dump()};
}

WireResponse GithubStandIn::one_comment(const WireRequest& request, const std::string& rest) {
  const std::string id = rest.substr(0, rest.find('/'));
  if (rest.ends_with("/reactions")) {
    json list = json::array();
    for (const json& reaction : reactions_) {
      if (reaction["comment"] == id) list.push_back(reaction);
    }
    return {200, {{"ETag", fmt::format("W/\"r{}\"", version_)}}, list.dump()};
  }
  const auto found = std::ranges::find(all_, id, &Post::id);
  if (found == all_.end() || request.method != "PATCH") return refuse(404, "no such comment");
  found->text = json::parse(request.body)["body"];
  if (utf8::count(found->text) > 65536) return refuse(422, "Body is too long");
  ++found->edits;
  ++version_;
  return {200, {}, "{}"};
}

// Discord

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
    for (auto it = all_.rbegin(); it != all_.rend(); ++it) {
      if (after != request.query.end() && std::stoi(it->id) <= std::stoi(after->second)) continue;
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
    const std::string emoji = decoded(rest.substr(rest.find("/reactions/") + 11));
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

// Slack

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
