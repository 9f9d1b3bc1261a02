// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/sha256.hpp"

#include <gtest/gtest.h>

#include "dragoman/base/sha256_kernels.hpp"

namespace dragoman {
namespace {

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, CutsToTheDigitsWanted) { EXPECT_EQ(sha256_hex("abc", 12), "ba7816bf8f01"); }

#if defined(__x86_64__)
TEST(Sha256, IsTheSameWithAndWithoutTheInstructions) {
  if (!sha256_kernels::has_sha_instructions()) GTEST_SKIP() << "this processor has none";
  std::array<std::uint8_t, 4 * 64> blocks{};
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<std::uint8_t>(i * 167);
  sha256_kernels::State portable{1, 2, 3, 4, 5, 6, 7, 0xFFFFFFFF};
  sha256_kernels::State fast = portable;
  sha256_kernels::mix_portable(portable, blocks.data(), 4);
  sha256_kernels::mix_with_instructions(fast, blocks.data(), 4);
  EXPECT_EQ(fast, portable);
}
#endif

}  // namespace
}  // namespace dragoman
