// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/quote_map.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace dragoman::json {
namespace {

constexpr char kWary = '$';

std::string random_text(std::mt19937& random) {
  constexpr std::string_view kBytes = "\"\\\\$\n\xC3\xA9 abcdefgh";
  const auto rare = 1 + random() % 40;
  std::string text(QuoteMap::kBytes, 'x');
  for (char& c : text) {
    if (random() % rare == 0) c = kBytes[random() % kBytes.size()];
  }
  return text;
}

// The same, found byte by byte.
struct Plain {
  std::string_view text;

  [[nodiscard]] std::size_t next(std::size_t from) const {
    bool escaped = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '"' && !escaped && i >= from) return i;
      escaped = text[i] == '\\' && !escaped;
    }
    return std::string_view::npos;
  }
  [[nodiscard]] bool odd_before(std::size_t to) const {
    for (const char c : text.substr(0, to)) {
      if (static_cast<unsigned char>(c) < 0x20 || c == kWary) return true;
    }
    return false;
  }
  [[nodiscard]] bool foreign_before(std::size_t to) const {
    for (const char c : text.substr(0, to)) {
      if (static_cast<unsigned char>(c) >= 0x80) return true;
    }
    return false;
  }
};

TEST(QuoteMap, AnswersLikeASearchByteByByte) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random_text(random);
    const Plain plain{text};
    QuoteMap map;
    map.build(text.data(), kWary);
    for (std::size_t at = 0; at < text.size(); at += 1 + random() % 9) {
      const std::size_t next = plain.next(at);
      ASSERT_TRUE(map.covers(text.data() + at));
      ASSERT_EQ(map.next(text.data() + at), next >= at + 64 ? nullptr : text.data() + next) << text;
      ASSERT_EQ(map.odd_before(text.data() + at), plain.odd_before(at)) << text;
      ASSERT_EQ(map.foreign_before(text.data() + at), plain.foreign_before(at)) << text;
      const std::size_t to = at + random() % std::min<std::size_t>(64, text.size() - at);
      ASSERT_EQ(map.backslash_between(text.data() + at, text.data() + to),
                std::string_view(text).substr(at, to - at).find('\\') != std::string_view::npos);
    }
    const char* const end = text.data() + text.size();
    ASSERT_FALSE(map.covers(end));
    for (const char* to : {end, end + 7}) {
      ASSERT_EQ(map.odd_before(to), plain.odd_before(text.size())) << text;
      ASSERT_EQ(map.foreign_before(to), plain.foreign_before(text.size())) << text;
    }
  }
}

#if defined(__x86_64__)
TEST(QuoteMap, FastAndPortableMapsAreTheSame) {
  if (__builtin_cpu_supports("avx2") == 0) GTEST_SKIP() << "no AVX2 on this machine";
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random_text(random);
    ByteMap fast;
    ByteMap portable;
    kernels::map_bytes_avx2(text.data(), kWary, fast);
    kernels::map_bytes_portable(text.data(), kWary, portable);
    ASSERT_EQ(fast, portable) << text;
  }
}
#endif

}  // namespace
}  // namespace dragoman::json
