// SPDX-License-Identifier: Apache-2.0
// One TLS connection, read by the thread of libnats and written by ours.
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/log/open_log.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/scale.hpp"

namespace dragoman {
namespace {

using test::value_of;

// Each thread writes and reads back, entries of all sizes up to several TLS records, while the
// answers to the others come in.
TEST(NatsTls, WhatManyThreadsWriteAndReadOverOneConnectionIsWhole) {
  DRAGOMAN_NEEDS_NATS();
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kLongest = 40'000;
  const test::TempDir directory;
  ASSERT_TRUE(test::make_certificates(directory.path())) << "openssl is missing";
  const auto file = [&](const char* name) { return (directory.path() / name).string(); };
  const test::NatsCluster cluster(1, "127.0.0.1",
                                  fmt::format("tls {{ cert_file: \"{}\", key_file: \"{}\" }}\n",
                                              file("server.pem"), file("server.key")));
  const auto log = value_of(open_log(
      fmt::format("tls://localhost:{}/tls?replicas=1&ca={}", cluster.port(0), file("ca.pem")), ""));
  const std::size_t count = test::scaled(2'000);
  const auto entry = [](std::size_t thread, std::size_t number) {
    return std::string(1 + number * 7919 % kLongest, static_cast<char>('a' + thread));
  };
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const std::string stream = fmt::format("s{}", thread);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_TRUE(write_one(*log, Append{stream, {entry(thread, i)}, i})) << i;
        const auto back = log->read(stream, i + 1, 1);
        ASSERT_TRUE(back) << back.error().message;
        ASSERT_EQ(back->size(), 1U);
        EXPECT_EQ(back->front().body, entry(thread, i)) << i;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace dragoman
