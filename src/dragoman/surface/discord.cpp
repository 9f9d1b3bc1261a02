// SPDX-License-Identifier: Apache-2.0
// Questions as messages of a Discord bot; answers are clicks that Discord reports to us, or
// reactions and replies that we look for where it cannot.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/surface/api.hpp"
#include "dragoman/surface/discord_text.hpp"
#include "dragoman/surface/flat.hpp"
#include "dragoman/surface/hook.hpp"
#include "dragoman/surface/kinds.hpp"

namespace dragoman::surface {
namespace {

constexpr int kEphemeral = 64;
constexpr std::size_t kDiscordPage = 100;
constexpr std::size_t kDiscordPages = 20;  // in one look

// Ids of Discord begin with the time, in milliseconds since 2015.
std::string first_id_at(std::int64_t ms) {
  constexpr std::int64_t kFirst = 1'420'070'400'000;
  return std::to_string(static_cast<std::uint64_t>(std::max<std::int64_t>(ms - kFirst, 0)) << 22U);
}

class DiscordSurface final : public Surface {
 public:
  DiscordSurface(const SurfaceSettings& settings, Surroundings surroundings)
      : settings_(settings),
        controls_(settings.text("public_key").empty() ? Controls::reactions : Controls::components),
        messages_("/channels/" + settings.text("channel") + "/messages"),
        api_(settings.text("api").empty() ? "https://discord.com/api/v10" : settings.text("api"),
             {{"Authorization", "Bot " + settings.secret("token")}},
             {.user_agent = "DiscordBot (https://github.com/dragoman, " DRAGOMAN_VERSION ")"},
             with_gap(http::discord_rates(), settings), std::move(surroundings)) {}

  Result<std::string> offer(const Message& message) override {
    DRAGOMAN_TRY(const auto response,
                 api_.call("POST", messages_, discord_body(message, controls_, true)));
    DRAGOMAN_TRY(const Flat posted, Flat::read(response.body));
    std::string id = posted["id"];
    if (controls_ == Controls::reactions && message.asks() && !message.asked.multi_select) {
      for (std::size_t i = 1; i <= std::min(message.asked.options.size(), kDiscordNumbers); ++i) {
        // Only a convenience: people can add the number themselves.
        auto reacted = api_.call("PUT", reactions(id, i) + "/@me");
        if (!reacted) break;
      }
    }
    return id;
  }

  // The oldest with the ref is ours, later ones quote it.
  Result<std::optional<std::string>> find(const Message& message) override {
    const std::string mark = fmt::format("`{}`", message.ref);
    std::string after = first_id_at(looked_for_since(message));
    for (std::size_t pages = 0; pages < kDiscordPages; ++pages) {
      DRAGOMAN_TRY(const auto next, messages_after(after));  // the newest of them first
      for (auto it = next.rbegin(); it != next.rend(); ++it) {
        if ((*it)["content"].find(mark) != std::string::npos)
          return std::optional<std::string>((*it)["id"]);
      }
      if (next.size() < kDiscordPage) break;
      after = next.front()["id"];
    }
    return std::optional<std::string>();
  }

  Result<void> update(const Shown& shown) override {
    DRAGOMAN_TRY(const auto response, api_.call("PATCH", messages_ + "/" + shown.id,
                                                discord_body(shown.message, controls_, false)));
    (void)response;
    return {};
  }
  Result<void> close(const Shown& shown) override { return update(shown); }

  Result<std::vector<Incoming>> answers(const std::vector<Shown>& open) override {
    std::vector<Incoming> found;
    if (controls_ == Controls::components) return found;  // they come to us
    reading_.clear();
    for (const Shown& shown : open) {
      if (const auto known = read_.find(shown.id); known != read_.end()) reading_.insert(*known);
      DRAGOMAN_CHECK(add_reactions(shown, found));
      DRAGOMAN_CHECK(add_replies(shown, found));
    }
    return found;
  }
  void taken() override { read_ = reading_; }

  Result<void> tell(const Incoming& incoming, std::string_view words) override {
    if (incoming.reply_to.empty()) return {};
    std::string body;
    json::Writer w(body);
    w.begin_object().name("content").string(discord_text(words, 1000));
    w.name("allowed_mentions").begin_object().name("parse").begin_array().end_array().end_object();
    w.name("message_reference").begin_object().name("message_id").string(incoming.reply_to);
    w.name("fail_if_not_exists").boolean(false).end_object().end_object();
    DRAGOMAN_TRY(const auto response, api_.call("POST", messages_, body));
    (void)response;
    return {};
  }

 private:
  [[nodiscard]] std::string reactions(const std::string& id, std::size_t option) const {
    return fmt::format("{}/{}/reactions/{}", messages_, id,
                       http::url_encode(discord_number(option)));
  }

  Result<std::vector<Flat>> messages_after(const std::string& id) {
    DRAGOMAN_TRY(const auto response, api_.call("GET", fmt::format("{}?after={}&limit={}",
                                                                   messages_, id, kDiscordPage)));
    return read_list(response.body);
  }

