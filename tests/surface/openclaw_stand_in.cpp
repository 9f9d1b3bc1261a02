// SPDX-License-Identifier: Apache-2.0
#include "tests/surface/openclaw_stand_in.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/base/base64.hpp"
#include "dragoman/base/sha256.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/http/signature.hpp"
#include "tests/support/loopback.hpp"
#include "tests/surface/support.hpp"

namespace dragoman::test {
namespace {

using nlohmann::json;
namespace beast = boost::beast;
using boost::asio::ip::tcp;

json refusal(const char* code) { return {{"error", {{"code", code}, {"message", code}}}}; }

}  // namespace

OpenClawStandIn::OpenClawStandIn(std::set<std::string> methods)
    : methods_(std::move(methods)), listener_(listen_on_loopback()) {
  port_ = port_of(listener_);
  thread_ = std::thread([this] { accept_all(); });
}

OpenClawStandIn::~OpenClawStandIn() {
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int peer : peers_) ::shutdown(peer, SHUT_RDWR);
  }
  for (auto& talk : talks_) talk.join();
  ::close(listener_);
}

std::string OpenClawStandIn::url() const { return fmt::format("ws://127.0.0.1:{}", port_); }

std::map<std::string, json> OpenClawStandIn::questions() const {
  const std::lock_guard lock(mutex_);
  return questions_;
}

std::vector<std::string> OpenClawStandIn::complaints() const {
  const std::lock_guard lock(mutex_);
  return complaints_;
}

void OpenClawStandIn::complain(const std::string& why) { complaints_.push_back(why); }

void OpenClawStandIn::answer(const std::string& id, const json& values) {
  const std::lock_guard lock(mutex_);
  questions_[id]["status"] = "answered";
  questions_[id]["answers"] = {{"answers", {{id, values}}}};
  questions_[id]["resolvedBy"] = "claw-user";
}

void OpenClawStandIn::accept_all() {
  for (;;) {
    const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) return;
    const std::lock_guard lock(mutex_);
    peers_.push_back(peer);
    talks_.emplace_back([this, peer] { talk(peer); });
  }
}

std::map<std::string, json> OpenClawStandIn::hooks() const {
  const std::lock_guard lock(mutex_);
  return hooks_;
}

// The key makes it safe to send the same once more.
bool OpenClawStandIn::take_hook(const std::string& authorization, const std::string& body) {
  const std::lock_guard lock(mutex_);
  if (authorization != "Bearer hook-token") {
    complain("wrong token of a hook");
    return false;
  }
  const json hook = json::parse(body);
  if (hook.value("message", "").empty()) complain("a hook without a message");
  hooks_.emplace(hook.at("idempotencyKey"), hook);
  return true;
}

void OpenClawStandIn::talk(int peer) {
  try {
    boost::asio::io_context io;
    tcp::socket socket(io, tcp::v4(), peer);
    beast::flat_buffer first;
    beast::http::request<beast::http::string_body> opening;
    beast::http::read(socket, first, opening);
    if (!beast::websocket::is_upgrade(opening)) {
      const bool taken =
          take_hook(std::string(opening[beast::http::field::authorization]), opening.body());
      if (drop_next > 0) {
        --drop_next;
        socket.close();
        return;
      }
      beast::http::response<beast::http::string_body> answer(
          taken ? beast::http::status::ok : beast::http::status::unauthorized, 11);
      answer.body() = taken ? R"({"ok":true,"runId":"r1"})" : R"({"ok":false,"error":"token"})";
      answer.keep_alive(false);
      answer.prepare_payload();
      beast::http::write(socket, answer);
      socket.close();
      return;
    }
    beast::websocket::stream<tcp::socket&> stream(socket);
    stream.accept(opening);
    const auto say = [&](const json& frame) {
      const std::string text = frame.dump();
      stream.write(boost::asio::buffer(text));
    };
    say({{"type", "event"},
         {"event", "connect.challenge"},
         {"payload", {{"nonce", "n-1"}, {"ts", 1700000000000}}}});
    for (bool greeted = false;; greeted = true) {
      beast::flat_buffer buffer;
      stream.read(buffer);
      const json frame = json::parse(beast::buffers_to_string(buffer.data()));
      const std::string method = frame["method"];
      json result;
      {
        const std::lock_guard lock(mutex_);
        if (frame["type"] != "req" || !frame["id"].is_string()) complain("not a request");
        if (greeted == (method == "connect")) complain("connect has to come first, once");
        result = carry_out(method, frame["params"]);
      }
      if (method == "question.request" && drop_next > 0) {
        --drop_next;
        socket.close();
        return;
      }
      say({{"type", "event"}, {"event", "tick"}, {"payload", {{"ts", 1}}}});
      json answer = {{"type", "res"}, {"id", frame["id"]}, {"ok", !result.contains("error")}};
      answer[result.contains("error") ? "error" : "payload"] =
          result.contains("error") ? result["error"] : result;
      say(answer);
    }
  } catch (const std::exception&) {
    // the peer has gone
  }
}

