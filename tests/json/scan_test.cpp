// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/scan.hpp"

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/base/processor.hpp"
#include "dragoman/base/utf8.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/random.hpp"

namespace dragoman::json {
namespace {

struct Kernel {
  std::string name;
  ScanString scan;
};

std::vector<Kernel> kernels_here() {
  std::vector<Kernel> all = {{"chosen", scan_string}};
#if defined(__x86_64__)
  all.push_back({"sse2", kernels::scan_string_sse2});
  if (processor::has_avx2()) all.push_back({"avx2", kernels::scan_string_avx2});
  if (processor::has_fast_avx512()) all.push_back({"avx512", kernels::scan_string_avx512});
#endif
  return all;
}

// What a kernel says, as offsets, so that answers about different copies compare.
struct Answer {
  std::size_t at;
  StringEnd::Stop stop;
  bool escaped;
  bool lone_surrogate;
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer ask(ScanString scan, std::string_view text, bool& non_ascii) {
  const StringEnd end = scan(text.data(), text.data() + text.size());
  non_ascii = end.non_ascii;
  return {static_cast<std::size_t>(end.at - text.data()), end.stop, end.escaped,
          end.lone_surrogate};
}

bool has_high_byte(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return true;
  }
  return false;
}

void expect_agreement(std::string_view text, test::GuardedBytes& guarded) {
  bool non_ascii = false;
  const std::string_view copy = guarded.put(text);
  const Answer expected = ask(kernels::scan_string_scalar, copy, non_ascii);
  ASSERT_EQ(non_ascii, has_high_byte(text.substr(0, expected.at)));
  for (const Kernel& kernel : kernels_here()) {
    ASSERT_EQ(ask(kernel.scan, copy, non_ascii), expected)
        << kernel.name << " on " << testing::PrintToString(text);
    const StringEnd end = kernel.scan(copy.data(), copy.data() + copy.size());
    if (end.stop == StringEnd::Stop::closed && end.utf8 != StringEnd::Utf8::unchecked) {
      ASSERT_EQ(end.utf8 == StringEnd::Utf8::good, utf8::valid(text.substr(0, expected.at)))
          << kernel.name << " on " << testing::PrintToString(text);
    }
    ASSERT_EQ(non_ascii, has_high_byte(text.substr(0, expected.at)))
        << kernel.name << " on " << testing::PrintToString(text);
  }
}

// The rest of a string literal after each interesting beginning, at every offset of a block.
const std::array<std::string_view, 30> kPieces = {"\"",
                                                  "\\\"",
                                                  "\\\\",
                                                  "\\",
                                                  "\\n",
                                                  "\\u0041",
                                                  "\\u",
                                                  "\\u1",
                                                  "\\u12",
                                                  "\\u123",
                                                  "\\u12g4",
                                                  "\\uD83D\\uDE00",
                                                  "\\uD83D",
                                                  "\\uD83D\\",
                                                  "\\uD83D\\u",
                                                  "\\uD83D\\uDE",
                                                  "\\uDE00",
                                                  "\\uD83D\\uD83D\\uDE00",
                                                  "\\uD83Dx",
                                                  "\\uD83D\\n",
                                                  "\\uD83D\\u00zz",
                                                  "\\x",
                                                  "\\\0",
                                                  "\n",
                                                  "\x1F",
                                                  "\x7F",
                                                  "\x80",
                                                  "é",
                                                  "\\uD83D\"",
                                                  "\\ud83d\\ude00\""};

TEST(ScanString, KernelsAgreeAtEveryAlignmentAndLength) {
  test::GuardedBytes guarded(4096);
  for (const std::string_view piece : kPieces) {
    for (std::size_t before = 0; before <= 132; ++before) {
      for (const std::size_t after :
           std::initializer_list<std::size_t>{0, 1, 15, 16, 31, 32, 63, 64, 65, 130}) {
        std::string text(before, 'a');
        text += piece;
        text.append(after, 'b');
        ASSERT_NO_FATAL_FAILURE(expect_agreement(text, guarded));
      }
    }
  }
}

TEST(ScanString, KernelsAgreeOnPairsOfPieces) {
  test::GuardedBytes guarded(4096);
  for (const std::string_view one : kPieces) {
    for (const std::string_view two : kPieces) {
      for (const std::size_t between : std::initializer_list<std::size_t>{0, 1, 13, 31, 59, 63}) {
        for (const std::size_t before :
             std::initializer_list<std::size_t>{0, 15, 31, 51, 57, 62, 63}) {
          std::string text(before, 'a');
          text.append(one).append(between, 'x').append(two).append("\"").append(70, 't');
          ASSERT_NO_FATAL_FAILURE(expect_agreement(text, guarded));
        }
      }
    }
  }
}

TEST(ScanString, KernelsAgreeOnRandomBytes) {
  test::GuardedBytes guarded(4096);
  test::Random random(3);
  constexpr std::string_view kAlphabet = "aaaaaaaaaaaaaaaa\\\\\\u0dD8cCfF\"\nn\x80";
  for (int i = 0; i < 60000; ++i) {
    std::string text;
    for (std::size_t n = random.below(200); n > 0; --n)
      text += random.one_in(40) ? random.byte() : random.pick(kAlphabet);
    ASSERT_NO_FATAL_FAILURE(expect_agreement(text, guarded));
  }
}

TEST(ScanString, KernelsAgreeOnRunsOfBackslashes) {
  test::GuardedBytes guarded(4096);
  for (std::size_t before = 0; before <= 66; ++before) {
    for (std::size_t run = 0; run <= 140; ++run) {
      std::string text(before, 'a');
      text.append(run, '\\').append("\"b\"").append(70, 'c');
      ASSERT_NO_FATAL_FAILURE(expect_agreement(text, guarded));
    }
  }
}

TEST(ScanString, EverySingleEscapeIsJudgedAlike) {
  test::GuardedBytes guarded(4096);
  for (int c = 0; c < 256; ++c) {
    for (const std::size_t before : std::initializer_list<std::size_t>{0, 14, 15, 31, 62, 63}) {
      std::string text(before, 'a');
      text.append("\\").append(1, static_cast<char>(c)).append("0041\"").append(80, 'b');
      ASSERT_NO_FATAL_FAILURE(expect_agreement(text, guarded));
    }
  }
}

TEST(ScanString, BrokenUtf8IsToldAtEveryPlace) {
  test::GuardedBytes guarded(4096);
  test::Random random(4);
  constexpr std::array<std::string_view, 16> kSequences = {"é",
                                                           "€",
                                                           "😀",
                                                           "\xC3",
                                                           "\xE2\x82",
                                                           "\xF0\x9F\x98",
                                                           "\xC0\xAF",
                                                           "\xED\xA0\x80",
                                                           "\xF4\x90\x80\x80",
                                                           "\x80",
                                                           "\xFF",
                                                           "\xE0\x80\x80",
                                                           "\xED\x9F\xBF",
                                                           "\xEF\xBF\xBF",
                                                           "\xF4\x8F\xBF\xBF",
                                                           "\xF0\x80\x80\x80"};
  for (const std::string_view sequence : kSequences) {
    for (std::size_t before = 0; before <= 132; ++before) {
      for (const std::string_view after : {"\"", "x\"", "\\n\"", "é\"", "\\u00e9\"", "\n"}) {
        std::string text(before, 'a');
        text.append(sequence).append(after).append(before % 3 == 0 ? 0 : 70, 'b');
        ASSERT_NO_FATAL_FAILURE(expect_agreement(text, guarded));
      }
    }
  }
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t n = random.below(80); n > 0; --n)
      text += random.one_in(3) ? random.pick(kSequences) : std::string_view("plain bytes");
    text += "\"";
    text.append(random.below(100), 'z');
    ASSERT_NO_FATAL_FAILURE(expect_agreement(text, guarded));
  }
}

