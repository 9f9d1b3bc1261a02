// SPDX-License-Identifier: Apache-2.0
// Questions through an OpenClaw gateway, which shows them in whatever chat it is connected to.
// Protocol version 4; where the gateway has no question methods, its /hooks carry the question out
// and the answer comes by `dragoman answer`.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "dragoman/base/base64.hpp"
#include "dragoman/base/sha256.hpp"
#include "dragoman/http/signature.hpp"
#include "dragoman/http/web_socket.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/surface/api.hpp"
#include "dragoman/surface/flat.hpp"
#include "dragoman/surface/kinds.hpp"

namespace dragoman::surface {
namespace {

constexpr std::string_view kClient = "dragoman";
constexpr std::array<std::string_view, 3> kScopes = {"operator.read", "operator.write",
                                                     "operator.questions"};
constexpr std::int64_t kDay = 24 * 3'600'000LL;
constexpr std::size_t kMostFrames = 1000;  // that are read while one answer is waited for

// Words for somebody else's chat: no mention, no hidden character.
std::string chat_text(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : shortened(text, most)) {
    out.push_back(c);
    if (c == '@') out.append("\xE2\x80\x8B");
  }
  return out;
}

// Twelve characters have no room for one that is not seen.
std::string chat_header(std::string_view title) {
  std::string out;
  for (const char c : one_line_of(title, 12)) {
    if (c == '@') {
      out.append("\xEF\xBC\xA0");  // the wide form
    } else {
      out.push_back(c);
    }
  }
  return out;
}

// The gateway shows two to four buttons; more options are numbered in the text.
bool has_buttons(const Message& message) {
  return message.asked.options.size() >= 2 && message.asked.options.size() <= 4;
}

std::string question_text(const Message& message) {
  std::string text = chat_text(message.text, 3000);
  if (message.takes_reason()) text += "\n(y, n, or \"no: \" and the reason)";
  if (has_buttons(message)) return text;
  for (std::size_t i = 0; i < std::min<std::size_t>(message.asked.options.size(), 40); ++i)
    text += fmt::format("\n{}. {}", i + 1, chat_text(message.asked.options[i].label, 100));
  return text;
}

std::string request_params(const Message& message, const SurfaceSettings& settings) {
  std::string out;
  json::Writer w(out);
  w.begin_object().name("id").string(message.ref).name("questions").begin_array().begin_object();
  w.name("questionId").string(message.ref);
  w.name("header").string(chat_header(message.title));
  w.name("question").string(question_text(message)).name("options").begin_array();
  if (has_buttons(message)) {
    for (const Choice& option : message.asked.options) {
      w.begin_object().name("label").string(chat_text(option.label, 60));
      if (!option.description.empty())
        w.name("description").string(chat_text(option.description, 200));
      w.end_object();
    }
  }
  w.end_array();
  if (message.asked.multi_select) w.name("multiSelect").boolean(true);
  if (message.asked.free_text || !has_buttons(message)) w.name("isOther").boolean(true);
  if (message.asked.secret) w.name("isSecret").boolean(true);
  w.end_object().end_array();
  if (!settings.text("agent").empty()) w.name("agentId").string(settings.text("agent"));
  if (!settings.text("session").empty()) w.name("sessionKey").string(settings.text("session"));
  w.name("timeoutMs").integer(7 * kDay).end_object();
  return out;
}

std::string as_http(std::string url) {
  if (url.starts_with("ws")) url.replace(0, 2, "http");
  while (url.ends_with('/')) url.pop_back();
  return url;
}

class OpenClawSurface final : public Surface {
 public:
  OpenClawSurface(const SurfaceSettings& settings, Surroundings surroundings)
      : settings_(settings),
        stop_(surroundings.stop),
        hooks_(as_http(settings.text("url")),
               {{"Authorization", "Bearer " + settings.secret("hooks_token")}},
               {.user_agent = "dragoman", .deadline = std::chrono::seconds(20)}, {},
               std::move(surroundings)) {}

  Result<std::string> offer(const Message& message) override {
    DRAGOMAN_CHECK(connect());
    if (!methods_.contains("question.request") || !message.asks()) return offer_by_hook(message);
    auto answer = request("question.request", request_params(message, settings_));
    // It is there already: an earlier request of ours was carried out.
    if (!answer && answer.error().details != "QUESTION_ID_IN_USE") return std::move(answer).error();
    return message.ref;
  }

  Result<std::optional<std::string>> find(const Message& message) override {
    // Both ways to offer know the id and do nothing the second time.
    (void)message;
    return std::optional<std::string>();
  }

  Result<void> update(const Shown& shown) override {
    (void)shown;  // a question does not change; how far a run is would be a message each time
    return {};
  }

