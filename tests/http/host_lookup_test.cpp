// SPDX-License-Identifier: Apache-2.0
// Name servers that do not answer: nobody waits for them longer than for anything else.
#include "dragoman/http/host_lookup.hpp"

#include <atomic>
#include <future>
#include <stop_token>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/http/web_socket.hpp"
#include "tests/support/eventually.hpp"

namespace dragoman::http {
namespace {

using namespace std::chrono_literals;
using Addresses = Result<std::vector<std::string>>;

// Answers when it is let, which may be after everybody has gone.
class SlowNames {
 public:
  ~SlowNames() {
    let_.set_value();
    EXPECT_TRUE(test::eventually([&] { return *under_way_ == 0; }));
  }
  [[nodiscard]] FindHost find_host() const {
    return [let = heard_, under_way = under_way_](const std::string&) -> Addresses {
      ++*under_way;
      let.wait();
      --*under_way;
      return std::vector<std::string>{"127.0.0.1"};
    };
  }
  [[nodiscard]] int under_way() const { return *under_way_; }

 private:
  std::promise<void> let_;
  std::shared_future<void> heard_ = let_.get_future().share();
  std::shared_ptr<std::atomic<int>> under_way_ = std::make_shared<std::atomic<int>>(0);
};

ClientOptions with(FindHost find_host, std::chrono::milliseconds deadline) {
  ClientOptions options;
  options.deadline = deadline;
  options.find_host = std::move(find_host);
  return options;
}

TEST(HostLookup, ACallEndsAtItsDeadlineWhileTheNameIsStillLookedUp) {
  const SlowNames names;
  const auto response = Client(with(names.find_host(), 50ms)).send({.url = "http://localhost:1/"});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::timeout);
  EXPECT_EQ(response.error().reason, kNotSent);
  EXPECT_EQ(names.under_way(), 1);
}

TEST(HostLookup, ACallThatIsStoppedDoesNotWaitForTheName) {
  const SlowNames names;
  std::stop_source stop;
  const Client client(with(names.find_host(), 600s));
  std::jthread stopping([&] {
    EXPECT_TRUE(test::eventually([&] { return names.under_way() == 1; }));
    stop.request_stop();
  });
  const auto response = client.send({.url = "http://localhost:1/"}, stop.get_token());
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message, testing::HasSubstr("stopped"));
}

TEST(HostLookup, AWebSocketEndsAtItsDeadlineToo) {
  const SlowNames names;
  const auto socket = WebSocket::connect("ws://localhost:1/", {}, with(names.find_host(), 50ms));
  ASSERT_FALSE(socket);
  EXPECT_THAT(socket.error().message, testing::HasSubstr("no answer in time"));
  EXPECT_EQ(names.under_way(), 1);
}

TEST(HostLookup, NobodyLooksUpWhatIsWrittenInNumbers) {
  std::atomic<int> asked = 0;
  const Client client(with(
      [&](const std::string&) -> Addresses {
        ++asked;
        return std::vector<std::string>();
      },
      10s));
  for (const char* url : {"http://127.0.0.1:1/", "http://[::1]:1/"}) {
    const auto response = client.send({.url = url});
    ASSERT_FALSE(response);
    EXPECT_THAT(response.error().message, testing::HasSubstr("connect: ")) << url;
  }
  EXPECT_EQ(asked, 0);
}

TEST(HostLookup, SaysThatAHostIsNotKnown) {
  const Client client(with(
      [](const std::string& host) -> Addresses {
        return Error{ErrorCode::not_found, "no " + host};
      },
      10s));
  const auto response = client.send({.url = "http://localhost:1/"});
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message, testing::HasSubstr("resolve localhost: Host not found"));
  EXPECT_EQ(response.error().reason, kNotSent);
}

TEST(HostLookup, TheSystemIsAskedWhereNothingElseIsSaid) {
  const auto response = Client(with({}, 10s)).send({.url = "http://localhost:1/"});
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message, testing::HasSubstr("connect: "));
}

// Each of them keeps a thread until the name server answers.
TEST(HostLookup, OnlySoManyAreUnderWayAtOnce) {
  const SlowNames names;
  const Client client(with(names.find_host(), 20ms));
  for (int i = 0; i < kMostLookups; ++i) {
    EXPECT_EQ(client.send({.url = "http://localhost:1/"}).error().code, ErrorCode::timeout);
  }
  EXPECT_TRUE(test::eventually([&] { return names.under_way() == kMostLookups; }));
  const auto more = Client(with(names.find_host(), 600s)).send({.url = "http://localhost:1/"});
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().message, testing::HasSubstr("resolve localhost: "));
  EXPECT_EQ(names.under_way(), kMostLookups);
}

}  // namespace
}  // namespace dragoman::http
