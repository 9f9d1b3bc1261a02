// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/client.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/loopback.hpp"

namespace dragoman::http {
namespace {

using namespace std::chrono_literals;

// Answers each connection with what `answer` makes of the request; an empty answer closes.
class TinyServer {
 public:
  explicit TinyServer(std::function<std::string(const std::string&)> answer)
      : answer_(std::move(answer)), listener_(test::listen_on_loopback()) {
    port_ = test::port_of(listener_);
    thread_ = std::thread([this] { serve(); });
  }
  ~TinyServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  [[nodiscard]] std::string url(std::string_view path) const {
    return fmt::format("http://127.0.0.1:{}{}", port_, path);
  }
  std::atomic<int> requests = 0;

 private:
  void serve() {
    for (;;) {
      const int peer = ::accept(listener_, nullptr, nullptr);
      if (peer < 0) return;
      std::string request;
      char bytes[4096];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const auto got = ::read(peer, bytes, sizeof(bytes));
        if (got <= 0) break;
        request.append(bytes, static_cast<std::size_t>(got));
      }
      ++requests;
      const std::string answer = answer_(request);
      if (answer == "hang") {
        (void)::read(peer, bytes, sizeof(bytes));  // until the client has gone
      } else if (!answer.empty()) {
        EXPECT_GT(::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL), 0);
      }
      ::close(peer);
    }
  }

  std::function<std::string(const std::string&)> answer_;
  int listener_;
  int port_ = 0;
  std::thread thread_;
};

std::string answer(std::string_view status, std::string_view fields, std::string_view body) {
  return fmt::format("HTTP/1.1 {}\r\n{}Content-Length: {}\r\n\r\n{}", status, fields, body.size(),
                     body);
}

TEST(Client, SendsAndReceives) {
  std::string seen;
  TinyServer server([&](const std::string& request) {
    seen = request;
    return answer("201 Created", "X-A: 1\r\n", "done");
  });
  const Client client({.user_agent = "dragoman/test"});
  const auto response = client.send({"POST", server.url("/a?b=c"), {{"X-Token", "t"}}, "body"});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "done");
  EXPECT_EQ(response->field("x-a"), "1");
  EXPECT_THAT(seen, testing::StartsWith("POST /a?b=c HTTP/1.1\r\n"));
  EXPECT_THAT(seen, testing::HasSubstr("User-Agent: dragoman/test\r\n"));
  EXPECT_THAT(seen, testing::HasSubstr("X-Token: t\r\n"));
}

TEST(Client, FollowsARedirectOnTheSameOriginOnly) {
  TinyServer other([](const std::string&) { return answer("200 OK", "", "stolen"); });
  TinyServer server([&](const std::string& request) {
    if (request.starts_with("GET /new")) return answer("200 OK", "", "here");
    const std::string to = request.starts_with("GET /away") ? other.url("/") : "/new";
    return answer("302 Found", "Location: " + to + "\r\n", "");
  });
  const Client client({});
  EXPECT_EQ(client.send({"GET", server.url("/old")})->body, "here");
  EXPECT_EQ(client.send({"GET", server.url("/away")})->status, 302);
  EXPECT_EQ(client.send({"POST", server.url("/old")})->status, 302);
  EXPECT_EQ(other.requests, 0);
}

TEST(Client, SaysWhetherTheServerMayHaveActed) {
  TinyServer server([](const std::string& request) {
    return request.starts_with("GET /hang") ? std::string("hang") : std::string();
  });
  const Client client({.deadline = 200ms});
  const auto dropped = client.send({"GET", server.url("/drop")});
  ASSERT_FALSE(dropped);
  EXPECT_EQ(dropped.error().reason, kUnsure);
  const auto late = client.send({"GET", server.url("/hang")});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().reason, kUnsure);
  EXPECT_EQ(late.error().code, ErrorCode::timeout);
  const auto nobody = client.send({"GET", "http://127.0.0.1:1/"});
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().reason, kNotSent);
}

TEST(Client, ABodyHasALimit) {
  TinyServer server(
      [](const std::string&) { return answer("200 OK", "", std::string(5000, 'x')); });
  EXPECT_FALSE(Client({.longest_body = 4999}).send({"GET", server.url("/")}));
  EXPECT_TRUE(Client({.longest_body = 5000}).send({"GET", server.url("/")}));
}

TEST(Client, RefusesPlainHttpToOthersAndBrokenFields) {
  const Client client({});
  for (const char* url : {"http://example.com/", "ftp://127.0.0.1/", "http://127.0.0.1.evil.com/",
                          "https://a@b/", "https:///x", "http://localhost.evil.com/", ""}) {
    const auto sent = client.send({"GET", url});
    ASSERT_FALSE(sent) << url;
    EXPECT_EQ(sent.error().reason, kNotSent) << url;
  }
  EXPECT_FALSE(client.send({"GET", "http://127.0.0.1:1/", {{"A", "b\r\nC: d"}}}));
}

TEST(Client, AStopEndsARequestThatHangs) {
  TinyServer server([](const std::string&) { return std::string("hang"); });
  const Client client({.deadline = 60s});
  std::stop_source stop;
  std::thread stopper([&] {
    while (server.requests == 0) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_FALSE(client.send({"GET", server.url("/")}, stop.get_token()));
  stopper.join();
}

TEST(Url, ReadsHostPortAndTarget) {
  const auto url = parse_url("https://API.GitHub.com/repos?x=1#frag");
  ASSERT_TRUE(url);
  EXPECT_EQ(*url, (Url{true, "api.github.com", "443", "/repos?x=1"}));
  const auto six = parse_url("ws://[::1]:18789");
  ASSERT_TRUE(six);
  EXPECT_EQ(*six, (Url{false, "::1", "18789", "/"}));
  EXPECT_EQ(six->authority(), "[::1]:18789");
}

TEST(Url, EncodesAndReadsForms) {
  EXPECT_EQ(url_encode("a b/ä"), "a%20b%2F%C3%A4");
  EXPECT_EQ(form_field("token=x&payload=%7B%22a%22%3A+1%7D&z", "payload"), R"({"a": 1})");
  EXPECT_EQ(form_field("payload=%7", "payload"), std::nullopt);
  EXPECT_EQ(form_field("xpayload=1", "payload"), std::nullopt);
}

}  // namespace
}  // namespace dragoman::http