  Result<void> close(const Shown& shown) override {
    const Message& message = shown.message;
    if (shown.id.starts_with("hook-") || message.topic == Topic::completion) {
      DRAGOMAN_TRY(const auto id, offer_by_hook(message));
      (void)id;
      return {};
    }
    DRAGOMAN_CHECK(connect());
    std::string params;
    json::Writer w(params);
    w.begin_object().name("id").string(message.ref).name("cancel").boolean(true);
    w.name("resolvedBy").string(chat_text(message.outcome, 300)).end_object();
    auto answer = request("question.resolve", params);
    // Settled there already, as when the answer came from there.
    if (!answer && answer.error().reason != kRefused) return std::move(answer).error();
    return {};
  }

  Result<std::vector<Incoming>> answers(const std::vector<Shown>& open) override {
    std::vector<Incoming> found;
    if (open.empty()) return found;
    DRAGOMAN_CHECK(connect());
    for (const Shown& shown : open) {
      if (shown.id.starts_with("hook-")) continue;
      std::string params;
      json::Writer w(params);
      w.begin_object().name("id").string(shown.message.ref).name("timeoutMs").integer(1);
      w.end_object();
      auto answer = request("question.waitAnswer", params);
      if (!answer && answer.error().reason == kRefused) continue;
      if (!answer) return std::move(answer).error();
      if (auto incoming = read_answer(shown.message, *answer))
        found.push_back(*std::move(incoming));
    }
    return found;
  }

  Result<void> tell(const Incoming& incoming, std::string_view words) override {
    (void)incoming;
    (void)words;  // the gateway closes the question, with the reason
    return {};
  }

 private:
  static std::optional<Incoming> read_answer(const Message& message, const Flat& frame) {
    if (frame["payload.status"] != "answered") return std::nullopt;
    const std::string base = "payload.answers.answers." + message.ref;
    std::vector<std::string> words = frame.list(base);
    if (words.empty() && frame.has(base)) words.push_back(frame[base]);
    if (words.empty() && frame.has(base + ".text")) words.push_back(frame[base + ".text"]);
    if (words.empty()) return std::nullopt;
    std::string typed;
    for (const std::string& word : words) {
      const auto& options = message.asked.options;
      const auto chosen = std::ranges::find_if(options, [&](const Choice& known) {
        return known.label == word || chat_text(known.label, 60) == word;
      });
      if (!typed.empty()) typed += ",";
      typed += chosen == options.end() ? word : std::to_string(chosen - options.begin() + 1);
    }
    const std::string& by = frame["payload.resolvedBy"];
    return Incoming{message.ref, message.ref, typed, false, by.empty() ? "OpenClaw" : by, ""};
  }

  Result<std::string> offer_by_hook(const Message& message) {
    if (settings_.secret("hooks_token").empty())
      return Error{ErrorCode::unsupported,
                   "the gateway has no question methods and hooks_token is not configured",
                   std::string(kRefused)};
    std::string text = chat_text(message.title, 100) + "\n" + question_text(message);
    if (!message.outcome.empty()) text += fmt::format("\n{}", chat_text(message.outcome, 300));
    if (message.asks()) text += fmt::format("\nAnswer: dragoman answer {} …", message.ref);
    std::string body;
    json::Writer w(body);
    w.begin_object().name("message").string(text).name("name").string("dragoman");
    w.name("deliver").boolean(true);
    for (const auto& [key, name] :
         {std::pair("channel", "channel"), std::pair("to", "to"), std::pair("agent", "agentId"),
          std::pair("session", "sessionKey")}) {
      if (!settings_.text(key).empty()) w.key(name).string(settings_.text(key));
    }
    w.name("idempotencyKey").string(message.open ? message.ref : message.ref + "-end");
    w.end_object();
    DRAGOMAN_TRY(const auto response, hooks_.call("POST", "/hooks/agent", body));
    (void)response;
    return "hook-" + message.ref;
  }

