// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/request_state.hpp"

#include <gtest/gtest.h>

namespace dragoman::mcp {
namespace {

std::string hex(const std::array<std::uint8_t, 32>& digest) {
  std::string out;
  for (const std::uint8_t byte : digest) {
    out.push_back("0123456789abcdef"[byte >> 4U]);
    out.push_back("0123456789abcdef"[byte & 15U]);
  }
  return out;
}

// RFC 4231, cases 1, 2 and 6.
TEST(Hmac, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'),
                            "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(StateSeal, OpensWhatItSealedForTheSameCallInTime) {
  const StateSeal seal("key");
  const std::string sealed = seal.seal("state", "call", 1000);
  EXPECT_EQ(seal.open(sealed, "call", 1000 + kStateLifeMs), "state");
  EXPECT_EQ(seal.open(sealed, "call", 1001 + kStateLifeMs), std::nullopt);
  EXPECT_EQ(seal.open(sealed, "another", 1000), std::nullopt);
  EXPECT_EQ(StateSeal("other").open(sealed, "call", 1000), std::nullopt);
  EXPECT_EQ(StateSeal::random().open(sealed, "call", 1000), std::nullopt);
}

TEST(StateSeal, NoChangeOfAnyCharacterPasses) {
  const StateSeal seal("key");
  const std::string sealed = seal.seal("some state", "call", 1000);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    for (const char c : {'A', 'B', '-', '=', '\0'}) {
      std::string changed = sealed;
      if (changed[i] == c) continue;
      changed[i] = c;
      EXPECT_EQ(seal.open(changed, "call", 1000), std::nullopt) << i;
    }
    EXPECT_EQ(seal.open(sealed.substr(0, i), "call", 1000), std::nullopt);
  }
}

TEST(CallDigest, IsTheSameHoweverTheArgumentsAreSpelled) {
  EXPECT_EQ(call_digest("", "m", "n", R"({"a":1,"b":"x"})"),
            call_digest("", "m", "n", R"( { "b" : "\u0078", "a" : 1.0 } )"));
  EXPECT_NE(call_digest("", "m", "n", "{}"), call_digest("", "m", "n", R"({"a":1})"));
  EXPECT_NE(call_digest("", "m", "n", "{}"), call_digest("p", "m", "n", "{}"));
}

}  // namespace
}  // namespace dragoman::mcp
