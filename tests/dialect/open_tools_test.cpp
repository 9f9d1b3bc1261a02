// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "dragoman/dialect/wxcode_fields.hpp"

namespace dragoman::test {
namespace {

TEST(OpenTools, AResultClosesTheOldestToolOfItsName) {
  OpenTools tools;
  Arena arena;
  tools.add("Bash", {1, {}});
  tools.add("Read", {2, {}});
  tools.add("Bash", {3, {}});
  EXPECT_EQ(tools.close("Bash", arena), "wx-1");
  EXPECT_EQ(tools.close("Bash", arena), "wx-3");
  EXPECT_EQ(tools.close("Bash", arena).data(), nullptr);
  EXPECT_EQ(tools.close("Read", arena), "wx-2");
}

TEST(OpenTools, TheIdNamesTheLineThatCarriesAMarker) {
  OpenTools tools;
  Arena arena;
  tools.add("Bash", {1840, 12});
  EXPECT_EQ(tools.close("Bash", arena), "wx-12.1840");
}

// Names of every length that is kept in another way, and those that differ in one byte.
TEST(OpenTools, TellsNamesOfEveryLengthApart) {
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string name(length, 'a');
    OpenTools tools;
    Arena arena;
    tools.add(name, {1, {}});
    EXPECT_EQ(tools.close(name + "a", arena).data(), nullptr) << length;
    for (std::size_t at = 0; at < length; ++at) {
      std::string other = name;
      other[at] = 'b';
      EXPECT_EQ(tools.close(other, arena).data(), nullptr) << length << " " << at;
    }
    EXPECT_EQ(tools.close(name, arena), "wx-1") << length;
  }
}

TEST(OpenTools, ForgetsTheOldestOfTooMany) {
  OpenTools tools;
  Arena arena;
  for (std::uint64_t i = 0; i < 300; ++i) tools.add("Bash", {i, {}});
  EXPECT_EQ(tools.close("Bash", arena), "wx-44");
}

}  // namespace
}  // namespace dragoman::test
