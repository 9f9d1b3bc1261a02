// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

TEST(TestSupport, AScaledCountIsNeverZero) { EXPECT_GE(scaled(1), 1u); }

TEST(TestSupport, ATemporaryDirectoryGoesWithItsObject) {
  std::filesystem::path path;
  {
    const TempDir dir;
    path = dir.path();
    write_file(path / "bytes", {"a\0b\r\n", 5});
    EXPECT_EQ(read_file(path / "bytes"), std::string("a\0b\r\n", 5));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace dragoman::test