json OpenClawStandIn::carry_out(const std::string& method, const json& params) {
  if (method == "connect") return greet(params);
  if (!methods_.contains(method)) {
    complain("no such method " + method);
    return refusal("UNKNOWN_METHOD");
  }
  if (method == "question.request") return request(params);
  const auto found = questions_.find(params["id"]);
  if (found == questions_.end()) return refusal("QUESTION_NOT_FOUND");
  json& question = found->second;
  if (method == "question.waitAnswer") {
    json state = {{"status", question["status"]}};
    if (question.contains("answers")) state["answers"] = question["answers"];
    if (question.contains("resolvedBy")) state["resolvedBy"] = question["resolvedBy"];
    return state;
  }
  if (question["status"] != "pending") return refusal("QUESTION_ALREADY_RESOLVED");
  question["status"] = "cancelled";
  question["resolvedBy"] = params.value("resolvedBy", "");
  return json::object();
}

json OpenClawStandIn::greet(const json& params) {
  if (params["minProtocol"] != 4 || params["maxProtocol"] != 4) complain("wrong protocol");
  if (params["auth"]["token"] != "oc-token") {
    complain("wrong token");
    return refusal("UNAUTHORIZED");
  }
  const json device = params.value("device", json::object());
  const auto key = http::ed25519_public_key(discord_seed());
  const auto signature = http::sign_ed25519(
      discord_seed(),
      fmt::format("v2|{}|dragoman|backend|operator|operator.read,operator.write,operator.questions|"
                  "1700000000000|oc-token|n-1",
                  sha256_hex(*key)));
  if (device.value("id", "") != sha256_hex(*key) ||
      device.value("publicKey", "") != base64_url(*key) ||
      device.value("signature", "") != base64_url(*signature) ||
      device.value("signedAt", std::int64_t{0}) != 1700000000000 ||
      device.value("nonce", "") != "n-1") {
    complain("the device is not signed");
    return refusal("PAIRING_REQUIRED");
  }
  return {{"type", "hello-ok"}, {"protocol", 4}, {"features", {{"methods", methods_}}}};
}

json OpenClawStandIn::request(const json& params) {
  const std::string id = params["id"];
  if (questions_.contains(id)) return refusal("QUESTION_ID_IN_USE");
  if (params["questions"].size() != 1) complain("one question was expected");
  const json& question = params["questions"][0];
  if (utf8::count(question["header"].get<std::string>()) > 12) complain("header is too long");
  const std::size_t options = question["options"].size();
  if (options == 1 || options > 4) complain("wrong number of options");
  if (question["questionId"].get<std::string>().find_first_not_of(
          "abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
    complain("bad questionId");
  questions_[id] = {{"status", "pending"}, {"question", question}};
  return {{"id", id}, {"expiresAtMs", 1}};
}

}  // namespace dragoman::test
