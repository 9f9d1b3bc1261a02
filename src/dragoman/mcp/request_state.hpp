// SPDX-License-Identifier: Apache-2.0
// What a client carries from one round of a call to the next comes back as it was sent, or not at
// all: it is signed together with the call it belongs to and a time after which it is void.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::mcp {

[[nodiscard]] std::array<std::uint8_t, 32> hmac_sha256(std::string_view key,
                                                       std::string_view message);

class StateSeal {
 public:
  explicit StateSeal(std::string key) : key_(std::move(key)) {}
  // With a key of chance: what one process signed no other accepts.
  [[nodiscard]] static StateSeal random();

  // `call` names what the state is for: the same call must come again. `now` in milliseconds.
  [[nodiscard]] std::string seal(std::string_view state, std::string_view call,
                                 std::int64_t now) const;
  [[nodiscard]] std::optional<std::string> open(std::string_view sealed, std::string_view call,
                                                std::int64_t now) const;

 private:
  [[nodiscard]] std::string mac(std::string_view body, std::string_view call) const;

  std::string key_;
};

inline constexpr std::int64_t kStateLifeMs = 24LL * 3600 * 1000;  // as long as a question is open

// A call as a value: the same whatever the order of its members and their spelling.
[[nodiscard]] std::string call_digest(std::string_view principal, std::string_view method,
                                      std::string_view name, std::string_view arguments);

}  // namespace dragoman::mcp
