// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server: one thread does all input and output, a few others run what may block.
//
// A request is decided by its head alone. `decide` sees it before a byte of the body is read and
// either answers (a refusal, a page) or names the route, which says how large a body may be and
// where its handler runs. A handler gets the whole request and a Reply, which it answers at once or
// later, from any thread, with a response or with a stream that is written piece by piece.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/http/message.hpp"

namespace dragoman::http {

// A response without an end known beforehand. All functions may be called from any thread.
//
// What is written waits in a queue until the peer has taken it. The queue is bounded: whoever
// writes into a full one loses the connection, so a writer that can wait looks at queued() and goes
// on when it is told that there is room.
class Stream {
 public:
  using Piece = std::shared_ptr<const std::string>;

  virtual ~Stream() = default;

  // False: the peer is gone, or the queue is full and the connection is being cut.
  virtual bool write(Piece piece) = 0;
  bool write(std::string piece) {
    return write(std::make_shared<const std::string>(std::move(piece)));
  }
  // Ends the response when everything before is sent, and with it the last piece, if there is one:
  // that goes also where there is no room any more.
  virtual void finish(Piece last = nullptr) = 0;
  [[nodiscard]] virtual std::size_t queued() const = 0;  // bytes
  [[nodiscard]] virtual bool open() const = 0;

  // Both are called in the server's thread and must not block; set them before the first write.
  // `room`: the queue fell below half of its bound. `closed`: once, however the stream ended; at
  // once where it has ended already.
  virtual void when(std::function<void()> room, std::function<void()> closed) = 0;
};

// The one answer of a request. A Reply that goes away unanswered answers 500.
class Reply {
 public:
  class Sender {
   public:
    virtual ~Sender() = default;
    virtual void send(Response response) = 0;
    virtual std::shared_ptr<Stream> stream(Response head) = 0;
  };

  explicit Reply(std::shared_ptr<Sender> sender) : sender_(std::move(sender)) {}
  Reply(Reply&&) = default;
  Reply& operator=(Reply&&) = delete;
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  ~Reply();

  void send(Response response) {
    if (const auto sender = std::move(sender_)) sender->send(std::move(response));
  }
  // Sends the head; its body is what is written to the stream.
  [[nodiscard]] std::shared_ptr<Stream> stream(Response head) {
    const auto sender = std::move(sender_);
    return sender == nullptr ? nullptr : sender->stream(std::move(head));
  }

 private:
  std::shared_ptr<Sender> sender_;
};

// `loop`: in the server's thread, must not block. `pool`: on one of the threads for blocking work;
// these are few, so what waits long takes the Reply elsewhere.
enum class RunsIn : std::uint8_t { loop, pool };

struct Route {
  RunsIn runs_in = RunsIn::pool;
  std::size_t body_limit = 0;  // bytes; a longer body is answered 413
  std::function<void(std::shared_ptr<const Request> request, Reply reply)> handler;
  bool known = false;  // who asks may: the connection is not cut to make room for another
};

using Decision = std::variant<Response, Route>;
// Called in the server's thread with a request without body; must not block.
using Decide = std::function<Decision(const Request& head)>;

struct ServerOptions {
  std::string host = "127.0.0.1";  // an address, no name; empty: no TCP
  std::uint16_t port = 0;          // 0: any free one
  std::string socket;              // path of a Unix socket; empty: none
  // At once, and three quarters of what the process may open at most. Beyond that the one goes that
  // has waited longest for its peer and is not known; where there is none, more wait in the
  // kernel's queue.
  std::size_t connections = 4096;
  std::size_t threads = 8;     // for blocking handlers
  std::size_t waiting = 1024;  // requests that wait for such a thread; more are answered 503
  std::size_t head_bytes = 32 * 1024;
  // Of all requests, arrived or arriving; above: 503.
  std::size_t bodies_bytes = std::size_t{256} << 20U;
  std::size_t stream_bytes = 1024 * 1024;  // queue of one stream
  // How the server says by itself that a request is refused; absent: the words as text.
  std::function<Response(int status, std::string_view why)> refusal;
  Fields every;  // fields of every response, also of those that the server gives by itself
  std::function<void(std::uint16_t port)> bound;   // told the port before the first request is read
  std::chrono::milliseconds head_within{10'000};   // from its first byte to its last
  std::chrono::milliseconds body_idle{10'000};     // between two pieces of a body
  std::chrono::milliseconds body_within{120'000};  // for a whole body
  std::chrono::milliseconds idle{75'000};          // between two requests
  std::chrono::milliseconds write_idle{20'000};    // a peer that takes nothing for so long is cut
  std::chrono::milliseconds drain{2'000};          // how long a shutdown waits for running answers
};

struct ServerStatistics {
  std::uint64_t connections = 0;  // open now
  std::uint64_t accepted = 0;
  std::uint64_t requests = 0;
  std::uint64_t streams = 0;    // open now
  std::uint64_t refused = 0;    // heads that were no HTTP, too large or too slow
  std::uint64_t displaced = 0;  // connections cut to make room for others
  std::uint64_t bytes_sent = 0;
};

class Server {
 public:
  virtual ~Server() = default;  // as stop()

  // Binds and listens; requests are served when this returns.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(ServerOptions options, Decide decide);

  [[nodiscard]] virtual std::uint16_t port() const = 0;  // the one that was bound; 0: no TCP
  // Stops accepting, ends the streams, lets running answers finish, closes.
  virtual void stop() = 0;
  [[nodiscard]] virtual ServerStatistics statistics() const = 0;
};

}  // namespace dragoman::http
