// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <fmt/format.h>

#include "dragoman/http/peer_stream.hpp"

namespace dragoman::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

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

asio::awaitable<void> carry_out(asio::io_context& io, const Url& url,
                                wire::request<wire::string_body> request, const Trust& trust,
                                const ClientOptions& options, Fetch& fetch) {
  PeerStream stream(io, trust, options.find_host);
  try {
    co_await stream.async_open(url, asio::use_awaitable);
  } catch (const boost::system::system_error& e) {
    fetch.fault = fmt::format("{}: {}", stream.doing(), e.code().message());
    co_return;
  }
  fetch.sent = true;
  co_await wire::async_write(stream, request, asio::use_awaitable);
  beast::flat_buffer buffer;
  wire::response_parser<wire::string_body> parser;
  parser.header_limit(64 * 1024);
  parser.body_limit(options.longest_body);
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

Client::Client(ClientOptions options)
    : options_(std::move(options)), trust_(std::make_unique<Trust>(options_.ca_file)) {}
Client::~Client() = default;

Result<ClientResponse> Client::send(const ClientRequest& request,
                                    const std::stop_token& stop) const {
  DRAGOMAN_TRY(Url url, parse_url(request.url));
  if (smuggles(request))
    return Error{ErrorCode::validation, "a field of the request has a line end", "not_sent"};
  if (url.tls && !trust_->fault().empty())
    return Error{ErrorCode::internal, trust_->fault(), std::string(kNotSent)};
  const auto deadline = std::chrono::steady_clock::now() + options_.deadline;
  for (int hop = 0;; ++hop) {
    Fetch fetch;
    asio::io_context io(1);
    const std::stop_callback on_stop(stop, [&io] { io.stop(); });
    asio::co_spawn(
        io,
        carry_out(io, url, request_of(url, request, options_.user_agent), *trust_, options_, fetch),
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
