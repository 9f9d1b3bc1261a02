// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/nats_identity.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dragoman::test {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr unsigned kSeed = 18 << 3;
constexpr unsigned kOperator = 14 << 3;
constexpr unsigned kAccount = 0;
constexpr unsigned kUser = 20 << 3;

std::string in_digits_of(const Bytes& bytes, unsigned bits, std::string_view digits) {
  std::string text;
  unsigned held = 0;
  unsigned count = 0;
  for (const unsigned char byte : bytes) {
    held = (held << 8U) | byte;
    for (count += 8; count >= bits; count -= bits)
      text.push_back(digits[(held >> (count - bits)) & ((1U << bits) - 1)]);
    held &= (1U << count) - 1;
  }
  if (count > 0) text.push_back(digits[(held << (bits - count)) & ((1U << bits) - 1)]);
  return text;
}

std::string base32(const Bytes& bytes) {
  return in_digits_of(bytes, 5, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
}

std::string base64url(const Bytes& bytes) {
  return in_digits_of(bytes, 6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
}

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

// CRC-16/XMODEM behind it, low byte first: how nkeys are written.
std::string nkey(Bytes bytes) {
  unsigned crc = 0;
  for (const unsigned char byte : bytes) {
    crc ^= static_cast<unsigned>(byte) << 8U;
    for (int i = 0; i < 8; ++i) crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U;
    crc &= 0xFFFFU;
  }
  bytes.push_back(static_cast<unsigned char>(crc & 0xFFU));
  bytes.push_back(static_cast<unsigned char>(crc >> 8U));
  return base32(bytes);
}

class Key {
 public:
  explicit Key(unsigned kind) : kind_(kind), key_(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")) {
    EXPECT_NE(key_, nullptr);
  }
  ~Key() { EVP_PKEY_free(key_); }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;

  [[nodiscard]] std::string name() const {
    Bytes bytes = raw(EVP_PKEY_get_raw_public_key);
    bytes.insert(bytes.begin(), static_cast<unsigned char>(kind_));
    return nkey(std::move(bytes));
  }
  [[nodiscard]] std::string seed() const {
    Bytes bytes = raw(EVP_PKEY_get_raw_private_key);
    bytes.insert(bytes.begin(), {static_cast<unsigned char>(kSeed | (kind_ >> 5U)),
                                 static_cast<unsigned char>((kind_ & 31U) << 3U)});
    return nkey(std::move(bytes));
  }
  // `claims`: the inside of the object "nats".
  [[nodiscard]] std::string sign(const std::string& subject, std::string_view claims) const {
    const std::string text =
        base64url(bytes_of(R"({"typ":"JWT","alg":"ed25519-nkey"})")) + "." +
        base64url(bytes_of(fmt::format(
            R"({{"jti":"test","iat":1700000000,"iss":"{}","name":"test","sub":"{}","nats":{{{},"version":2}}}})",
            name(), subject, claims)));
    Bytes signature(64);
    std::size_t size = signature.size();
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    EXPECT_EQ(EVP_DigestSignInit(context, nullptr, nullptr, nullptr, key_), 1);
    const Bytes said = bytes_of(text);
    EXPECT_EQ(EVP_DigestSign(context, signature.data(), &size, said.data(), said.size()), 1);
    EVP_MD_CTX_free(context);
    return text + "." + base64url(signature);
  }

 private:
  template <typename Get>
  [[nodiscard]] Bytes raw(Get get) const {
    Bytes bytes(32);
    std::size_t size = bytes.size();
    EXPECT_EQ(get(key_, bytes.data(), &size), 1);
    return bytes;
  }

  unsigned kind_;
  EVP_PKEY* key_;
};

}  // namespace

NatsAccount make_nats_account() {
  const Key owner(kOperator);
  const Key system(kAccount);
  const Key account(kAccount);
  const Key user(kUser);
  const auto account_claims = [](int storage) {
    return fmt::format(
        R"("limits":{{"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,)"
        R"("wildcards":true,"conn":-1,"leaf":-1,"mem_storage":{0},"disk_storage":{0},)"
        R"("streams":{0},"consumer":{0}}},"default_permissions":{{"pub":{{}},"sub":{{}}}},)"
        R"("type":"account")",
        storage);
  };
  NatsAccount made;
  made.configuration = fmt::format(
      "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{\n  {}: {}\n  {}: "
      "{}\n}}\n",
      owner.sign(owner.name(), R"("type":"operator")"), system.name(), system.name(),
      owner.sign(system.name(), account_claims(0)), account.name(),
      owner.sign(account.name(), account_claims(-1)));
  made.credentials = fmt::format(
      "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n"
      "-----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
      account.sign(user.name(),
                   R"("pub":{},"sub":{},"subs":-1,"data":-1,"payload":-1,"type":"user")"),
      user.seed());
  return made;
}

}  // namespace dragoman::test
