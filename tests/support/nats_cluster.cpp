// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nats_cluster.hpp"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/eventually.hpp"
#include "tests/support/signals.hpp"

namespace dragoman::test {

namespace {

constexpr const char* kProgram = "/usr/sbin/nats-server";

const char* find_server() {
  for (const char* path : {kProgram, "/usr/bin/nats-server", "/usr/local/bin/nats-server"}) {
    if (::access(path, X_OK) == 0) return path;
  }
  return nullptr;
}

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), length), 0);
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length), 0);
  ::close(fd);
  return ntohs(address.sin_port);
}

bool answers(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool connected = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return connected;
}

}  // namespace

bool have_nats() {
  static const bool kHave = find_server() != nullptr && [] {
    void* library = ::dlopen("libnats.so.3.4", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr;
  }();
  return kHave;
}

NatsCluster::NatsCluster(std::size_t size, std::string host, const std::string& more)
    : host_(std::move(host)), servers_(size) {
  for (auto& server : servers_) server = {free_port(), free_port(), -1};
  for (std::size_t i = 0; i < size; ++i) {
    std::string routes;
    for (const auto& server : servers_)
      routes += fmt::format("{}\"nats://127.0.0.1:{}\"", routes.empty() ? "" : ", ", server.route);
    std::string config = fmt::format(
        "listen: \"{}:{}\"\nserver_name: n{}\njetstream {{ store_dir: \"{}\", max_file: 4GB "
        "}}\n",
        host_ == "127.0.0.1" ? host_ : "0.0.0.0", servers_[i].port, i,
        (directory(i) / "data").string());
    if (size > 1) {
      config += fmt::format("cluster {{ name: test, listen: \"127.0.0.1:{}\", routes: [ {} ] }}\n",
                            servers_[i].route, routes);
    }
    std::filesystem::create_directories(directory(i));
    write_file(directory(i) / "nats.conf", config + more);
    start(i);
  }
  EXPECT_TRUE(wait_until_ready());
}

NatsCluster::~NatsCluster() {
  for (std::size_t i = 0; i < servers_.size(); ++i) kill(i);
}

std::filesystem::path NatsCluster::directory(std::size_t server) const {
  return directory_.path() / fmt::format("n{}", server);
}

std::string NatsCluster::url_of(std::size_t server, const std::string& space) const {
  return fmt::format("nats://{}:{}/{}?replicas={}", host_, servers_[server].port, space,
                     servers_.size() > 1 ? 3 : 1);
}

std::string NatsCluster::url(const std::string& space) const {
  std::string hosts;
  for (const auto& server : servers_)
    hosts += fmt::format("{}{}:{}", hosts.empty() ? "" : ",", host_, server.port);
  return fmt::format("nats://{}/{}?replicas={}", hosts, space, servers_.size() > 1 ? 3 : 1);
}

void NatsCluster::start(std::size_t server) {
  const std::string config = directory(server) / "nats.conf";
  const std::string log = directory(server) / "log";
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(fd, 1);
    ::dup2(fd, 2);
    ::close_range(3, ~0U, 0);
    ::execl(find_server(), "nats-server", "-c", config.c_str(), nullptr);
    ::_exit(127);
  }
  servers_[server].pid = pid;
}

void NatsCluster::send(std::size_t server, int signal) const {
  send_signal(servers_[server].pid, signal);
}

void NatsCluster::kill(std::size_t server) {
  if (servers_[server].pid <= 0) return;
  ::kill(servers_[server].pid, SIGKILL);
  ::waitpid(servers_[server].pid, nullptr, 0);
  servers_[server].pid = -1;
}

bool NatsCluster::wait_until_ready() const {
  return eventually([this] {
    for (const auto& server : servers_) {
      if (server.pid > 0 && !answers(server.port)) return false;
    }
    return true;
  });
}

NatsCluster& shared_nats_server() {
  static NatsCluster server(1);
  return server;
}

std::string fresh_space() {
  static std::atomic<int> count = 0;
  return fmt::format("t{}-{}", ::getpid(), ++count);
}

}  // namespace dragoman::test
