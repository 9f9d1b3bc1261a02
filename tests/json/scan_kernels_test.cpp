// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <tuple>

#include <gtest/gtest.h>

#include "dragoman/base/processor.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/json/scan.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::json {
namespace {

// What a scan said, comparable and with the place as an offset. Last: whether a closed string is
// UTF-8, which a kernel may leave to others.
using KernelAnswer = std::tuple<std::ptrdiff_t, StringEnd::Stop, bool, bool, bool, bool>;

// Scans a copy that ends where its memory ends, so that a sanitizer sees a byte read behind it.
KernelAnswer answer(ScanString scan, std::string_view text) {
  const auto copy = std::make_unique<char[]>(text.size() + 1);
  char* const begin = copy.get() + 1;  // any alignment will do, an odd one most of all
  std::memcpy(begin, text.data(), text.size());
  const StringEnd end = scan(begin, begin + text.size());
  bool good = true;
  if (end.stop == StringEnd::Stop::closed && end.non_ascii) {
    good = end.utf8 == StringEnd::Utf8::unchecked
               ? utf8::valid({begin, static_cast<std::size_t>(end.at - begin)})
               : end.utf8 == StringEnd::Utf8::good;
  }
  return {end.at - begin, end.stop, end.escaped, end.non_ascii, end.lone_surrogate, good};
}

void expect_all_agree(std::string_view text) {
  const KernelAnswer plain = answer(kernels::scan_string_scalar, text);
  EXPECT_EQ(answer(scan_string, text), plain) << testing::PrintToString(text);
#if defined(__x86_64__)
  EXPECT_EQ(answer(kernels::scan_string_sse2, text), plain) << testing::PrintToString(text);
  if (processor::has_avx2()) {
    EXPECT_EQ(answer(kernels::scan_string_avx2, text), plain) << testing::PrintToString(text);
  }
  if (processor::has_fast_avx512()) {
    EXPECT_EQ(answer(kernels::scan_string_avx512, text), plain) << testing::PrintToString(text);
  }
#endif
}

// Pieces that matter to a scan, most of them legal; the quote is rare, so that strings get long.
std::string random_string(std::mt19937& random, std::size_t pieces) {
  static constexpr std::array<std::string_view, 26> kPieces = {
      "a",
      "plain words ",
      "\\n",
      "\\\"",
      "\\\\",
      "\\/",
      "\\t",
      "\\u00e9",
      "\\ud83d\\ude00",
      "\\ud83d",
      "\\ude00",
      "\xc3\xa9",
      "\xe2\x96\xb6",
      "\xff",
      "0123456789abcdef0123456789abcdef",
      "b",
      "\\\\\\\\",
      "{}[],:",
      " ",
      "x",
      "\\b\\f\\r",
      "u",
      "\\\\n",
      "\x7f",
      "-->",
      "long long long long long long long long long long long "};
  static constexpr std::array<std::string_view, 8> kEnds = {"\"",    "\\",      "\n",   "\\x",
                                                            "\\u12", "\\u12g4", "\x01", "\\\xc3"};
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) text += kPieces[random() % kPieces.size()];
  text += kEnds[random() % kEnds.size()];
  for (std::size_t i = random() % 80; i > 0; --i) text += kPieces[random() % kPieces.size()];
  return text;
}

TEST(ScanKernels, AgreeOnEveryPositionOfAnEnd) {
  for (const std::string_view end :
       {"\"", "\\\"\"", "\\\\\"", "\\", "\x1f", "\\q", "\\u12", "\xc3\"", "\\u00e9\""}) {
    for (std::size_t before = 0; before < 200; ++before) {
      for (const std::size_t behind : std::initializer_list<std::size_t>{0, 1, 40, 130}) {
        expect_all_agree(std::string(before, 'a') + std::string(end) + std::string(behind, '"'));
      }
    }
  }
}

TEST(ScanKernels, AgreeOnRunsOfBackslashesAcrossBlocks) {
  for (std::size_t before = 50; before < 70; ++before) {
    for (std::size_t run = 1; run < 140; ++run) {
      expect_all_agree(std::string(before, 'a') + std::string(run, '\\') + "\"" +
                       std::string(100, 'b') + "\"");
    }
  }
}

TEST(ScanKernels, AgreeOnBrokenAndWholeSequencesAcrossBlocks) {
  for (const std::string_view piece :
       {"\xc3\xa9", "\xe2\x96\xb6", "\xf0\x9f\x9f\xa3", "\xe2\x96", "\xf0\x9f\x9f", "\xb6", "\xff",
        "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80"}) {
    for (std::size_t before = 40; before < 140; ++before) {
      for (const std::size_t count : std::initializer_list<std::size_t>{1, 2, 30}) {
        std::string text(before, 'a');
        for (std::size_t i = 0; i < count; ++i) text += piece;
        expect_all_agree(text + "\"" + std::string(100, 'b'));
        expect_all_agree(text + std::string(100, 'b') + "\"");
        expect_all_agree(text + "\\n\\u00e9" + std::string(100, 'b') + "\"" + std::string(70, 'c'));
      }
    }
  }
}

TEST(ScanKernels, AgreeOnRandomStrings) {
  std::mt19937 random(1);
  for (std::size_t i = 0; i < test::scaled(400'000); ++i) {
    expect_all_agree(random_string(random, random() % 40));
  }
}

}  // namespace
}  // namespace dragoman::json