  // The connection, made where there is none. After a failure it is left alone for a while.
  Result<void> connect() {
    if (socket_) return {};
    if (!nap(next_try_ - steady_ms(), stop_))
      return Error{ErrorCode::tool_error, "stopped", "not_sent"};
    backoff_ = std::clamp<std::int64_t>(backoff_ * 2, 1000, 30'000);
    next_try_ = steady_ms() + backoff_;
    std::string url = settings_.text("url");
    if (url.starts_with("http")) url.replace(0, 4, "ws");
    auto socket = http::WebSocket::connect(url, {}, {.user_agent = "dragoman"});
    if (!socket) {
      Error error = std::move(socket).error();
      error.reason = "not_sent";
      return error;
    }
    socket_ = *std::move(socket);
    auto greeted = greet();
    if (!greeted) {
      socket_.reset();
      return std::move(greeted).error();
    }
    backoff_ = 0;
    return {};
  }

  Result<void> greet() {
    DRAGOMAN_TRY(const auto first, socket_->receive(std::chrono::seconds(10)));
    if (!first) return Error{ErrorCode::timeout, "the gateway says nothing", "not_sent"};
    DRAGOMAN_TRY(const Flat challenge, Flat::read(*first));
    if (challenge["event"] != "connect.challenge")
      return Error{ErrorCode::tool_error, "the gateway does not speak protocol 4", "refused"};
    DRAGOMAN_TRY(const std::string params, connect_params(challenge));
    auto hello = request("connect", params);
    if (!hello && hello.error().details == "PAIRING_REQUIRED") {
      Error error = std::move(hello).error();
      error.message += "; on the gateway's machine: openclaw devices approve " + device_;
      return error;
    }
    if (!hello) return std::move(hello).error();
    methods_.clear();
    for (const auto& method : hello->list("payload.features.methods")) methods_.insert(method);
    return {};
  }

  Result<std::string> connect_params(const Flat& challenge) {
    const std::string& token = settings_.secret("token");
    std::string out;
    json::Writer w(out);
    w.begin_object().name("minProtocol").integer(4).name("maxProtocol").integer(4);
    w.name("client").begin_object().name("id").string(kClient).name("version").string(
        DRAGOMAN_VERSION);
    w.name("platform").string("linux").name("mode").string("backend").end_object();
    w.name("role").string("operator").name("scopes").begin_array();
    for (const std::string_view scope : kScopes) w.string(scope);
    w.end_array();
    w.name("caps").begin_array().end_array();
    w.name("auth").begin_object().name("token").string(token).end_object();
    if (const std::string& seed_hex = settings_.secret("device_key"); !seed_hex.empty()) {
      const std::string seed = http::from_hex(seed_hex);
      DRAGOMAN_TRY(const std::string key, http::ed25519_public_key(seed));
      device_ = sha256_hex(key);
      const std::string& nonce = challenge["payload.nonce"];
      const std::string& time = challenge["payload.ts"];
      DRAGOMAN_TRY(const std::string signature,
                   http::sign_ed25519(
                       seed, fmt::format("v2|{}|{}|backend|operator|{}|{}|{}|{}", device_, kClient,
                                         fmt::join(kScopes, ","), time, token, nonce)));
      w.name("device").begin_object().name("id").string(device_);
      w.name("publicKey").string(base64_url(key));
      w.name("signature").string(base64_url(signature));
      w.name("signedAt").raw({time.empty() ? "0" : time}).name("nonce").string(nonce).end_object();
    }
    w.end_object();
    return out;
  }

  Result<Flat> request(std::string_view method, const std::string& params) {
    const std::string id = fmt::format("d{}", ++requests_);
    std::string frame;
    json::Writer w(frame);
    w.begin_object().name("type").string("req").name("id").string(id);
    w.name("method").string(method).name("params").raw({params}).end_object();
    if (auto sent = socket_->send(frame); !sent) return lost(sent.error());
    const std::int64_t deadline = steady_ms() + 10'000;
    for (std::size_t frames = 0; frames < kMostFrames && steady_ms() < deadline; ++frames) {
      auto received = socket_->receive(std::chrono::milliseconds(200));
      if (!received) return lost(received.error());
      if (stop_.stop_requested()) return lost({ErrorCode::tool_error, "stopped"});
      if (!*received) continue;
      auto answer = Flat::read(**received);
      if (!answer || (*answer)["type"] != "res" || (*answer)["id"] != id) continue;
      if ((*answer)["ok"] == "true") return answer;
      const bool later = (*answer)["error.retryable"] == "true";
      return Error{ErrorCode::tool_error,
                   fmt::format("{}: {} {}", method, (*answer)["error.code"],
                               one_line_of((*answer)["error.message"], 200)),
                   std::string(later ? kThrottled : kRefused), (*answer)["error.code"]};
    }
    return lost({ErrorCode::timeout, fmt::format("{}: no answer in time", method)});
  }

  Error lost(Error error) {
    socket_.reset();
    error.reason = http::kUnsure;
    return error;
  }

  SurfaceSettings settings_;
  std::stop_token stop_;
  Api hooks_;
  std::unique_ptr<http::WebSocket> socket_;
  std::set<std::string, std::less<>> methods_;
  std::string device_;
  std::uint64_t requests_ = 0;
  std::int64_t next_try_ = 0;
  std::int64_t backoff_ = 0;
};

}  // namespace

std::unique_ptr<Surface> make_openclaw(const SurfaceSettings& settings, Surroundings surroundings) {
  return std::make_unique<OpenClawSurface>(settings, std::move(surroundings));
}

}  // namespace dragoman::surface
