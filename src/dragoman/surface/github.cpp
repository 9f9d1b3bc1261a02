// SPDX-License-Identifier: Apache-2.0
// Questions as comments on a GitHub issue; answers are comments, reactions and webhooks.
#include <algorithm>
#include <charconv>
#include <ctime>
#include <map>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/surface/api.hpp"
#include "dragoman/surface/flat.hpp"
#include "dragoman/surface/github_text.hpp"
#include "dragoman/surface/hook.hpp"
#include "dragoman/surface/kinds.hpp"

namespace dragoman::surface {
namespace {

constexpr std::int64_t kTrusted = 5 * 60'000;  // how long a permission is believed
// A deletion between two pages, or a server that lags behind, hides what is there a moment later.
constexpr std::int64_t kOverlap = 60'000;
constexpr std::size_t kPage = 100;
constexpr std::size_t kMostPages = 20;
constexpr std::size_t kMostReacted = 20;  // messages whose reactions are looked at

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string iso(std::int64_t ms) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(ms / 1000)));
}

// 0: it is no time.
std::int64_t ms_of(const std::string& iso_time) {
  std::tm parts{};
  const char* const end = ::strptime(iso_time.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end != nullptr && *end == '\0' ? ::timegm(&parts) * 1000 : 0;
}

class GithubSurface final : public Surface {
 public:
  GithubSurface(const SurfaceSettings& settings, Surroundings surroundings)
      : settings_(settings),
        repository_("/repos/" + settings.text("repo")),
        issue_(repository_ + "/issues/" + settings.text("issue")),
        api_(settings.text("api").empty() ? "https://api.github.com" : settings.text("api"),
             {{"Authorization", "Bearer " + settings.secret("token")},
              {"Accept", "application/vnd.github+json"},
              {"X-GitHub-Api-Version", "2022-11-28"}},
             {.user_agent = "dragoman"}, with_gap(http::github_rates(), settings),
             std::move(surroundings)) {}

  Result<std::string> offer(const Message& message) override {
    DRAGOMAN_TRY(const auto response,
                 api_.call("POST", issue_ + "/comments", github_body(message)));
    DRAGOMAN_TRY(const Flat comment, Flat::read(response.body));
    return comment["id"];
  }

  // The oldest comment with the ref: later ones quote it. Of a busy issue only so many comments are
  // read, the oldest first: the look begins where it can be.
  Result<std::optional<std::string>> find(const Message& message) override {
    const std::string mark = fmt::format("`{}`", message.ref);
    DRAGOMAN_TRY(const auto comments, comments_since(looked_for_since(message), {}));
    if (!comments.has_value()) return std::optional<std::string>();
    for (const Flat& comment : comments.value()) {
      if (comment["body"].find(mark) != std::string::npos)
        return std::optional<std::string>(comment["id"]);
    }
    return std::optional<std::string>();
  }

  Result<void> update(const Shown& shown) override {
    DRAGOMAN_TRY(const auto response,
                 api_.call("PATCH", repository_ + "/issues/comments/" + shown.id,
                           github_body(shown.message)));
    (void)response;
    return {};
  }
  Result<void> close(const Shown& shown) override { return update(shown); }

  Result<std::vector<Incoming>> answers(const std::vector<Shown>& open) override {
    std::vector<Incoming> found;
    looking_ = looked_;
    if (open.empty()) return found;
    looking_.open.clear();
    for (const Shown& shown : open) looking_.open.insert(shown.id);
    if (looking_.since == 0 || knows_earlier_message()) {
      looking_.since = wall_ms() - kLookedBack;
      looking_.comments.clear();
    }
    DRAGOMAN_TRY(const auto comments, comments_since(looking_.since, looking_.comments));
    if (comments) {
      see(*comments);
      for (const Flat& comment : *comments) {
        Incoming raw = incoming_of(comment, "");
        if (raw.id.empty()) continue;
        if (auto answer = understand(std::move(raw), open)) found.push_back(*std::move(answer));
      }
    }
    DRAGOMAN_CHECK(add_reactions(open, found));
    return found;
  }
  void taken() override { looked_ = looking_; }

  std::optional<Incoming> understand(Incoming raw, const std::vector<Shown>& open) override {
    // A comment answers what stood there before it.
    const std::uint64_t id = number_of(std::string_view(raw.id).substr(1));
    std::vector<Shown> before;
    std::ranges::copy_if(open, std::back_inserter(before),
                         [&](const Shown& shown) { return number_of(shown.id) < id; });
    auto reply = read_reply(raw.value, before);
    if (!reply) return std::nullopt;
    raw.ref = reply->ref;
    if (raw.ref.empty() && before.size() == 1) raw.ref = before.front().message.ref;
    if (raw.ref.empty() && before.empty()) return std::nullopt;
    // Everybody can read this page.
    const auto secret = [&](const Shown& shown) {
      return shown.message.ref == raw.ref && shown.message.asked.secret;
    };
    if (std::ranges::any_of(open, secret)) return std::nullopt;
    raw.value = std::move(reply->value);
    return raw;
  }

  Result<bool> may_answer(const Incoming& incoming) override {
    const std::int64_t now = steady_ms();
    const auto known = writers_.find(incoming.by);
    if (known != writers_.end() && now - known->second.second < kTrusted)
      return known->second.first;
    auto response = api_.call(
        "GET", repository_ + "/collaborators/" + http::url_encode(incoming.by) + "/permission");
    bool may = false;
    if (response) {
      DRAGOMAN_TRY(const Flat answer, Flat::read(response->body));
      may = answer["permission"] == "admin" || answer["permission"] == "write";
    } else if (response.error().reason != kRefused) {
      return std::move(response).error();
    }
    if (writers_.size() > 1000) writers_.clear();
    writers_[incoming.by] = {may, now};
    return may;
  }

  Result<void> tell(const Incoming& incoming, std::string_view words) override {
    std::string text;
    show::append_markdown(text, fmt::format("{}: {}", incoming.by, words));
    std::string body;
    json::Writer w(body);
    w.begin_object().name("body").string(text).end_object();
    DRAGOMAN_TRY(const auto response, api_.call("POST", issue_ + "/comments", body));
    (void)response;
    return {};
  }

 private:
  // What was no answer the last time may be one to a message that was not known then and stood
  // before it.
  [[nodiscard]] bool knows_earlier_message() const {
    return std::ranges::any_of(looking_.open, [this](const std::string& id) {
      return !looked_.open.contains(id) && number_of(id) < looked_.newest;
    });
  }

  // The next look begins with the newest change of this one. Comments are listed as they were
  // written: where some are left, they were written after the last that was read.
  void see(const std::vector<Flat>& comments) {
    if (comments.empty()) return;
    const bool all = comments.size() < kPage * kMostPages;
    std::int64_t next = all ? looking_.since : ms_of(comments.back()["created_at"]);
    for (const Flat& comment : comments) {
      looking_.newest = std::max(looking_.newest, number_of(comment["id"]));
      if (all) next = std::max(next, ms_of(comment["updated_at"]) - kOverlap);
    }
    if (next <= looking_.since) return;
    looking_.since = next;
    looking_.comments.clear();  // it belongs to another address
  }

  // Empty: nothing has changed since the last time with this ETag.
  Result<std::optional<std::vector<Flat>>> comments_since(std::int64_t since,
                                                          std::optional<std::string> etag) {
    std::vector<Flat> all;
    for (std::size_t page = 1; page <= kMostPages; ++page) {
      http::ClientFields more;
      if (page == 1 && etag && !etag->empty()) more.emplace_back("If-None-Match", *etag);
      DRAGOMAN_TRY(const auto response,
                   api_.call("GET",
                             fmt::format("{}/comments?since={}&per_page={}&page={}", issue_,
                                         http::url_encode(iso(since)), kPage, page),
                             {}, more));
      if (response.status == 304) return std::optional<std::vector<Flat>>();
      DRAGOMAN_TRY(auto comments, read_list(response.body));
      if (page == 1 && etag)
        looking_.comments = comments.size() < kPage ? response.field("ETag") : "";
      std::ranges::move(comments, std::back_inserter(all));
      if (comments.size() < kPage) break;
    }
    return std::optional(std::move(all));
  }

  // Reactions to the messages that have one choice.
  Result<void> add_reactions(const std::vector<Shown>& open, std::vector<Incoming>& found) {
    std::size_t looked = 0;
    for (const Shown& shown : open) {
      const Message& message = shown.message;
      if (message.asked.secret || message.asked.multi_select || message.asked.options.empty())
        continue;
      if (++looked > kMostReacted) break;
      http::ClientFields more;
      std::string& etag = looking_.reactions[shown.id];
      if (!etag.empty()) more.emplace_back("If-None-Match", etag);
      auto reacted = api_.call(
          "GET",
          fmt::format("{}/issues/comments/{}/reactions?per_page={}", repository_, shown.id, kPage),
          {}, more);
      if (!reacted && reacted.error().reason == kRefused) continue;  // somebody has deleted it
      DRAGOMAN_TRY(const auto response, std::move(reacted));
      if (response.status == 304) continue;
      etag = response.field("ETag");
      DRAGOMAN_TRY(const auto reactions, read_list(response.body));
      for (const Flat& reaction : reactions) {
        const std::size_t option = github_option(reaction["content"]);
        if (option == 0 || option > message.asked.options.size()) continue;
        if (reaction["user.type"] == "Bot" || reaction["id"].empty()) continue;
        found.push_back({fmt::format("r{}", reaction["id"]), message.ref, std::to_string(option),
                         false, reaction["user.login"], ""});
      }
    }
    if (looking_.reactions.size() > 10'000) looking_.reactions.clear();
    return {};
  }

 public:
  // Absent fields where the comment does not count: a bot's, or one that was changed later.
  static Incoming incoming_of(const Flat& comment, const std::string& prefix) {
    const auto at = [&](std::string_view path) -> const std::string& {
      return comment[prefix + std::string(path)];
    };
    if (at("user.type") == "Bot" || at("user.login").empty() || at("id").empty()) return {};
    if (at("user.login").ends_with("[bot]")) return {};
    if (at("updated_at") != at("created_at")) return {};
    return {fmt::format("c{}", at("id")), "", at("body"), false, at("user.login"), ""};
  }

 private:
  SurfaceSettings settings_;
  std::string repository_;
  std::string issue_;
  Api api_;
  // From when on was read, the ETags of that, and the messages that were open then.
  struct Look {
    std::int64_t since = 0;    // milliseconds since 1970
    std::uint64_t newest = 0;  // comment
    std::string comments;
    std::map<std::string, std::string> reactions;
    std::set<std::string> open;
  };
  Look looked_;
  Look looking_;
  std::map<std::string, std::pair<bool, std::int64_t>> writers_;
};

}  // namespace

std::unique_ptr<Surface> make_github(const SurfaceSettings& settings, Surroundings surroundings) {
  return std::make_unique<GithubSurface>(settings, std::move(surroundings));
}

HookAnswer github_hook(const SurfaceSettings& settings, const HookRequest& request) {
  const std::string& secret = settings.secret("webhook_secret");
  if (secret.empty()) return {404};
  if (!signed_by_github(secret, request.field("X-Hub-Signature-256"), request.body)) return {401};
  if (request.field("X-GitHub-Event") != "issue_comment") return {204};
  const auto payload = Flat::read(request.body);
  if (!payload) return {400};
  const Flat& event = *payload;
  if (event["action"] != "created" || event["repository.full_name"] != settings.text("repo") ||
      event["issue.number"] != settings.text("issue"))
    return {204};
  // Whoever has no ties to the repository need not be looked up.
  const std::string& ties = event["comment.author_association"];
  if (ties != "OWNER" && ties != "MEMBER" && ties != "COLLABORATOR") return {204};
  Incoming incoming = GithubSurface::incoming_of(event, "comment.");
  if (incoming.id.empty()) return {204};
  HookAnswer answer{202};
  answer.incoming = std::move(incoming);
  return answer;
}

}  // namespace dragoman::surface
