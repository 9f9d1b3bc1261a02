// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/signature.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <memory>

namespace dragoman::http {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

constexpr std::size_t kKeySize = 32;
constexpr std::size_t kSignatureSize = 64;

Key private_key(std::string_view seed) {
  return {seed.size() == kKeySize
              ? EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(seed), seed.size())
              : nullptr,
          EVP_PKEY_free};
}

Error no_key() { return {ErrorCode::validation, "an Ed25519 key has 32 bytes"}; }

}  // namespace

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 15U]);
  }
  return out;
}

std::string from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return {};
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]);
    const int low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return {};
    out.push_back(static_cast<char>(high * 16 + low));
  }
  return out;
}

std::string hmac_sha256_hex(std::string_view secret, std::string_view message) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), bytes_of(message),
           message.size(), digest.data(), &size) == nullptr)
    return {};
  return to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

bool same_secret(std::string_view given, std::string_view expected) {
  // Lengths are no secret, an empty one is no secret at all.
  return !expected.empty() && given.size() == expected.size() &&
         CRYPTO_memcmp(given.data(), expected.data(), expected.size()) == 0;
}

bool verify_ed25519(std::string_view public_key_hex, std::string_view signature_hex,
                    std::string_view message) {
  const std::string key_bytes = from_hex(public_key_hex);
  const std::string signature = from_hex(signature_hex);
  if (key_bytes.size() != kKeySize || signature.size() != kSignatureSize) return false;
  const Key key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(key_bytes), key_bytes.size()),
      EVP_PKEY_free);
  const Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!key || !digest) return false;
  if (EVP_DigestVerifyInit(digest.get(), nullptr, nullptr, nullptr, key.get()) != 1) return false;
  return EVP_DigestVerify(digest.get(), bytes_of(signature), signature.size(), bytes_of(message),
                          message.size()) == 1;
}

Result<std::string> ed25519_public_key(std::string_view seed) {
  const Key key = private_key(seed);
  std::string out(kKeySize, '\0');
  std::size_t size = out.size();
  if (!key || EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(out.data()),
                                          &size) != 1)
    return no_key();
  return out;
}

Result<std::string> sign_ed25519(std::string_view seed, std::string_view message) {
  const Key key = private_key(seed);
  const Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string out(kSignatureSize, '\0');
  std::size_t size = out.size();
  if (!key || !digest ||
      EVP_DigestSignInit(digest.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                     bytes_of(message), message.size()) != 1)
    return no_key();
  return out;
}

}  // namespace dragoman::http
