// SPDX-License-Identifier: Apache-2.0
// Bytes to and from somebody else's server, in the clear or through TLS.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/system/error_code.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/http/client.hpp"

namespace dragoman::http {

// Whom we believe: the authorities of the system, or those of a file instead. Made once: reading
// them takes longer than a request.
class Trust {
 public:
  explicit Trust(const std::string& ca_file);
  ~Trust();
  Trust(const Trust&) = delete;
  Trust& operator=(const Trust&) = delete;

  [[nodiscard]] const std::string& fault() const { return fault_; }  // empty: they could be read

 private:
  friend class PeerStream;
  struct Context;
  std::unique_ptr<Context> context_;
  std::string fault_;
};

// What Asio calls an AsyncStream. It is one type for both kinds of connection and forgets what its
// handlers are: HTTP and WebSockets, which stand on it, are compiled once and not for each.
// For an io_context that one thread runs.
class PeerStream {
 public:
  using executor_type = boost::asio::any_io_executor;
  using Failure = boost::system::error_code;

  PeerStream(boost::asio::io_context& io, const Trust& trust, FindHost find_host);
  ~PeerStream();
  PeerStream(const PeerStream&) = delete;
  PeerStream& operator=(const PeerStream&) = delete;

  [[nodiscard]] executor_type get_executor();

  // Finds the host, connects and, for TLS, checks the certificate and the name in it.
  // void(error_code); doing() says what failed.
  template <typename Token>
  auto async_open(const Url& url, Token&& token) {
    return boost::asio::async_initiate<Token, void(Failure)>(
        [this, &url](auto handler) { open(url, remembered(std::move(handler))); }, token);
  }
  [[nodiscard]] const std::string& doing() const;
  void close();

  // void(error_code, std::size_t)
  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(Failure, std::size_t)>(
        [this](auto handler, const std::vector<boost::asio::mutable_buffer>& into) {
          read_some(into, remembered(std::move(handler)));
        },
        token, listed<boost::asio::mutable_buffer>(buffers));
  }
  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(Failure, std::size_t)>(
        [this](auto handler, const std::vector<boost::asio::const_buffer>& from) {
          write_some(from, remembered(std::move(handler)));
        },
        token, listed<boost::asio::const_buffer>(buffers));
  }

 private:
  using Opened = std::function<void(Failure)>;
  using Moved = std::function<void(Failure, std::size_t)>;
  struct Connection;

  // A function wants to be copied, a handler can only be moved.
  template <typename Handler>
  static auto remembered(Handler handler) {
    return [kept = std::make_shared<Handler>(std::move(handler))](auto... result) {
      std::move (*kept)(result...);
    };
  }
  template <typename Buffer, typename Buffers>
  static std::vector<Buffer> listed(const Buffers& buffers) {
    return {boost::asio::buffer_sequence_begin(buffers), boost::asio::buffer_sequence_end(buffers)};
  }

  void open(const Url& url, const Opened& done);
  void read_some(const std::vector<boost::asio::mutable_buffer>& into, Moved done);
  void write_some(const std::vector<boost::asio::const_buffer>& from, Moved done);

  std::unique_ptr<Connection> connection_;
};

// How Beast ends a WebSocket on it.
inline void beast_close_socket(PeerStream& stream) { stream.close(); }
template <typename Handler>
void async_teardown(boost::beast::role_type /*role*/, PeerStream& stream, Handler&& handler) {
  stream.close();
  boost::asio::post(
      stream.get_executor(),
      boost::beast::bind_handler(std::forward<Handler>(handler), boost::system::error_code()));
}

}  // namespace dragoman::http
