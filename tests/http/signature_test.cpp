// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/signature.hpp"

#include <numeric>

#include <gtest/gtest.h>

namespace dragoman::http {
namespace {

constexpr std::string_view kPublicKey =
    "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8";
constexpr std::string_view kSignature =
    "c1098e97d711377f30225d53d94b89d43537f92e5b3afaddc590781b1f9f9d4b"
    "2eeab335d370be3b9a090bc61a85b86448bc140dcd195f1569c2bff181257607";

std::string seed() {
  std::string bytes(32, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

TEST(Signature, SignsWithAKeyAsGitHubDoes) {
  EXPECT_EQ(hmac_sha256_hex("It's a Secret to Everybody", "Hello, World!"),
            "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
}

TEST(Signature, VerifiesEd25519) {
  EXPECT_TRUE(verify_ed25519(kPublicKey, kSignature, "1700000000{\"type\":1}"));
  EXPECT_FALSE(verify_ed25519(kPublicKey, kSignature, "1700000001{\"type\":1}"));
  EXPECT_FALSE(verify_ed25519(kPublicKey, "", "1700000000{\"type\":1}"));
  EXPECT_FALSE(verify_ed25519("", kSignature, "1700000000{\"type\":1}"));
}

TEST(Signature, SignsEd25519) {
  const auto key = ed25519_public_key(seed());
  ASSERT_TRUE(key);
  EXPECT_EQ(to_hex(*key), kPublicKey);
  const auto signature = sign_ed25519(seed(), "1700000000{\"type\":1}");
  ASSERT_TRUE(signature);
  EXPECT_EQ(to_hex(*signature), kSignature);
  EXPECT_FALSE(sign_ed25519("short", "x"));
}

TEST(Signature, AnEmptySecretMatchesNothing) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abd", "abc"));
  EXPECT_FALSE(same_secret("ab", "abc"));
  EXPECT_FALSE(same_secret("", ""));
}

TEST(Signature, WritesBytesAsText) {
  EXPECT_EQ(from_hex("00ff10"), std::string("\0\xff\x10", 3));
  EXPECT_EQ(from_hex("00F"), "");
  EXPECT_EQ(from_hex("FF"), "");
}

}  // namespace
}  // namespace dragoman::http
