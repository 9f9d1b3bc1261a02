// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/web_socket.hpp"

#include <openssl/ssl.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <variant>

#include <fmt/format.h>

namespace dragoman::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

// Every operation is started and then driven until it has ended or its time is up; a read stays
// under way between calls, so that nothing which arrives in between is lost.
class WebSocket::Connection {
 public:
  explicit Connection(const ClientOptions& options) : options_(options) {}

  Result<void> open(const Url& url, const ClientFields& fields) {
    DRAGOMAN_TRY(const auto found, resolve(url));
    if (!url.tls) {
      plain_.emplace(io_);
      DRAGOMAN_CHECK(connect(plain_->next_layer(), found));
      return shake_hands(*plain_, url, fields);
    }
    tls_.set_verify_mode(asio::ssl::verify_peer);
    error_code failed;
    if (options_.ca_file.empty()) {
      tls_.set_default_verify_paths(failed);
    } else {
      tls_.load_verify_file(options_.ca_file, failed);
    }
    if (failed) return fault("read certificates", failed);
    secure_.emplace(io_, tls_);
    secure_->next_layer().set_verify_callback(asio::ssl::host_name_verification(url.host));
    std::string host = url.host;
    SSL_ctrl(secure_->next_layer().native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
             TLSEXT_NAMETYPE_host_name, host.data());
    DRAGOMAN_CHECK(connect(secure_->next_layer().next_layer(), found));
    DRAGOMAN_CHECK(drive("TLS", [this](auto done) {
      secure_->next_layer().async_handshake(asio::ssl::stream_base::client, done);
    }));
    return shake_hands(*secure_, url, fields);
  }

  Result<void> send(std::string_view text) {
    if (!closed_.empty()) return Error{ErrorCode::tool_error, closed_};
    return drive("send", [&](auto done) {
      const auto sent = [done](const error_code& failed, std::size_t) { done(failed); };
      const auto bytes = asio::buffer(text.data(), text.size());
      plain_ ? plain_->async_write(bytes, sent) : secure_->async_write(bytes, sent);
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
  static Error fault(std::string_view doing, const error_code& failed) {
    return {ErrorCode::tool_error, fmt::format("{}: {}", doing, failed.message())};
  }

  template <typename Start>
  Result<void> drive(std::string_view doing, Start start) {
    std::optional<error_code> ended;
    start([&ended](const error_code& failed) { ended = failed; });
    const auto deadline = std::chrono::steady_clock::now() + options_.deadline;
    io_.restart();
    while (!ended) {
      if (io_.run_one_until(deadline) == 0) break;
    }
    if (ended && !*ended) return {};
    closed_ = ended ? fault(doing, *ended).message : fmt::format("{}: no answer in time", doing);
    if (!ended) abandon();
    return Error{ErrorCode::tool_error, closed_};
  }

  // An operation that is out of time still refers to `ended` of its caller: it has to end first.
  void abandon() {
    error_code ignored;
    if (plain_) plain_->next_layer().close(ignored);
    if (secure_) secure_->next_layer().next_layer().close(ignored);
    io_.restart();
    io_.run_for(std::chrono::seconds(1));
  }

  Result<tcp::resolver::results_type> resolve(const Url& url) {
    tcp::resolver resolver(io_);
    tcp::resolver::results_type found;
    DRAGOMAN_CHECK(drive("resolve " + url.host, [&](auto done) {
      resolver.async_resolve(url.host, url.port,
                             [&found, done](const error_code& failed, auto results) {
                               found = results;
                               done(failed);
                             });
    }));
    return found;
  }

  Result<void> connect(tcp::socket& socket, const tcp::resolver::results_type& found) {
    return drive("connect", [&](auto done) {
      asio::async_connect(socket, found,
                          [done](const error_code& failed, const auto&) { done(failed); });
    });
  }

  template <typename Stream>
  Result<void> shake_hands(Stream& stream, const Url& url, const ClientFields& fields) {
    stream.read_message_max(options_.longest_body);
    stream.set_option(websocket::stream_base::decorator(
        [fields, agent = options_.user_agent](websocket::request_type& request) {
          request.set(beast::http::field::user_agent, agent);
          for (const auto& [name, value] : fields) request.set(name, value);
        }));
    return drive("upgrade",
                 [&](auto done) { stream.async_handshake(url.authority(), url.target, done); });
  }

  void start_reading() {
    reading_ = true;
    const auto read = [this](const error_code& failed, std::size_t) {
      reading_ = false;
      if (failed) closed_ = fault("the connection has ended", failed).message;
    };
    plain_ ? plain_->async_read(buffer_, read) : secure_->async_read(buffer_, read);
  }

  ClientOptions options_;
  asio::io_context io_{1};
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  std::optional<websocket::stream<tcp::socket>> plain_;
  std::optional<websocket::stream<asio::ssl::stream<tcp::socket>>> secure_;
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
