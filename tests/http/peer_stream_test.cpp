// SPDX-License-Identifier: Apache-2.0
// Servers behind TLS: who proves to be the one that was named is talked to, nobody else is.
#include "dragoman/http/peer_stream.hpp"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/http/web_socket.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/files.hpp"
#include "tests/support/loopback.hpp"

namespace dragoman::http {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// The answer to an upgrade, as RFC 6455 wants it, and the message "hello" behind it.
std::string upgraded(const std::string& request) {
  constexpr std::string_view kField = "Sec-WebSocket-Key: ";
  const std::size_t at = request.find(kField) + kField.size();
  const std::string key =
      request.substr(at, request.find('\r', at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, SHA_DIGEST_LENGTH> sum{};
  SHA1(reinterpret_cast<const unsigned char*>(key.data()), key.size(), sum.data());
  std::array<unsigned char, 64> text{};
  const int size = EVP_EncodeBlock(text.data(), sum.data(), static_cast<int>(sum.size()));
  const std::string accept(text.begin(), text.begin() + size);
  return fmt::format(
             "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Accept: {}\r\n\r\n",
             accept) +
         "\x81\x05hello";
}

// Answers one request of each connection, after a handshake with the certificate of that name.
class SecureServer {
 public:
  SecureServer(const test::TempDir& with, const std::string& name)
      : context_(SSL_CTX_new(TLS_server_method())), listener_(test::listen_on_loopback()) {
    const auto file = [&](const char* end) { return (with.path() / (name + end)).string(); };
    EXPECT_EQ(SSL_CTX_use_certificate_file(context_, file(".pem").c_str(), SSL_FILETYPE_PEM), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context_, file(".key").c_str(), SSL_FILETYPE_PEM), 1);
    thread_ = std::thread([this] { serve(); });
  }
  ~SecureServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
    SSL_CTX_free(context_);
  }
  [[nodiscard]] std::string url(std::string_view scheme) const {
    return fmt::format("{}://localhost:{}/", scheme, test::port_of(listener_));
  }
  std::atomic<int> requests = 0;

 private:
  void serve() {
    for (int peer = 0; (peer = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(peer)) {
      SSL* const ssl = SSL_new(context_);
      SSL_set_fd(ssl, peer);
      if (SSL_accept(ssl) == 1) answer(ssl);
      SSL_free(ssl);
    }
  }
  void answer(SSL* ssl) {
    std::string request;
    std::array<char, 4096> bytes{};
    while (request.find("\r\n\r\n") == std::string::npos) {
      const int got = SSL_read(ssl, bytes.data(), static_cast<int>(bytes.size()));
      if (got <= 0) return;
      request.append(bytes.data(), static_cast<std::size_t>(got));
    }
    ++requests;
    const bool socket = request.find("Upgrade: websocket") != std::string::npos;
    const std::string text =
        socket ? upgraded(request) : "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret";
    SSL_write(ssl, text.data(), static_cast<int>(text.size()));
    if (socket) SSL_read(ssl, bytes.data(), static_cast<int>(bytes.size()));  // until it is over
  }

  SSL_CTX* context_;
  int listener_;
  std::thread thread_;
};

class PeerStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(test::make_certificates(directory_.path())) << "openssl is missing";
  }
  [[nodiscard]] ClientOptions trusting(const std::string& name) const {
    ClientOptions options;
    options.ca_file = (directory_.path() / name).string();
    return options;
  }

  test::TempDir directory_;
};

TEST_F(PeerStreamTest, WhoProvesItsNameIsTalkedTo) {
  const SecureServer server(directory_, "server");
  const Client client(trusting("ca.pem"));
  const auto response = client.send({.url = server.url("https")});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "secret");

  const auto socket = WebSocket::connect(server.url("wss"), {}, trusting("ca.pem"));
  ASSERT_TRUE(socket) << socket.error().message;
  const auto message = (*socket)->receive(10s);
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(*message, "hello");
  EXPECT_TRUE((*socket)->send("good bye"));
}

struct Stranger {
  std::string name;
  std::string certificate;
  std::string trusted;
  std::string why;
};
class Strangers : public PeerStreamTest, public testing::WithParamInterface<Stranger> {};

TEST_P(Strangers, AreSentNothing) {
  const SecureServer server(directory_, GetParam().certificate);
  const ClientOptions options = trusting(GetParam().trusted);
  const auto response = Client(options).send({.url = server.url("https")});
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message, HasSubstr(GetParam().why));
  EXPECT_EQ(response.error().reason, kNotSent);

  const auto socket = WebSocket::connect(server.url("wss"), {}, options);
  ASSERT_FALSE(socket);
  EXPECT_THAT(socket.error().message, HasSubstr(GetParam().why));
  EXPECT_EQ(server.requests, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Strangers,
                         testing::Values(Stranger{"of_another_name", "elsewhere", "ca.pem",
                                                  "TLS: certificate verify failed"},
                                         Stranger{"whom_nobody_signed", "server", "other.pem",
                                                  "TLS: certificate verify failed"},
                                         Stranger{"where_trust_cannot_be_read", "server",
                                                  "missing.pem", "read certificates"}),
                         [](const auto& stranger) { return stranger.param.name; });

TEST_F(PeerStreamTest, SaysHowFarItCame) {
  const int listener = test::listen_on_loopback();
  const auto port = test::port_of(listener);
  ::close(listener);
  const Client client(ClientOptions{});
  const auto refused = client.send({.url = fmt::format("http://127.0.0.1:{}/", port)});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("connect: Connection refused"));
  EXPECT_EQ(refused.error().reason, kNotSent);
  const auto unknown = client.send({.url = "https://there-is-no-such-host.invalid/"});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("resolve there-is-no-such-host.invalid: "));
}

}  // namespace
}  // namespace dragoman::http
