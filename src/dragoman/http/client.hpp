// SPDX-License-Identifier: Apache-2.0
// Requests to other people's servers.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman::http {

using ClientFields = std::vector<std::pair<std::string, std::string>>;

struct ClientRequest {
  std::string method = "GET";
  std::string url;  // https://host[:port]/path?query; http only to this machine
  ClientFields fields = {};
  std::string body = {};
};

struct ClientResponse {
  int status = 0;
  ClientFields fields = {};
  std::string body = {};

  // The first value of a field, whatever the case of its name; empty: there is none.
  [[nodiscard]] std::string_view field(std::string_view name) const;
};

// The addresses of a host, in numbers. May take its time; is called in a thread of its own, which
// nobody waits for.
using FindHost = std::function<Result<std::vector<std::string>>(const std::string& host)>;

struct ClientOptions {
  std::string user_agent = "dragoman";
  std::chrono::milliseconds deadline{std::chrono::seconds(10)};  // of all of a request
  std::size_t longest_body = std::size_t{4} << 20U;              // of an answer
  std::string ca_file = {};  // whom to trust instead of the system's authorities
  FindHost find_host = {};   // empty: the system is asked
};

// Why a request failed, as Error::reason has it.
inline constexpr std::string_view kNotSent = "not_sent";  // the server cannot have acted on it
inline constexpr std::string_view kUnsure = "unsure";     // it may have

// Where a URL points. Plain http (and ws) is accepted for this machine alone, so that no secret
// travels in the clear.
struct Url {
  bool tls = true;
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
  std::string target = "/";  // path and query

  [[nodiscard]] std::string authority() const;  // as the field Host has it
  friend bool operator==(const Url&, const Url&) = default;
};
[[nodiscard]] Result<Url> parse_url(std::string_view text);

class Trust;

// Law: the certificate and the name of the server are checked; no call lasts longer than the
// deadline, whatever the server or a name server does; nothing is sent to another host than the one
// that was named: a redirect is followed for GET on the same origin only, and is otherwise the
// answer.
class Client {
 public:
  explicit Client(ClientOptions options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Blocks. May be called from several threads at once.
  [[nodiscard]] Result<ClientResponse> send(const ClientRequest& request,
                                            const std::stop_token& stop = {}) const;

 private:
  ClientOptions options_;
  std::unique_ptr<Trust> trust_;
};

// Percent-encodes everything but letters, digits and -._~
[[nodiscard]] std::string url_encode(std::string_view text);
// The value of a field of application/x-www-form-urlencoded; absent: there is none, or it is
// broken.
[[nodiscard]] std::optional<std::string> form_field(std::string_view body, std::string_view name);

}  // namespace dragoman::http