TEST(ScanString, RunningOutTellsWhereToGoOn) {
  // Going on from there with more bytes must give what the whole would have given.
  for (const std::string_view piece : kPieces) {
    std::string text(20, 'a');
    text.append(piece).append("bbb\"");
    const StringEnd whole = scan_string(text.data(), text.data() + text.size());
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      const StringEnd head = scan_string(text.data(), text.data() + cut);
      StringEnd last = head;
      if (head.stop == StringEnd::Stop::ran_out)
        last = scan_string(head.at, text.data() + text.size());
      ASSERT_EQ(last.at, whole.at) << piece << " cut at " << cut;
      ASSERT_EQ(last.stop, whole.stop);
      ASSERT_EQ(head.lone_surrogate || last.lone_surrogate, whole.lone_surrogate) << piece;
      ASSERT_EQ(head.escaped || last.escaped, whole.escaped);
    }
  }
}

TEST(ScanString, TellsLoneSurrogatesFromPairs) {
  const auto lone = [](std::string_view text) {
    return scan_string(text.data(), text.data() + text.size()).lone_surrogate;
  };
  EXPECT_FALSE(lone("\\uD83D\\uDE00\""));
  EXPECT_FALSE(lone("\\ud7ff\\ue000\""));
  EXPECT_TRUE(lone("\\uD800\""));
  EXPECT_TRUE(lone("\\uDBFF\\uDBFF\""));
  EXPECT_TRUE(lone("\\uDC00\""));
  EXPECT_TRUE(lone("\\uDFFF\\uD800\""));
  EXPECT_TRUE(lone("\\uD83D \\uDE00\""));
}

}  // namespace
}  // namespace dragoman::json
