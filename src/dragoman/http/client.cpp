// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/client.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <limits>

#include <fmt/format.h>

namespace dragoman::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;

// How far a request came: what decides whether it may be sent again.
struct Fetch {
  bool sent = false;  // the first byte of it may be with the server
  bool done = false;
  std::string fault;
  ClientResponse response;
};

wire::request<wire::string_body> request_of(const Url& url, const ClientRequest& from,
                                            const std::string& user_agent) {
  wire::request<wire::string_body> request;
  request.method_string(from.method);
  request.target(url.target);
  request.version(11);
  request.set(wire::field::host, url.authority());
  request.set(wire::field::connection, "close");
  request.set(wire::field::user_agent, user_agent);
  for (const auto& [name, value] : from.fields) request.set(name, value);
  request.body() = from.body;
  if (!from.body.empty() || from.method != "GET") request.prepare_payload();
  return request;
}

// Whom we want to talk to, for servers that are many. (The macro of OpenSSL casts in C's way.)
void name_host(SSL* ssl, std::string host) {
  if (SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data()) != 1)
    throw std::runtime_error("the name of the host cannot be sent");
}

template <typename Stream>
asio::awaitable<void> talk(Stream& stream, wire::request<wire::string_body>& request,
                           std::size_t longest, Fetch& fetch) {
  fetch.sent = true;
  co_await wire::async_write(stream, request, asio::use_awaitable);
  beast::flat_buffer buffer;
  wire::response_parser<wire::string_body> parser;
  parser.header_limit(64 * 1024);
  parser.body_limit(longest);
  co_await wire::async_read(stream, buffer, parser, asio::use_awaitable);
  const auto& message = parser.get();
  fetch.response.status = static_cast<int>(message.result_int());
  for (const auto& field : message) {
    fetch.response.fields.emplace_back(std::string(field.name_string()),
                                       std::string(field.value()));
  }
  fetch.response.body = message.body();
  fetch.done = true;
}

asio::awaitable<void> carry_out(const Url& url, wire::request<wire::string_body> request,
                                asio::ssl::context& tls, std::size_t longest, Fetch& fetch) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::resolver resolver(executor);
  const auto found = co_await resolver.async_resolve(url.host, url.port, asio::use_awaitable);
  if (!url.tls) {
    beast::tcp_stream stream(executor);
    co_await stream.async_connect(found, asio::use_awaitable);
    co_await talk(stream, request, longest, fetch);
    co_return;
  }
  asio::ssl::stream<beast::tcp_stream> stream(executor, tls);
  stream.set_verify_callback(asio::ssl::host_name_verification(url.host));
  name_host(stream.native_handle(), url.host);
  co_await stream.next_layer().async_connect(found, asio::use_awaitable);
  co_await stream.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
  co_await talk(stream, request, longest, fetch);
}

// The place to go on with after a redirect that may be followed.
std::optional<Url> followed(const Url& from, const ClientRequest& request,
                            const ClientResponse& response) {
  const int status = response.status;
  if (request.method != "GET") return std::nullopt;
  if (status != 301 && status != 302 && status != 307 && status != 308) return std::nullopt;
  const std::string_view location = response.field("Location");
  Url to = from;
  if (location.starts_with('/') && !location.starts_with("//")) {
    to.target = location;
    return to;
  }
  auto parsed = parse_url(location);
  if (!parsed) return std::nullopt;
  to = *parsed;
  if (to.tls != from.tls || to.host != from.host || to.port != from.port) return std::nullopt;
  return to;
}

bool smuggles(const ClientRequest& request) {
  const auto breaks = [](std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
  };
  for (const auto& [name, value] : request.fields) {
    if (breaks(name) || breaks(value)) return true;
  }
  return breaks(request.method);
}

}  // namespace

// Made once: reading the authorities of the system takes longer than a request.
class Client::Tls {
 public:
  explicit Tls(const std::string& ca_file) {
    context_.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                         asio::ssl::context::no_tlsv1_1);
    context_.set_verify_mode(asio::ssl::verify_peer);
    boost::system::error_code failed;
    if (ca_file.empty()) {
      context_.set_default_verify_paths(failed);
    } else {
      context_.load_verify_file(ca_file, failed);
    }
    if (failed) fault_ = fmt::format("read certificates {}: {}", ca_file, failed.message());
  }
  [[nodiscard]] asio::ssl::context& context() { return context_; }
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  asio::ssl::context context_{asio::ssl::context::tls_client};
  std::string fault_;
};

Client::Client(ClientOptions options)
    : options_(std::move(options)), tls_(std::make_unique<Tls>(options_.ca_file)) {}
Client::~Client() = default;

Result<ClientResponse> Client::send(const ClientRequest& request,
                                    const std::stop_token& stop) const {
  DRAGOMAN_TRY(Url url, parse_url(request.url));
  if (smuggles(request))
    return Error{ErrorCode::validation, "a field of the request has a line end", "not_sent"};
  if (url.tls && !tls_->fault().empty())
    return Error{ErrorCode::internal, tls_->fault(), std::string(kNotSent)};
  const auto deadline = std::chrono::steady_clock::now() + options_.deadline;
  for (int hop = 0;; ++hop) {
    Fetch fetch;
    asio::io_context io(1);
    const std::stop_callback on_stop(stop, [&io] { io.stop(); });
    asio::co_spawn(io,
                   carry_out(url, request_of(url, request, options_.user_agent), tls_->context(),
                             options_.longest_body, fetch),
                   [&fetch](const std::exception_ptr& thrown) {
                     try {
                       if (thrown) std::rethrow_exception(thrown);
                     } catch (const std::exception& e) {
                       fetch.fault = e.what();
                     }
                   });
    io.run_until(deadline);
    if (fetch.done) {
      const auto next = followed(url, request, fetch.response);
      if (!next || hop == 3) return std::move(fetch.response);
      url = *next;
      continue;
    }
    std::string why = fetch.fault;
    if (why.empty()) why = stop.stop_requested() ? "stopped" : "no answer in time";
    return Error{why == "no answer in time" ? ErrorCode::timeout : ErrorCode::tool_error,
                 fmt::format("{} {}: {}", request.method, url.authority(), why),
                 std::string(fetch.sent ? kUnsure : kNotSent)};
  }
}

}  // namespace dragoman::http
