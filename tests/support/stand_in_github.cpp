// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "tests/support/stand_in.hpp"

namespace dragoman::test {

using nlohmann::json;

namespace {

std::string iso_time(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

}  // namespace

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
  ++clock_;
  all_.push_back(
      {id, body, {{"type", type}, {"created", clock_}, {"updated", clock_}}, login, false, 0});
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
                {"created_at", iso_time(post.json["created"])},
                {"updated_at", iso_time(post.json["updated"])}};
  };
  if (request.method == "POST") {
    const json body = json::parse(request.body, nullptr, false);
    if (!body.is_object() || !body["body"].is_string()) return refuse(422, "no body");
    const std::string text = body["body"];
    if (utf8::count(text) > 65536) return refuse(422, "Body is too long");
    clock_ = std::max<std::int64_t>(clock_ + 1, std::time(nullptr));
    all_.push_back({std::to_string(next_++),
                    text,
                    {{"type", "User"}, {"created", clock_}, {"updated", clock_}},
                    "dragoman",
                    true,
                    0});
    ++version_;
    return {201, {}, shown(all_.back()).dump()};
  }
  const std::size_t page =
      request.query.contains("page") ? std::stoul(request.query.at("page")) : 1;
  if (page > 1) ++later_pages_;
  const std::string etag = fmt::format("W/\"{}\"", version_);
  if (const auto known = request.fields.find("if-none-match");
      known != request.fields.end() && known->second == etag)
    return {304, {{"ETag", etag}}, ""};
  if (!request.query.contains("since")) return refuse(400, "polls without since");
  const std::string since = request.query.at("since");
  std::vector<json> found;
  for (const Post& post : all_) {
    if (iso_time(post.json["updated"]) >= since) found.push_back(shown(post));
  }
  json list = json::array();
  for (std::size_t i = (page - 1) * 100; i < std::min(found.size(), page * 100); ++i)
    list.push_back(found[i]);
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
  found->json["updated"] = ++clock_;
  ++version_;
  return {200, {}, "{}"};
}

}  // namespace dragoman::test
