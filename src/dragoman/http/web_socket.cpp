// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/web_socket.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <fmt/format.h>

#include "dragoman/http/peer_stream.hpp"

namespace dragoman::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using boost::system::error_code;

// Every operation is started and then driven until it has ended or its time is up; a read stays
// under way between calls, so that nothing which arrives in between is lost.
class WebSocket::Connection {
 public:
  explicit Connection(const ClientOptions& options) : options_(options), trust_(options.ca_file) {}

  Result<void> open(const Url& url, const ClientFields& fields) {
    if (url.tls && !trust_.fault().empty()) return Error{ErrorCode::internal, trust_.fault()};
    DRAGOMAN_CHECK(
        drive([this] { return peer().doing(); }, [&](auto done) { peer().async_open(url, done); }));
    socket_.read_message_max(options_.longest_body);
    socket_.set_option(websocket::stream_base::decorator(
        [fields, agent = options_.user_agent](websocket::request_type& request) {
          request.set(beast::http::field::user_agent, agent);
          for (const auto& [name, value] : fields) request.set(name, value);
        }));
    return drive([] { return "upgrade"; },
                 [&](auto done) { socket_.async_handshake(url.authority(), url.target, done); });
  }

  Result<void> send(std::string_view text) {
    if (!closed_.empty()) return Error{ErrorCode::tool_error, closed_};
    return drive([] { return "send"; },
                 [&](auto done) {
                   socket_.async_write(
                       asio::buffer(text.data(), text.size()),
                       [done](const error_code& failed, std::size_t) { done(failed); });
                 });
  }

  Result<std::optional<std::string>> receive(std::chrono::milliseconds timeout) {
    if (!reading_ && closed_.empty()) start_reading();
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    io_.restart();
    while (reading_ && std::chrono::steady_clock::now() < deadline) {
      if (io_.run_one_until(deadline) == 0) break;
    }
    if (reading_) return std::optional<std::string>();
    if (!closed_.empty()) return Error{ErrorCode::tool_error, closed_};
    std::string text = beast::buffers_to_string(buffer_.data());
    buffer_.clear();
    return std::optional<std::string>(std::move(text));
  }

 private:
  PeerStream& peer() { return socket_.next_layer(); }

  template <typename Doing, typename Start>
  Result<void> drive(Doing doing, Start start) {
    std::optional<error_code> ended;
    start([&ended](const error_code& failed) { ended = failed; });
    const auto deadline = std::chrono::steady_clock::now() + options_.deadline;
    io_.restart();
    while (!ended) {
      if (io_.run_one_until(deadline) == 0) break;
    }
    if (ended && !*ended) return {};
    closed_ = fmt::format("{}: {}", doing(), ended ? ended->message() : "no answer in time");
    if (!ended) abandon();
    return Error{ErrorCode::tool_error, closed_};
  }

  // An operation that is out of time still refers to `ended` of its caller: it has to end first.
  void abandon() {
    peer().close();
    io_.restart();
    io_.run_for(std::chrono::seconds(1));
  }

  void start_reading() {
    reading_ = true;
    socket_.async_read(buffer_, [this](const error_code& failed, std::size_t) {
      reading_ = false;
      if (failed) closed_ = fmt::format("the connection has ended: {}", failed.message());
    });
  }

  ClientOptions options_;
  Trust trust_;
  asio::io_context io_{1};
  websocket::stream<PeerStream> socket_{io_, trust_, options_.find_host};
  beast::flat_buffer buffer_;
  bool reading_ = false;
  std::string closed_;  // why nothing goes any more
};

WebSocket::WebSocket(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
WebSocket::~WebSocket() = default;

Result<std::unique_ptr<WebSocket>> WebSocket::connect(const std::string& url,
                                                      const ClientFields& fields,
                                                      const ClientOptions& options) {
  DRAGOMAN_TRY(const Url parsed, parse_url(url));
  try {
    auto connection = std::make_unique<Connection>(options);
    DRAGOMAN_CHECK(connection->open(parsed, fields));
    return std::unique_ptr<WebSocket>(new WebSocket(std::move(connection)));
  } catch (const std::exception& e) {
    return Error{ErrorCode::tool_error,
                 fmt::format("connect {}: {}", parsed.authority(), e.what())};
  }
}

Result<void> WebSocket::send(std::string_view text) { return connection_->send(text); }
Result<std::optional<std::string>> WebSocket::receive(std::chrono::milliseconds timeout) {
  return connection_->receive(timeout);
}

}  // namespace dragoman::http
