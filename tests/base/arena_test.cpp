// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/arena.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/random.hpp"

namespace dragoman {
namespace {

TEST(Arena, CopiesStayWhereTheyAreUntilReset) {
  Arena arena;
  test::Random random(1);
  std::vector<std::string> originals;
  std::vector<std::string_view> copies;
  for (int i = 0; i < 2000; ++i) {
    const std::size_t size = random.one_in(50) ? random.below(100000) : random.below(200);
    originals.push_back(random.bytes(size));
    copies.push_back(arena.copy(originals.back()));
  }
  for (std::size_t i = 0; i < copies.size(); ++i) ASSERT_EQ(copies[i], originals[i]) << i;
}

TEST(Arena, AnEmptyCopyIsNotAnAbsentOne) {
  Arena arena;
  EXPECT_NE(arena.copy(std::string_view("")).data(), nullptr);
  EXPECT_NE(arena.copy(std::string_view()).data(), nullptr);
  EXPECT_EQ(arena.copy(std::string_view()).size(), 0u);
}

TEST(Arena, KeepsItsFirstBlockOverAReset) {
  Arena arena;
  const char* const first = arena.copy(std::string_view("abc")).data();
  (void)arena.allocate(1 << 20);
  arena.reset();
  EXPECT_EQ(arena.copy(std::string_view("xyz")).data(), first);
}

TEST(Arena, AnOverlongFirstRequestLeavesAUsableArena) {
  Arena arena;
  char* const huge = arena.allocate(1 << 20);
  huge[0] = 'a';
  huge[(1 << 20) - 1] = 'z';
  arena.reset();
  for (int i = 0; i < 100; ++i) {
    char* const small = arena.allocate(1000);
    small[0] = small[999] = 'x';
  }
}

TEST(Arena, TypedCopiesAreAligned) {
  Arena arena;
  for (std::size_t skew = 1; skew <= 17; ++skew) {
    (void)arena.allocate(skew);
    const std::array<std::uint64_t, 3> numbers = {skew, 2, 3};
    const auto copy = arena.copy(std::span<const std::uint64_t>(numbers));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy.data()) % alignof(std::uint64_t), 0u);
    EXPECT_EQ(std::vector(copy.begin(), copy.end()), (std::vector<std::uint64_t>{skew, 2, 3}));
  }
}

TEST(Arena, CanBeMovedAndUsedFurther) {
  Arena from;
  const std::string_view kept = from.copy(std::string_view("kept"));
  Arena to = std::move(from);
  EXPECT_EQ(kept, "kept");
  EXPECT_EQ(to.copy(std::string_view("more")), "more");
  EXPECT_EQ(kept, "kept");
  from = Arena();
  EXPECT_EQ(from.copy(std::string_view("again")), "again");
}

TEST(Arena, FillsABlockToItsLastByte) {
  Arena arena;
  for (const std::size_t size :
       std::initializer_list<std::size_t>{16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 32 * 1024, 1}) {
    char* const p = arena.allocate(size);
    for (std::size_t i = 0; i < size; ++i) p[i] = 'x';
  }
}

}  // namespace
}  // namespace dragoman
