// SPDX-License-Identifier: Apache-2.0
// One connection, from accept to close. Everything here runs in the server's thread.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "dragoman/http/body.hpp"
#include "dragoman/http/head.hpp"
#include "dragoman/http/pool.hpp"
#include "dragoman/http/server.hpp"
#include "dragoman/http/stream_queue.hpp"

namespace dragoman::http {

class Connection;

// Awaits an operation and puts into `failed` what would be thrown.
inline auto error_into(boost::system::error_code& failed) {
  return boost::asio::redirect_error(boost::asio::use_awaitable, failed);
}

// What all connections of a server share.
struct Core {
  using Clock = std::chrono::steady_clock;

  Core(ServerOptions the_options, Decide the_decide)
      : options(std::move(the_options)), decide(std::move(the_decide)), pool(options.threads) {}

  ServerOptions options;
  Decide decide;
  boost::asio::io_context io{1};
  Pool pool;
  std::unordered_set<Connection*> connections;  // of the loop
  std::list<Connection*> strangers;  // those not known that wait for their peers, longest first
  std::size_t ending = 0;            // of the connections: are cut, and not gone yet
  std::string every;                 // options.every as text
  std::string date;
  std::array<char, 16 * 1024> arrived;  // of whichever connection reads just now
  Clock::time_point date_until{};
  bool stopping = false;
  std::atomic<bool> over = false;  // nobody runs the loop any more
  std::atomic<std::size_t> waiting = 0;
  std::atomic<std::size_t> bodies = 0;
  std::atomic<std::uint64_t> open_connections = 0;
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> streams = 0;
  std::atomic<std::uint64_t> refused = 0;
  std::atomic<std::uint64_t> displaced = 0;
  std::atomic<std::uint64_t> bytes_sent = 0;

  [[nodiscard]] bool has_room() const { return connections.size() - ending < options.connections; }
  // Cuts the stranger that has waited longest. False: there is none.
  bool make_room();
};

// What one request takes of the room for bodies, from its first byte on; given back with the
// object.
class BodyShare {
 public:
  explicit BodyShare(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  ~BodyShare() { core_->bodies -= bytes_; }
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;

  // False: all of them together have too much.
  [[nodiscard]] bool grow_to(std::size_t bytes) {
    core_->bodies += bytes - bytes_;  // modulo, so it may become less as well
    bytes_ = bytes;
    return core_->bodies <= core_->options.bodies_bytes;
  }

 private:
  std::shared_ptr<Core> core_;
  std::size_t bytes_ = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  Connection(std::shared_ptr<Core> core, Socket socket, Peer peer);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();
  // Cuts it when its time is over.
  void check(Core::Clock::time_point now) {
    if (now > deadline_) cut();
  }
  void stop();  // gracefully: a running answer may still go out
  void cut();

  // The answer to request number `number`; later ones are dropped.
  void answer(std::uint64_t number, Response response);
  void answer(std::uint64_t number, Response head, const std::shared_ptr<StreamQueue>& stream);
  void signal() { signal_.cancel(); }

  [[nodiscard]] const std::shared_ptr<Core>& core() const { return core_; }

 private:
  using Flow = boost::asio::awaitable<void>;
  using Yes = boost::asio::awaitable<bool>;

  // How the request at hand is to be answered.
  struct Manner {
    bool head_only = false;
    bool http_1_0 = false;
    bool keep = true;
  };

  // g++ 12 makes wrong code of a co_await inside a condition: each stands in a statement of its
  // own.
  Flow run();
  Yes serve_one();
  Yes fetch_head(std::string& head);
  Yes fetch_body(BodyReader& reader, BodyShare& share);
  [[nodiscard]] bool receive_at_once();
  Yes receive();
  Yes handle(Head& head);
  Yes wait_for_answer(Manner manner);
  [[nodiscard]] Response refusal(int status, std::string_view why) const;
  Flow refuse(int status, std::string_view why);
  Yes send(const Response& response, Manner manner);
  Flow send_stream(Manner manner);
  Yes send_batch(const StreamQueue::Batch& batch, bool chunked);
  Yes write(std::string_view bytes);
  Flow linger();
  void hand_over(const Route& route, std::shared_ptr<const Request> request);
  void watch_for_end();
  // The peer has its time from now on; the server has all it needs.
  void within(std::chrono::milliseconds time);
  void without_deadline();
  [[nodiscard]] std::string head_text(int status, const Fields& fields, std::string_view framing,
                                      bool keep);

  std::shared_ptr<Core> core_;
  Socket socket_;
  Peer peer_;
  boost::asio::steady_timer signal_;
  Core::Clock::time_point deadline_ = Core::Clock::time_point::max();
  std::string buffer_;  // received, not yet used
  std::uint64_t number_ = 0;
  std::optional<Response> answer_;
  std::shared_ptr<StreamQueue> stream_;
  bool busy_ = false;  // between the head of a request and the end of its answer
  bool gone_ = false;
  bool known_ = false;            // it has brought a request of one who may ask
  std::list<Connection*> place_;  // one, this, while it is not in Core's list of strangers
  std::list<Connection*>::iterator self_ = place_.begin();
};

}  // namespace dragoman::http
