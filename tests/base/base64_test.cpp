// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/base64.hpp"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(Base64, HasOneSpellingForEachValue) {
  for (const char* text : {"", "f", "fo", "foo", "foob", "fooba", "foobar", "\xff\xfe"}) {
    EXPECT_EQ(from_base64(base64(text)), text);
    EXPECT_EQ(from_base64_url(base64_url(text)), text);
  }
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64_url("\xfb\xff\xfe\x01"), "-__-AQ");
  for (const char* bad : {"Zm9vYg", "Zm9vYg=", "Zm9vYh==", "Zm9v!g==", "=", "====", "Zm9vYg==\n"}) {
    EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace dragoman
