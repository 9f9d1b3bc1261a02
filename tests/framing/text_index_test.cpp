// SPDX-License-Identifier: Apache-2.0
#include "dragoman/framing/text_index.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/base/utf8.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::framing {
namespace {

std::ptrdiff_t candidate_in(const std::string& text) {
  TextIndex index;
  index.build(text);
  return index.next_candidate(text.data()) - text.data();
}

TEST(TextIndex, FindsWhereSomethingMayStart) {
  const std::string filler(100, 'x');
  for (const std::string start :
       {"<!", "``", "~~", "[B", "[C", "[D", "[F", "[G", "[L", "[N", "[P", "[Q", "[T", "[W"}) {
    EXPECT_EQ(candidate_in(filler + start + filler), 100) << start;
  }
}

TEST(TextIndex, PassesOverWhatCannotStartAnything) {
  for (const std::string text : {"<a", "[a", "[A", "[ ", "[1", "`x", "~x", "!<", "P[x", "[\xFF"}) {
    const std::string padded = std::string(70, ' ') + text + std::string(70, ' ');
    EXPECT_EQ(candidate_in(padded), std::ssize(padded)) << text;
  }
}

TEST(TextIndex, StopsAtALastByteThatMayGoOn) {
  for (const char last : {'<', '[', '`', '~'})
    EXPECT_EQ(candidate_in(std::string(77, 'x') + last), 77) << last;
  EXPECT_EQ(candidate_in(std::string(77, 'x')), 77);
  EXPECT_EQ(candidate_in(""), 0);
}

TEST(TextIndex, HoldsASliceOfNothingButCandidates) {
  const std::string text(TextIndex::kLongest, '`');
  TextIndex index;
  index.build(text);
  for (const char& place : text) ASSERT_EQ(index.next_candidate(&place), &place);
  EXPECT_EQ(index.next_candidate(index.end()), index.end());
}

TEST(TextIndex, KnowsUtf8OfEveryKindAtEveryPlace) {
  const std::vector<std::string> good = {"\u00E9",     "\u07FF",     "\u0800",
                                         "\uD7FF",     "\uE000",     "\uFFFD",
                                         "\U00010000", "\U0001F600", "\U0010FFFF"};
  const std::vector<std::string> bad = {"\x80",
                                        "\xC0\x80",
                                        "\xC1\xBF",
                                        "\xE0\x9F\xBF",
                                        "\xED\xA0\x80",
                                        "\xEF\xBF",
                                        "\xF0\x8F\xBF\xBF",
                                        "\xF4\x90\x80\x80",
                                        "\xF5\x80\x80\x80",
                                        "\xF0\x9F\x98",
                                        "\xC3",
                                        "\xE2\x96\xB6\x80",
                                        "\xFF",
                                        "\xF0\x9F\x98\x80\x80"};
  for (const TextIndex::Kernels::Build build : TextIndex::Kernels::usable()) {
    const bool judges = build != TextIndex::Kernels::build_scalar;  // which knows ASCII only
    const auto clean = [&](const std::string& text) {
      TextIndex index;
      build(index, text);
      return index.clean();
    };
    for (std::size_t before = 0; before < 200; ++before) {
      for (const std::size_t behind : {0U, 1U, 64U, 200U}) {
        const auto around = [&](const std::string& middle) {
          return std::string(before, 'x') + middle + std::string(behind, 'y');
        };
        for (const std::string& middle : good) EXPECT_EQ(clean(around(middle + middle)), judges);
        for (const std::string& middle : bad) EXPECT_FALSE(clean(around(middle)));
      }
    }
  }
}

TEST(TextIndex, EndsALongSliceBetweenCharacters) {
  for (std::size_t before = 0; before < 4; ++before) {
    std::string text(before, 'x');
    while (text.size() < 2 * TextIndex::kLongest) text += "▶";
    TextIndex index;
    index.build(text);
    EXPECT_TRUE(index.clean()) << before;
    EXPECT_EQ((index.end() - index.begin() - static_cast<std::ptrdiff_t>(before)) % 3, 0);
  }
}

TEST(TextIndex, KnowsCleanTextWithAccentsFromBrokenText) {
  const std::string accents = "größere ação — ✓ 日本語, ";
  const bool judges = TextIndex::Kernels::usable().size() > 1;  // the plain map knows ASCII only
  for (std::size_t before = 0; before < 70; ++before) {
    for (const std::size_t behind : {0U, 1U, 40U, 200U}) {
      const auto clean = [&](const std::string& middle) {
        const std::string text = std::string(before, 'x') + middle + std::string(behind, 'y');
        TextIndex index;
        index.build(text);
        return index.clean();
      };
      EXPECT_EQ(clean(accents + accents), judges) << before;
      for (const std::string broken : {"\xC3", "\xE2\x9C", "\x93", "\xFF", "\xC3\xA9\xA9"}) {
        EXPECT_FALSE(clean(accents + broken)) << before;
        EXPECT_FALSE(clean(accents + broken + accents)) << before;
      }
    }
  }
}

// Every answer, against one found byte by byte.
void expect_right_answers(TextIndex& index, std::string_view text, std::mt19937& random) {
  ASSERT_TRUE(!index.clean() || utf8::valid({index.begin(), index.end()}));
  const auto end = static_cast<std::size_t>(index.end() - index.begin());
  text = text.substr(0, end);
  for (int i = 0; i < 20; ++i) {
    const std::size_t from = random() % (end + 1);
    const std::size_t to = from + random() % (end - from + 1);
    const auto lines = std::count(text.begin() + static_cast<std::ptrdiff_t>(from),
                                  text.begin() + static_cast<std::ptrdiff_t>(to), '\n');
    ASSERT_EQ(index.newlines(text.data() + from, text.data() + to),
              static_cast<std::uint64_t>(lines));
    const std::size_t newline = std::min(text.find('\n', from), end);
    ASSERT_EQ(index.line_end(text.data() + from), text.data() + newline);
    std::size_t candidate = from;
    while (candidate < end &&
           !(candidate + 1 == end ? may_start_at_end(text[candidate])
                                  : may_start(text[candidate], text[candidate + 1]))) {
      ++candidate;
    }
    ASSERT_EQ(index.next_candidate(text.data() + from), text.data() + candidate);
    const char* const plain =
        newline < end && candidate > newline ? text.data() + newline : nullptr;
    ASSERT_EQ(index.plain_line_end(text.data() + from), plain);
  }
}

TEST(TextIndex, AnswersLikeASearchByteByByte) {
  std::mt19937 random(7);
  const std::string alphabet = "<![`~ABCDEFGHIJKLMNOPQRSTUVWXYZ]\n xyz\x80\xE2\xFF";
  const std::size_t rounds = 5000 / test::step_with_sanitizers(4);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::string text(random() % (round % 8 == 0 ? 40000 : 400), ' ');
    for (char& c : text) {
      c = random() % 64 == 0 ? alphabet[random() % alphabet.size()]
                             : static_cast<char>(random() % (round % 2 != 0 ? 256 : 90));
    }
    const std::string_view rest = std::string_view(text).substr(text.size() / 7);
    TextIndex index;
    index.build(rest);
    expect_right_answers(index, rest, random);
    for (const TextIndex::Kernels::Build build : TextIndex::Kernels::usable()) {
      build(index, rest.substr(0, TextIndex::kLongest));
      expect_right_answers(index, rest, random);
    }
  }
}

// On the heap, so that a byte too many is seen.
TEST(TextIndex, FastAndPlainMapsGiveTheSameAnswers) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<char> bytes(round < 200 ? static_cast<std::size_t>(round)
                                        : random() % TextIndex::kLongest);
    for (char& c : bytes) c = "<![`~BP\n xy"[random() % 11];
    const std::string_view text(bytes.data(), bytes.size());
    TextIndex plain;
    TextIndex::Kernels::build_scalar(plain, text);
    for (const TextIndex::Kernels::Build build : TextIndex::Kernels::usable()) {
      TextIndex fast;
      build(fast, text);
      ASSERT_EQ(fast.end(), plain.end());
      for (const char* at = fast.begin(); at != fast.end(); ++at) {
        ASSERT_EQ(fast.next_candidate(at), plain.next_candidate(at));
        ASSERT_EQ(fast.line_end(at), plain.line_end(at));
      }
      ASSERT_EQ(fast.newlines(fast.begin(), fast.end()),
                plain.newlines(plain.begin(), plain.end()));
      ASSERT_TRUE(fast.clean());
    }
  }
}

}  // namespace
}  // namespace dragoman::framing