  Result<void> add_reactions(const Shown& shown, std::vector<Incoming>& found) {
    const Message& message = shown.message;
    if (message.asked.secret || message.asked.multi_select) return {};
    for (std::size_t i = 1; i <= std::min(message.asked.options.size(), kDiscordNumbers); ++i) {
      auto reacted = api_.call("GET", reactions(shown.id, i) + "?limit=100");
      if (!reacted && reacted.error().reason == kRefused) return {};  // somebody has deleted it
      DRAGOMAN_TRY(const auto response, std::move(reacted));
      DRAGOMAN_TRY(const auto users, read_list(response.body));
      for (const Flat& user : users) {
        if (user["bot"] == "true" || !settings_.may_answer(user["id"], {})) continue;
        found.push_back({fmt::format("{}-{}-{}", shown.id, i, user["id"]), message.ref,
                         std::to_string(i), false, user["username"], ""});
      }
    }
    return {};
  }

  Result<void> add_replies(const Shown& shown, std::vector<Incoming>& found) {
    if (shown.message.asked.secret) return {};
    std::string& after = reading_.try_emplace(shown.id, shown.id).first->second;
    for (std::size_t pages = 0; pages < kDiscordPages; ++pages) {
      DRAGOMAN_TRY(const auto next, messages_after(after));  // the newest of them first
      add_replies(shown, next, found);
      if (!next.empty()) after = next.front()["id"];
      if (next.size() < kDiscordPage) break;
    }
    return {};
  }

  void add_replies(const Shown& shown, const std::vector<Flat>& messages,
                   std::vector<Incoming>& found) const {
    for (auto it = messages.rbegin(); it != messages.rend(); ++it) {
      const Flat& message = *it;
      if (message["message_reference.message_id"] != shown.id) continue;
      if (message["author.bot"] == "true" || !settings_.may_answer(message["author.id"], {}))
        continue;
      if (message.has("edited_timestamp") || message["content"].empty()) continue;
      found.push_back({message["id"], shown.message.ref, message["content"], false,
                       message["author.username"], message["id"]});
    }
  }

  SurfaceSettings settings_;
  Controls controls_;
  std::string messages_;
  Api api_;
  // How far the channel was read for each open message, whatever else people talk about there.
  std::map<std::string, std::string> read_;
  std::map<std::string, std::string> reading_;
};

HookAnswer ephemeral(std::string_view words) {
  HookAnswer answer{200};
  json::Writer w(answer.body);
  w.begin_object().name("type").integer(4).name("data").begin_object();
  w.name("content").string(discord_text(words, 1000)).name("flags").integer(kEphemeral);
  w.name("allowed_mentions").begin_object().name("parse").begin_array().end_array().end_object();
  w.end_object().end_object();
  return answer;
}

// "REF:what" of a custom id.
std::pair<std::string, std::string> split(const std::string& id) {
  const std::size_t colon = id.find(':');
  if (colon == std::string::npos) return {};
  return {id.substr(0, colon), id.substr(colon + 1)};
}

// The words of a modal, whichever way its parts are nested.
std::string words_of(const Flat& event) {
  for (const char* path :
       {"data.components.0.component.value", "data.components.0.components.0.value"}) {
    if (event.has(path)) return event[path];
  }
  return "";
}

}  // namespace

std::unique_ptr<Surface> make_discord(const SurfaceSettings& settings, Surroundings surroundings) {
  return std::make_unique<DiscordSurface>(settings, std::move(surroundings));
}

HookAnswer discord_hook(const SurfaceSettings& settings, const HookRequest& request) {
  const std::string& key = settings.text("public_key");
  if (key.empty()) return {404};
  if (!signed_by_discord(key, request.field("X-Signature-Ed25519"),
                         request.field("X-Signature-Timestamp"), request.body, request.now_s))
    return {401};
  const auto payload = Flat::read(request.body);
  if (!payload) return {400};
  const Flat& event = *payload;
  if (event["type"] == "1") return {200, R"({"type":1})"};
  if (event["type"] != "3" && event["type"] != "5") return {400};
  const auto [ref, what] = split(event["data.custom_id"]);
  const bool in_guild = event.has("member.user.id");
  const std::string& user = event[in_guild ? "member.user.id" : "user.id"];
  if (ref.empty() || event["id"].empty() || event["channel_id"] != settings.text("channel"))
    return ephemeral("That is not a question of mine.");
  if (!settings.may_answer(user, event.list("member.roles")))
    return ephemeral("You are not among those who may answer.");
  if (event["type"] == "3" && what == "other") return {200, discord_modal(ref, Words::answer)};
  if (event["type"] == "3" && what == "why") return {200, discord_modal(ref, Words::reason)};
  Incoming incoming{
      event["id"], ref, what, false, event[in_guild ? "member.user.username" : "user.username"],
      ""};
  if (what == "pick") incoming.value = fmt::format("{}", fmt::join(event.list("data.values"), ","));
  if (event["type"] == "5") {
    incoming.value = words_of(event);
    incoming.literal = what == "reason";
  }
  if (incoming.by.empty()) incoming.by = user;
  HookAnswer answer{200};
  answer.incoming = std::move(incoming);
  return answer;
}

HookAnswer discord_verdict(const Verdict& verdict) {
  if (verdict.kind != Verdict::Kind::accepted) return ephemeral(verdict.words);
  HookAnswer answer{200};
  answer.body =
      R"({"type":7,"data":)" + discord_body(verdict.message, Controls::components, false) + "}";
  return answer;
}

}  // namespace dragoman::surface
