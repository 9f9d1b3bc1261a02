// SPDX-License-Identifier: Apache-2.0
// What comes in and what goes out, without a word of how it travels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::http {

// The fields of a message's head, in their order. Names are compared without regard to case.
class Fields {
 public:
  using Field = std::pair<std::string, std::string>;

  Fields() = default;
  Fields(std::initializer_list<Field> fields) : all_(fields) {}

  void add(std::string name, std::string value) {
    all_.emplace_back(std::move(name), std::move(value));
  }
  void set(std::string_view name, std::string value);  // in place of all of that name
  // The first one of that name.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
  [[nodiscard]] const std::vector<Field>& all() const { return all_; }

 private:
  std::vector<Field> all_;
};

struct Peer {
  std::string address;                // "127.0.0.1:40312", or "unix"
  std::optional<std::uint32_t> user;  // of a Unix socket: who is at the other end
};

struct Request {
  std::string method;
  std::string target;  // as it was sent, from its path on
  std::string path;    // of the target, percent-decoded
  std::string query;   // of the target, as it was sent, without '?'
  Fields fields;
  Peer peer;
  std::string body;  // empty while the route is decided

  // The first parameter of that name in the query, decoded.
  [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const;
};

struct Response {
  int status = 200;
  Fields fields;  // Content-Length, Transfer-Encoding, Connection and Date are the server's
  std::string body;
  // Bytes that live as long as the program, sent instead of `body`.
  std::string_view lasting = {};
};

[[nodiscard]] std::string_view reason_phrase(int status);

// "%41" and the like; absent where the escapes are wrong or hide a NUL. '+' stays.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace dragoman::http
