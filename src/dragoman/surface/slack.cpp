// SPDX-License-Identifier: Apache-2.0
// Questions as Slack messages with buttons; answers come to the interactivity endpoint.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/surface/api.hpp"
#include "dragoman/surface/flat.hpp"
#include "dragoman/surface/hook.hpp"
#include "dragoman/surface/kinds.hpp"
#include "dragoman/surface/slack_text.hpp"

namespace dragoman::surface {
namespace {

constexpr std::size_t kSlackPages = 20;  // in one look

class SlackSurface final : public Surface {
 public:
  SlackSurface(const SurfaceSettings& settings, Surroundings surroundings)
      : channel_(settings.text("channel")),
        api_(settings.text("api").empty() ? "https://slack.com/api" : settings.text("api"),
             {{"Authorization", "Bearer " + settings.secret("token")}}, {.user_agent = "dragoman"},
             with_gap(http::slack_rates(), settings), std::move(surroundings)) {}

  Result<std::string> offer(const Message& message) override {
    DRAGOMAN_TRY(const Flat answer, call("/chat.postMessage", slack_body(message, channel_, "")));
    return answer["ts"];
  }

  // Only an app can set metadata, so nobody else's words are taken for ours.
  Result<std::optional<std::string>> find(const Message& message) override {
    const std::string looked = fmt::format(
        "/conversations.history?channel={}&limit=100&include_all_metadata=true&oldest={}",
        http::url_encode(channel_), looked_for_since(message) / 1000);
    std::string cursor;
    for (std::size_t pages = 0; pages < kSlackPages; ++pages) {
      DRAGOMAN_TRY(const auto response, api_.call("GET", looked + cursor));
      DRAGOMAN_TRY(const Flat history, checked(response));  // the newest first
      std::optional<std::string> found;
      for (std::size_t i = 0; history.has(fmt::format("messages.{}.ts", i)); ++i) {
        if (history[fmt::format("messages.{}.metadata.event_payload.ref", i)] == message.ref)
          found = history[fmt::format("messages.{}.ts", i)];
      }
      const std::string& next = history["response_metadata.next_cursor"];
      if (found || next.empty()) return found;
      cursor = "&cursor=" + http::url_encode(next);
    }
    return std::optional<std::string>();
  }

  Result<void> update(const Shown& shown) override {
    DRAGOMAN_TRY(const Flat answer,
                 call("/chat.update", slack_body(shown.message, channel_, shown.id)));
    (void)answer;
    return {};
  }
  Result<void> close(const Shown& shown) override { return update(shown); }

  Result<std::vector<Incoming>> answers(const std::vector<Shown>& open) override {
    (void)open;
    return std::vector<Incoming>();  // they come to us
  }

  Result<void> tell(const Incoming& incoming, std::string_view words) override {
    if (incoming.reply_to.empty()) return {};
    std::string body;
    json::Writer w(body);
    w.begin_object().name("channel").string(channel_).name("user").string(incoming.reply_to);
    w.name("text").string(slack_text(words, 1000)).name("parse").string("none").end_object();
    DRAGOMAN_TRY(const Flat answer, call("/chat.postEphemeral", body));
    (void)answer;
    return {};
  }

  Result<void> follow_up(const std::string& path, const std::string& body) override {
    DRAGOMAN_TRY(const Flat answer, call(path, body));
    (void)answer;
    return {};
  }

 private:
  Result<Flat> call(std::string_view path, std::string body) {
    DRAGOMAN_TRY(const auto response, api_.call("POST", path, std::move(body)));
    return checked(response);
  }

  // Slack says 200 and means what is in the body.
  static Result<Flat> checked(const http::ClientResponse& response) {
    DRAGOMAN_TRY(Flat answer, Flat::read(response.body));
    if (answer["ok"] == "true") return answer;
    const std::string& error = answer["error"];
    const bool later = error == "ratelimited" || error == "rate_limited";
    const bool broken = error == "internal_error" || error == "fatal_error" ||
                        error == "service_unavailable" || error == "request_timeout";
    return Error{ErrorCode::tool_error, fmt::format("Slack says {}", error),
                 std::string(later    ? kThrottled
                             : broken ? http::kUnsure
                                      : kRefused)};
  }

