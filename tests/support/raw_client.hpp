// SPDX-License-Identifier: Apache-2.0
// A client that sends exactly the bytes a test wants to send.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::test {

struct RawResponse {
  int status = 0;
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;                           // chunks joined
};

class RawClient {
 public:
  explicit RawClient(std::uint16_t port);
  explicit RawClient(const std::string& unix_path);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  [[nodiscard]] bool connected() const { return fd_ >= 0; }
  // False: the peer has closed.
  bool send(std::string_view bytes);
  // The next response; absent when the connection ends before it is complete.
  std::optional<RawResponse> response(bool has_body = true);
  // The head of a response whose body is read by next_event().
  std::optional<RawResponse> head();
  // The next event of an SSE body, without its empty line; absent at the end or after `patience`.
  std::optional<std::string> next_event(
      std::chrono::milliseconds patience = std::chrono::seconds(30));
  // Whether the peer closes within that time; what comes before is thrown away.
  bool ends_within(std::chrono::milliseconds patience);
  void close();
  // What the kernel holds for us, to make a reader slow.
  void shrink_receive_buffer(int bytes) const;

 private:
  bool receive(std::chrono::milliseconds patience = std::chrono::seconds(30));
  bool dechunk();

  int fd_ = -1;
  std::string buffer_;
  std::string stream_;  // of a chunked body: what is decoded
};

// One request on a connection of its own.
std::optional<RawResponse> ask_once(std::uint16_t port, std::string_view request);

// The value of a line "name: value" in an event of an SSE stream.
std::string event_field(std::string_view event, std::string_view name);

}  // namespace dragoman::test
