// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/server.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <ctime>
#include <future>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "dragoman/http/connection.hpp"
#include "dragoman/http/listen.hpp"

namespace dragoman::http {

namespace asio = boost::asio;
using boost::system::error_code;
using Tcp = asio::ip::tcp;
using Unix = asio::local::stream_protocol;

namespace {

constexpr std::chrono::milliseconds kSweep{50};

Peer peer_of(const Connection::Socket& socket, bool is_unix) {
  auto& mutable_socket = const_cast<Connection::Socket&>(socket);  // native_handle() is not const
  const int fd = mutable_socket.native_handle();
  if (is_unix) {
    ucred who{};
    socklen_t size = sizeof who;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return {"unix", {}};
    return {"unix", who.uid};
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  error_code failed;
  const auto end = socket.remote_endpoint(failed);
  Tcp::endpoint endpoint;
  if (failed || end.size() > endpoint.capacity()) return {};
  std::memcpy(endpoint.data(), end.data(), end.size());
  return {fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port()), {}};
}

bool is_out_of_descriptors(const error_code& failed) {
  return failed.value() == EMFILE || failed.value() == ENFILE;
}

// A quarter of the descriptors is for what lies behind the connections: the store, the tasks.
std::size_t most_connections(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  return std::min<std::size_t>(wanted, std::max<rlim_t>(1, limit.rlim_cur / 4 * 3));
}

// Makes the kernel's table of descriptors large enough at once. Where it grows while threads run,
// the thread that accepts waits some ten milliseconds at each doubling.
void make_table_for(std::size_t connections, int some_descriptor) {
  const auto most = static_cast<int>(connections + connections / 4);
  const int high = ::fcntl(some_descriptor, F_DUPFD_CLOEXEC, most);
  if (high >= 0) ::close(high);
}

class AsioServer final : public Server {
 public:
  AsioServer(ServerOptions options, Decide decide)
      : core_(std::make_shared<Core>(std::move(options), std::move(decide))),
        sweep_(core_->io),
        tcp_(core_->io),
        unix_(core_->io) {
    for (const auto& [name, value] : core_->options.every.all())
      core_->every += fmt::format("{}: {}\r\n", name, value);
  }
  ~AsioServer() override { stop(); }

  Result<void> open() {
    const ServerOptions& options = core_->options;
    core_->options.connections = most_connections(options.connections);
    if (!options.host.empty()) {
      DRAGOMAN_TRY(const int fd, listen_tcp(options.host, options.port));
      port_ = port_of(fd);
      make_table_for(options.connections, fd);
      tcp_.assign(options.host.find(':') == std::string::npos ? Tcp::v4() : Tcp::v6(), fd);
      accept(tcp_, /*is_unix=*/false);
    }
    if (!options.socket.empty()) {
      DRAGOMAN_TRY(const int fd, listen_unix(options.socket));
      unix_.assign(Unix(), fd);
      accept(unix_, /*is_unix=*/true);
    }
    if (options.bound) options.bound(port_);
    sweep();
    thread_ = std::thread([this] { core_->io.run(); });
    return {};
  }

  [[nodiscard]] std::uint16_t port() const override { return port_; }

  void stop() override {
    if (!thread_.joinable()) return;
    asio::post(core_->io, [this] { begin_to_stop(); });
    thread_.join();
    core_->pool.join();
    core_->over = true;
    core_->io.restart();
    core_->io.poll();  // what was posted meanwhile lets go of what it holds
    if (!core_->options.socket.empty()) ::unlink(core_->options.socket.c_str());
  }

  [[nodiscard]] ServerStatistics statistics() const override {
    return {core_->open_connections, core_->accepted,  core_->requests,  core_->streams,
            core_->refused,          core_->displaced, core_->bytes_sent};
  }

 private:
  asio::awaitable<void> pause() {
    asio::steady_timer time(core_->io, std::chrono::milliseconds(20));
    error_code ignored;
    co_await time.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }

  template <typename Acceptor>
  void accept(Acceptor& acceptor, bool is_unix) {
    asio::co_spawn(
        core_->io,
        [this, &acceptor, is_unix]() -> asio::awaitable<void> {
          while (!core_->stopping) {
            Connection::Socket socket(core_->io);
            error_code failed;
            co_await acceptor.async_accept(socket,
                                           asio::redirect_error(asio::use_awaitable, failed));
            if (core_->stopping) break;
            if (failed) {
              const bool again = is_out_of_descriptors(failed) && core_->make_room();
              if (!again) co_await pause();
              continue;
            }
            // Where none can go it waits, and those behind it in the kernel's queue.
            while (!core_->stopping && !core_->has_room() && !core_->make_room()) co_await pause();
            if (core_->stopping) break;
            ++core_->accepted;
            Peer peer = peer_of(socket, is_unix);
            std::make_shared<Connection>(core_, std::move(socket), std::move(peer))->start();
          }
        },
        asio::detached);
  }

  // Looks at every connection's deadline: cheaper than a timer that each request sets anew.
  void sweep() {
    const auto now = Core::Clock::now();
    if (now > core_->date_until) {
      core_->date =
          fmt::format("Date: {:%a, %d %b %Y %H:%M:%S} GMT\r\n", fmt::gmtime(std::time(nullptr)));
      core_->date_until = now + std::chrono::milliseconds(500);
    }
    const std::vector<Connection*> all(core_->connections.begin(), core_->connections.end());
    for (Connection* const one : all)
      if (core_->connections.count(one) > 0) one->check(now);
    if (core_->stopping && (core_->connections.empty() || now > stop_by_)) {
      for (Connection* const one : all)
        if (core_->connections.count(one) > 0) one->cut();
      if (core_->connections.empty() || now > stop_by_ + kSweep * 4) {
        core_->io.stop();
        return;
      }
    }
    sweep_.expires_after(kSweep);
    sweep_.async_wait([this](error_code failed) {
      if (!failed) sweep();
    });
  }

  void begin_to_stop() {
    core_->stopping = true;
    stop_by_ = Core::Clock::now() + core_->options.drain;
    error_code ignored;
    (void)tcp_.close(ignored);
    (void)unix_.close(ignored);
    const std::vector<Connection*> all(core_->connections.begin(), core_->connections.end());
    for (Connection* const one : all)
      if (core_->connections.count(one) > 0) one->stop();
    sweep_.cancel();
    sweep();
  }

  std::shared_ptr<Core> core_;
  asio::steady_timer sweep_;
  Tcp::acceptor tcp_;
  Unix::acceptor unix_;
  std::uint16_t port_ = 0;
  Core::Clock::time_point stop_by_{};
  std::thread thread_;
};

}  // namespace

Reply::~Reply() {
  if (sender_ != nullptr) sender_->send({.status = 500, .fields = {}, .body = {}});
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Decide decide) {
  auto server = std::make_unique<AsioServer>(std::move(options), std::move(decide));
  DRAGOMAN_CHECK(server->open());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace dragoman::http
