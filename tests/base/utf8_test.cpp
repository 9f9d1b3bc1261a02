// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/utf8.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::utf8 {
namespace {

// The well-formed byte sequences as the Unicode standard tabulates them (table 3-7), one row each.
struct Row {
  std::vector<std::pair<int, int>> ranges;
};
const std::vector<Row> kWellFormed = {
    {{{0x00, 0x7F}}},
    {{{0xC2, 0xDF}, {0x80, 0xBF}}},
    {{{0xE0, 0xE0}, {0xA0, 0xBF}, {0x80, 0xBF}}},
    {{{0xE1, 0xEC}, {0x80, 0xBF}, {0x80, 0xBF}}},
    {{{0xED, 0xED}, {0x80, 0x9F}, {0x80, 0xBF}}},
    {{{0xEE, 0xEF}, {0x80, 0xBF}, {0x80, 0xBF}}},
    {{{0xF0, 0xF0}, {0x90, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}},
    {{{0xF1, 0xF3}, {0x80, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}},
    {{{0xF4, 0xF4}, {0x80, 0x8F}, {0x80, 0xBF}, {0x80, 0xBF}}},
};

// How many bytes of `text` match the row from its start.
std::size_t matched(const Row& row, std::string_view text) {
  std::size_t n = 0;
  while (n < row.ranges.size() && n < text.size()) {
    const int c = static_cast<unsigned char>(text[n]);
    if (c < row.ranges[n].first || c > row.ranges[n].second) break;
    ++n;
  }
  return n;
}

struct Step {
  std::size_t length = 1;
  bool valid = false;
};

Step reference_step(std::string_view text) {
  Step step;
  for (const Row& row : kWellFormed) {
    const std::size_t n = matched(row, text);
    if (n == row.ranges.size()) return {n, true};
    step.length = std::max(step.length, n);
  }
  return step;
}

std::size_t reference_tail(std::string_view text) {
  for (std::size_t n = std::min<std::size_t>(3, text.size()); n > 0; --n) {
    const std::string_view end = text.substr(text.size() - n);
    for (const Row& row : kWellFormed) {
      if (matched(row, end) == n && n < row.ranges.size()) return n;
    }
  }
  return 0;
}

std::string reference_repair(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Step step = reference_step(text);
    out += step.valid ? text.substr(0, step.length) : kReplacement;
    text.remove_prefix(step.length);
  }
  return out;
}

bool starts_a_step(std::string_view text, std::size_t at) {
  std::size_t begin = 0;
  while (begin < at) begin += reference_step(text.substr(begin)).length;
  return begin == at;
}

// Bytes on both sides of every boundary in the table.
const std::string kEdges =
    "\x7F\x80\x8F\x90\x9F\xA0\xBF\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEF\xF0\xF3\xF4\xF5";

// Calls check(text) for every text of up to four of the edge bytes, and for every two bytes at all.
template <typename Check>
void for_every_combination(Check check) {
  std::string text;
  const std::size_t n = kEdges.size();
  for (std::size_t length = 1, many = n; length <= 4; ++length, many *= n) {
    for (std::size_t index = 0; index < many; ++index) {
      text.clear();
      for (std::size_t rest = index; text.size() < length; rest /= n) text += kEdges[rest % n];
      check(std::string_view(text));
    }
  }
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      text.assign({static_cast<char>(a), static_cast<char>(b)});
      check(std::string_view(text));
    }
  }
}

TEST(Utf8, TheFirstCodePointAgreesWithTheStandardsTable) {
  for_every_combination([](std::string_view text) {
    const Step expected = reference_step(text);
    const CodePoint actual = first(text);
    ASSERT_EQ(actual.length, expected.length) << testing::PrintToString(text);
    ASSERT_EQ(actual.valid, expected.valid) << testing::PrintToString(text);
    if (!expected.valid) {
      ASSERT_EQ(actual.value, char32_t{0xFFFD});
    }
  });
}

TEST(Utf8, AnIncompleteTailIsWhatMoreBytesCouldComplete) {
  for_every_combination([](std::string_view text) {
    ASSERT_EQ(incomplete_tail(text), reference_tail(text)) << testing::PrintToString(text);
  });
  EXPECT_EQ(incomplete_tail(""), 0u);
}

TEST(Utf8, CuttingAtAnIncompleteTailChangesNoRepair) {
  for_every_combination([](std::string_view text) {
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      std::string_view head_part = text.substr(0, cut);
      head_part.remove_suffix(incomplete_tail(head_part));
      std::string pieces;
      append_repaired(pieces, head_part);
      append_repaired(pieces, text.substr(head_part.size()));
      std::string whole;
      append_repaired(whole, text);
      ASSERT_EQ(pieces, whole) << testing::PrintToString(text) << " cut at " << cut;
    }
  });
}

