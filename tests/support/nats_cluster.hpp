// SPDX-License-Identifier: Apache-2.0
// Real NATS servers for tests: one alone, or three that agree with each other.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/files.hpp"

namespace dragoman::test {

// Whether nats-server and the client library are installed. Where they must be, as in CI, the
// environment has DRAGOMAN_NO_SKIP=1 and a test that needs them fails instead of being skipped.
[[nodiscard]] bool have_nats();

// Servers on free ports of 127.0.0.1, with their files in a directory of their own. They are killed
// when the object goes.
class NatsCluster {
 public:
  // `host`: the address that clients use, on which all of them listen. `more`: goes into their
  // configuration, such as who may come in.
  explicit NatsCluster(std::size_t size, std::string host = "127.0.0.1",
                       const std::string& more = "");
  ~NatsCluster();
  NatsCluster(const NatsCluster&) = delete;
  NatsCluster& operator=(const NatsCluster&) = delete;

  // nats://127.0.0.1:4222,…/space?replicas=…
  [[nodiscard]] std::string url(const std::string& space) const;
  [[nodiscard]] std::string url_of(std::size_t server, const std::string& space) const;
  [[nodiscard]] int port(std::size_t server) const { return servers_[server].port; }
  [[nodiscard]] std::size_t size() const { return servers_.size(); }

  void start(std::size_t server);
  void kill(std::size_t server);  // as a power cut would
  void send(std::size_t server, int signal) const;
  [[nodiscard]] bool wait_until_ready() const;

 private:
  struct Server {
    int port = 0;
    int route = 0;
    pid_t pid = -1;
  };
  [[nodiscard]] std::filesystem::path directory(std::size_t server) const;

  std::string host_;
  TempDir directory_;
  std::vector<Server> servers_;
};

// The one server that all tests of this process share; made when it is first wanted.
[[nodiscard]] NatsCluster& shared_nats_server();
// A name for a fleet that no other test has.
[[nodiscard]] std::string fresh_space();

}  // namespace dragoman::test

// At the beginning of a test or of SetUp().
#define DRAGOMAN_NEEDS_NATS()                                                                    \
  if (!::dragoman::test::have_nats()) {                                                          \
    if (::getenv("DRAGOMAN_NO_SKIP") != nullptr) FAIL() << "nats-server or libnats is missing";  \
    GTEST_SKIP() << "nats-server or libnats is missing: apt-get install nats-server libnats3.4"; \
  }                                                                                              \
  static_assert(true)
