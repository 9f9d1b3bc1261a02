// SPDX-License-Identifier: Apache-2.0
// A probe of the server's health beside a crowd of connections that do nothing. How long it takes
// is compared with what it takes on the same machine without them; the exact figures are bench/'s
// to find.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/http/server.hpp"
#include "dragoman/process/supervisor.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kAtOnce = 100ms;
constexpr int kTimesAlone = 20;  // times as long as without the crowd
constexpr int kProbesAfter = 200;
constexpr int kTries = 8;
const std::size_t kStrangers = scaled(10'000);

class CrowdTime : public testing::Test {
 protected:
  void SetUp() override {
    process::raise_descriptor_limit();
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur < 2 * kStrangers)
      GTEST_SKIP() << "both ends of so many connections are not allowed";
    http::ServerOptions options;
    options.connections = scaled(4096);
    options.idle = options.head_within = options.body_idle = 10min;  // nothing goes by itself
    auto server = http::Server::start(options, [](const http::Request&) -> http::Decision {
      return http::Response{.body = "ok"};
    });
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }

  // Of the probes until `done`, and of so many more.
  [[nodiscard]] Clock::duration slowest_probe(const std::atomic<bool>& done) const {
    Clock::duration slowest{};
    for (int left = kProbesAfter; left > 0; left -= done ? 1 : 0) {
      const auto begin = Clock::now();
      const auto answer = ask_once(server_->port(),
                                   "GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
      slowest = std::max(slowest, Clock::now() - begin);
      EXPECT_TRUE(answer && answer->body == "ok");
    }
    return slowest;
  }

  [[nodiscard]] Clock::duration slowest_probe_in_a_crowd() const {
    std::atomic<bool> all_are_there = false;
    std::vector<std::unique_ptr<RawClient>> idle(kStrangers);
    std::jthread crowd([&] {
      for (auto& one : idle) one = std::make_unique<RawClient>(server_->port());
      all_are_there = true;
    });
    return slowest_probe(all_are_there);
  }

  std::unique_ptr<http::Server> server_;
};

TEST_F(CrowdTime, AProbeIsAnsweredAtOnceBesideTenThousandIdleConnections) {
  Clock::duration alone{};
  Clock::duration beside{};
  for (int chance = 0; chance < kTries; ++chance) {
    alone = slowest_probe(true);
    beside = slowest_probe_in_a_crowd();
    if (beside <= std::max<Clock::duration>(kAtOnce, kTimesAlone * alone)) return;
  }
  ADD_FAILURE() << "alone " << alone / 1us << " µs, beside the crowd " << beside / 1us << " µs";
}

}  // namespace
}  // namespace dragoman::test