TEST(Utf8, RepairPutsOneReplacementForEachMaximalSubpart) {
  for_every_combination([](std::string_view text) {
    std::string out = "kept ";
    append_repaired(out, text);
    ASSERT_EQ(out, "kept " + reference_repair(text)) << testing::PrintToString(text);
    ASSERT_TRUE(valid(out));
    ASSERT_EQ(valid(text), "kept " + std::string(text) == out);
  });
}

TEST(Utf8, TheStandardsOwnExamplesAreRepairedAsItSays) {
  const std::string_view r = kReplacement;
  const auto repaired = [](std::string_view text) {
    std::string out;
    append_repaired(out, text);
    return out;
  };
  const auto times = [r](int n) {
    std::string out;
    while (n-- > 0) out += r;
    return out;
  };
  // Unicode 15, tables 3-8 to 3-11.
  EXPECT_EQ(repaired("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), times(8) + "A");
  EXPECT_EQ(repaired("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), times(8) + "A");
  EXPECT_EQ(repaired("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), times(5) + "A" + times(2) + "B");
  EXPECT_EQ(repaired("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), times(4) + "A");
}

TEST(Utf8, EveryCodePointIsWrittenAndReadBack) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    append(text, c);
    const CodePoint back = first(text);
    ASSERT_TRUE(back.valid && back.value == c && back.length == text.size()) << std::uint32_t{c};
  }
}

TEST(Utf8, RandomBytesAreRepairedAsTheReferenceDoes) {
  test::Random random(8);
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t n = random.below(120); n > 0; --n) text += random.pick(kEdges);
    std::string out;
    append_repaired(out, text);
    ASSERT_EQ(out, reference_repair(text));
    std::size_t steps = 0;
    for (std::string_view rest = text; !rest.empty(); ++steps)
      rest.remove_prefix(reference_step(rest).length);
    ASSERT_EQ(count(text), steps);
  }
}

TEST(Utf8, APrefixCountsCodePoints) {
  EXPECT_EQ(prefix("aé€😀z", 0), "");
  EXPECT_EQ(prefix("aé€😀z", 3), "aé€");
  EXPECT_EQ(prefix("aé€😀z", 4), "aé€😀");
  EXPECT_EQ(prefix("aé€😀z", 99), "aé€😀z");
  EXPECT_EQ(prefix("\xF0\x9F\x41", 1), "\xF0\x9F");
}

TEST(Utf8, HeadsAndTailsNeverCutACodePoint) {
  const std::string_view text = "aé€😀z";  // 1 2 3 4 1 bytes
  const std::vector<std::string_view> heads = {"",    "a",   "a",   "aé",  "aé",   "aé",
                                               "aé€", "aé€", "aé€", "aé€", "aé€😀", "aé€😀z"};
  const std::vector<std::string_view> tails = {"",   "z",  "z",   "z",   "z",    "😀z",
                                               "😀z", "😀z", "€😀z", "€😀z", "é€😀z", "aé€😀z"};
  for (std::size_t n = 0; n < heads.size(); ++n) {
    EXPECT_EQ(head(text, n), heads[n]) << n;
    EXPECT_EQ(tail(text, n), tails[n]) << n;
  }
}

TEST(Utf8, HeadsAndTailsKeepStrayBytes) {
  EXPECT_EQ(tail("abc\x80\x80\x80\x80", 3), "\x80\x80\x80");
  EXPECT_EQ(tail("\xF0\x9F\x98\x80\x80\x80", 3), "\x80\x80");
  EXPECT_EQ(head("\x80\x80\x80\x80", 3), "\x80\x80\x80");
  EXPECT_EQ(head("a\xFF\xFF", 2), "a\xFF");
}

TEST(Utf8, HeadAndTailOfAnyBytesCutWhereTheRepairCuts) {
  std::size_t place = 0;
  for_every_combination([&place](std::string_view text) {
    if (++place % test::step_with_sanitizers(5) != 0) return;
    for (std::size_t n = 0; n <= text.size(); ++n) {
      std::size_t longest_head = 0;
      std::size_t longest_tail = text.size();
      for (std::size_t at = text.size() + 1; at-- > 0;) {
        if (!starts_a_step(text, at)) continue;
        if (at <= n && longest_head == 0) longest_head = at;
        if (text.size() - at <= n) longest_tail = at;
      }
      ASSERT_EQ(head(text, n), text.substr(0, longest_head))
          << testing::PrintToString(text) << " " << n;
      ASSERT_EQ(tail(text, n), text.substr(longest_tail))
          << testing::PrintToString(text) << " " << n;
    }
  });
}

}  // namespace
}  // namespace dragoman::utf8
