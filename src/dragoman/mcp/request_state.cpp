// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/request_state.hpp"

#include <cstring>

#include "dragoman/base/base64.hpp"
#include "dragoman/base/random.hpp"
#include "dragoman/base/sha256.hpp"
#include "dragoman/schema/canonical.hpp"
#include "dragoman/schema/tree.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::size_t kMacSize = 32;
constexpr std::size_t kTimeSize = 8;

std::string_view bytes_of(const std::array<std::uint8_t, 32>& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string time_bytes(std::int64_t time) {
  std::string out(kTimeSize, '\0');
  std::memcpy(out.data(), &time, kTimeSize);
  return out;
}

// Takes as long for every wrong value.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(a[i] ^ b[i]) & 0xFFU;
  }
  return difference == 0;
}

}  // namespace

std::array<std::uint8_t, 32> hmac_sha256(std::string_view key, std::string_view message) {
  constexpr std::size_t kBlock = 64;
  std::string block(kBlock, '\0');
  if (key.size() > kBlock) {
    block.replace(0, kMacSize, bytes_of(sha256(key)));
  } else {
    block.replace(0, key.size(), key);
  }
  std::string inner;
  std::string outer;
  for (const char c : block) {
    inner.push_back(static_cast<char>(static_cast<unsigned char>(c) ^ 0x36U));
    outer.push_back(static_cast<char>(static_cast<unsigned char>(c) ^ 0x5CU));
  }
  const auto digest = sha256(inner.append(message));
  return sha256(outer.append(bytes_of(digest)));
}

StateSeal StateSeal::random() { return StateSeal(random_bytes(kMacSize)); }

std::string StateSeal::mac(std::string_view body, std::string_view call) const {
  std::string signed_text(body);
  signed_text.append(bytes_of(sha256(call)));
  return std::string(bytes_of(hmac_sha256(key_, signed_text)));
}

std::string StateSeal::seal(std::string_view state, std::string_view call, std::int64_t now) const {
  const std::string body = time_bytes(now + kStateLifeMs).append(state);
  return base64_url(mac(body, call).append(body));
}

std::optional<std::string> StateSeal::open(std::string_view sealed, std::string_view call,
                                           std::int64_t now) const {
  const auto bytes = from_base64_url(sealed);
  if (!bytes || bytes->size() < kMacSize + kTimeSize) return std::nullopt;
  const std::string_view body = std::string_view(*bytes).substr(kMacSize);
  if (!same(std::string_view(*bytes).substr(0, kMacSize), mac(body, call))) return std::nullopt;
  std::int64_t until = 0;
  std::memcpy(&until, body.data(), kTimeSize);
  if (now > until) return std::nullopt;
  return std::string(body.substr(kTimeSize));
}

std::string call_digest(std::string_view principal, std::string_view method, std::string_view name,
                        std::string_view arguments) {
  std::string all(principal);
  all.append(1, '\0').append(method).append(1, '\0').append(name).append(1, '\0');
  if (const auto tree = schema::Tree::parse(std::string(arguments))) {
    schema::append_canonical(all, *tree, schema::kRoot);
  } else {
    all.append(arguments);
  }
  return all;
}

}  // namespace dragoman::mcp