  std::string channel_;
  Api api_;
};

std::optional<Incoming> clicked(const Flat& event) {
  const std::string& action = event["actions.0.action_id"];
  const std::size_t colon = action.find(':');
  if (colon == std::string::npos) return std::nullopt;
  Incoming incoming;
  incoming.ref = action.substr(0, colon);
  const std::string what = action.substr(colon + 1);
  // Every click has its own time; the same one sent again has the same.
  incoming.id = fmt::format("{}-{}-{}", event["user.id"], event["actions.0.action_ts"], action);
  if (what == "pick") {
    std::vector<std::string> values;
    for (std::size_t i = 0;; ++i) {
      const std::string path = fmt::format("actions.0.selected_options.{}.value", i);
      if (!event.has(path)) break;
      values.push_back(event[path]);
    }
    incoming.value = values.empty() ? event["actions.0.selected_option.value"]
                                    : fmt::format("{}", fmt::join(values, ","));
  } else {
    incoming.value = event["actions.0.value"];
  }
  return incoming;
}

HookAnswer slack_click(const SurfaceSettings& settings, const Flat& event) {
  auto incoming = clicked(event);
  if (!incoming || event["channel.id"] != settings.text("channel")) return {200};
  HookAnswer answer{200};
  if (incoming->value == "other" || incoming->value == "why") {
    const Words words = incoming->value == "why" ? Words::reason : Words::answer;
    answer.follow_up =
        FollowUp{"/views.open", slack_modal(event["trigger_id"], incoming->ref, words)};
    return answer;
  }
  answer.incoming = *std::move(incoming);
  return answer;
}

HookAnswer slack_words(const Flat& event) {
  Incoming incoming;
  incoming.ref = event["view.private_metadata"];
  incoming.id = event["view.id"];
  incoming.value = event["view.state.values.answer.words.value"];
  incoming.literal = event["view.callback_id"] == "dragoman-reason";
  HookAnswer answer{200};
  if (!incoming.ref.empty() && !incoming.id.empty()) answer.incoming = std::move(incoming);
  return answer;
}

}  // namespace

std::unique_ptr<Surface> make_slack(const SurfaceSettings& settings, Surroundings surroundings) {
  return std::make_unique<SlackSurface>(settings, std::move(surroundings));
}

HookAnswer slack_hook(const SurfaceSettings& settings, const HookRequest& request) {
  const std::string& secret = settings.secret("signing_secret");
  if (secret.empty()) return {404};
  if (!signed_by_slack(secret, request.field("X-Slack-Signature"),
                       request.field("X-Slack-Request-Timestamp"), request.body, request.now_s))
    return {401};
  const auto form = http::form_field(request.body, "payload");
  const auto payload = Flat::read(form ? *form : request.body);
  if (!payload) return {400};
  const Flat& event = *payload;
  if (event["type"] == "url_verification") return {200, event["challenge"], "text/plain"};
  if (!settings.may_answer(event["user.id"], {})) {
    HookAnswer answer{200};
    answer.follow_up = FollowUp{};
    std::string& body = answer.follow_up->body;
    answer.follow_up->path = "/chat.postEphemeral";
    json::Writer w(body);
    w.begin_object().name("channel").string(settings.text("channel"));
    w.name("user").string(event["user.id"]);
    w.name("text").string("You are not among those who may answer.").end_object();
    return answer;
  }
  HookAnswer answer{200};
  if (event["type"] == "block_actions") answer = slack_click(settings, event);
  if (event["type"] == "view_submission") answer = slack_words(event);
  if (answer.incoming) {
    answer.incoming->by =
        event["user.username"].empty() ? event["user.id"] : event["user.username"];
    answer.incoming->reply_to = event["user.id"];
  }
  return answer;
}

HookAnswer slack_verdict(const SurfaceSettings& settings, const Incoming& incoming,
                         const Verdict& verdict) {
  HookAnswer answer{200};
  if (verdict.kind == Verdict::Kind::accepted) return answer;
  json::Writer w(answer.body);
  if (incoming.id.starts_with('V')) {  // a modal shows what is wrong with its words
    w.begin_object().name("response_action").string("errors").name("errors").begin_object();
    w.name("answer").string(one_line_of(verdict.words, 200)).end_object().end_object();
    return answer;
  }
  answer.follow_up = FollowUp{"/chat.postEphemeral", {}};
  json::Writer call(answer.follow_up->body);
  call.begin_object().name("channel").string(settings.text("channel"));
  call.name("user").string(incoming.reply_to);
  call.name("text").string(slack_text(verdict.words, 1000)).end_object();
  return answer;
}

}  // namespace dragoman::surface
