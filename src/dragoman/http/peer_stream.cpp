// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/peer_stream.hpp"

#include <openssl/ssl.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <tuple>

#include <fmt/format.h>

#include "dragoman/http/host_lookup.hpp"

namespace dragoman::http {

namespace asio = boost::asio;
using asio::ip::tcp;

struct Trust::Context {
  asio::ssl::context tls{asio::ssl::context::tls_client};
};

Trust::Trust(const std::string& ca_file) : context_(std::make_unique<Context>()) {
  asio::ssl::context& tls = context_->tls;
  tls.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                  asio::ssl::context::no_tlsv1_1);
  tls.set_verify_mode(asio::ssl::verify_peer);
  boost::system::error_code failed;
  failed = ca_file.empty() ? tls.set_default_verify_paths(failed)
                           : tls.load_verify_file(ca_file, failed);
  if (failed) fault_ = fmt::format("read certificates {}: {}", ca_file, failed.message());
}
Trust::~Trust() = default;

struct PeerStream::Connection {
  Connection(asio::io_context& io, asio::ssl::context& with, FindHost find_host)
      : lookup(io, std::move(find_host)), secure(io, with) {}

  // Whom we want to talk to, for servers that are many, and who has to answer. (The macro of
  // OpenSSL for the first casts in C's way.)
  bool name_host(std::string host) {
    secure.set_verify_callback(asio::ssl::host_name_verification(host));
    return SSL_ctrl(secure.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                    host.data()) == 1;
  }

  HostLookup lookup;
  asio::ssl::stream<tcp::socket> secure;
  tcp::socket& plain = secure.next_layer();
  bool tls = false;
  std::string doing;
};

PeerStream::PeerStream(asio::io_context& io, const Trust& trust, FindHost find_host)
    : connection_(std::make_unique<Connection>(io, trust.context_->tls, std::move(find_host))) {}
PeerStream::~PeerStream() = default;

PeerStream::executor_type PeerStream::get_executor() { return connection_->plain.get_executor(); }
const std::string& PeerStream::doing() const { return connection_->doing; }

void PeerStream::close() {
  Failure ignored;
  connection_->lookup.cancel();
  std::ignore = connection_->plain.close(ignored);
}

void PeerStream::open(const Url& url, const Opened& done) {
  Connection* const to = connection_.get();
  to->tls = url.tls;
  to->doing = "resolve " + url.host;
  const auto connected = [to, host = url.host, done](const Failure& failed,
                                                     const tcp::endpoint& /*at*/) {
    if (failed || !to->tls) return done(failed);
    to->doing = "TLS";
    if (!to->name_host(host)) return done(asio::error::invalid_argument);
    to->secure.async_handshake(asio::ssl::stream_base::client, done);
  };
  to->lookup.start(
      url.host, url.port,
      [to, done, connected](const Failure& failed, const HostLookup::Endpoints& found) {
        if (failed) return done(failed);
        to->doing = "connect";
        asio::async_connect(to->plain, found, connected);
      });
}

void PeerStream::read_some(const std::vector<asio::mutable_buffer>& into, Moved done) {
  if (connection_->tls) {
    connection_->secure.async_read_some(into, std::move(done));
  } else {
    connection_->plain.async_read_some(into, std::move(done));
  }
}

void PeerStream::write_some(const std::vector<asio::const_buffer>& from, Moved done) {
  if (connection_->tls) {
    connection_->secure.async_write_some(from, std::move(done));
  } else {
    connection_->plain.async_write_some(from, std::move(done));
  }
}

}  // namespace dragoman::http
