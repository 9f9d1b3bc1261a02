// SPDX-License-Identifier: Apache-2.0
#include "dragoman/framing/line_splitter.hpp"

#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/scale.hpp"

namespace dragoman {

// A line that outlives the splitter's next call.
struct KeptLine {
  std::string content;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t number = 1;
  bool terminated = true;
  bool bom = false;
  std::uint64_t oversize_bytes = 0;
  std::string head = {};
  std::string tail = {};
  friend bool operator==(const KeptLine&, const KeptLine&) = default;
};

void PrintTo(const KeptLine& line, std::ostream* os) {
  *os << "#" << line.number << " [" << line.offset << ",+" << line.length << ") '"
      << line.content.substr(0, 40) << "' size " << line.content.size()
      << (line.terminated ? "" : " unterminated") << (line.bom ? " bom" : "") << " over "
      << line.oversize_bytes << " head '" << line.head.substr(0, 20) << "' tail '"
      << line.tail.substr(0, 20) << "'";
}

namespace {

KeptLine keep(const Line& line) {
  return {std::string(line.content),
          line.offset,
          line.length,
          line.number,
          line.terminated,
          line.bom,
          line.oversize ? line.bytes : 0,
          std::string(line.head),
          std::string(line.tail)};
}

// Who finds the ends of lines: the splitter, or whoever reads them where it can.
enum class Finder : std::uint8_t { splitter, reader };

class Splitting {
 public:
  explicit Splitting(std::size_t cap, Finder finder = Finder::splitter)
      : splitter(cap), cap_(cap), finder_(finder) {}
  void push(std::string_view chunk) {
    splitter.feed(chunk);
    while (const Line* line = next()) lines.push_back(keep(*line));
  }
  std::vector<KeptLine> finish() {
    if (const Line* line = splitter.finish()) lines.push_back(keep(*line));
    return std::move(lines);
  }

  LineSplitter splitter;
  std::vector<KeptLine> lines;

 private:
  const Line* next() {
    if (finder_ == Finder::splitter) return splitter.next();
    const std::string_view rest = splitter.rest();
    const std::size_t size = rest.find('\n');
    return size <= cap_ ? splitter.take(size) : splitter.next();
  }

  std::size_t cap_;
  Finder finder_;
};

constexpr std::size_t kCap = 1 << 20;

std::vector<KeptLine> split(std::string_view input, std::size_t cap = kCap) {
  Splitting s(cap);
  s.push(input);
  return s.finish();
}

TEST(LineSplitter, EndsLinesAtNewlinesOnlyAndDropsOneCarriageReturn) {
  const std::vector<KeptLine> expected = {
      {"a", 0, 2, 1},
      {"b\r", 2, 4, 2},
      {"c\rd\xE2\x80\xA8"
       "e\xC2\x85"
       "f",
       6, 11, 3},
      {"", 17, 1, 4},
      {"", 18, 2, 5},
      {"end\r", 20, 4, 6, false},
  };
  EXPECT_EQ(split("a\nb\r\r\nc\rd\xE2\x80\xA8"
                  "e\xC2\x85"
                  "f\n\n\r\nend\r"),
            expected);
}

TEST(LineSplitter, AnEmptyStreamHasNoLine) {
  EXPECT_TRUE(split("").empty());
  EXPECT_EQ(split("x\n").size(), 1u);
}

TEST(LineSplitter, TakesAByteOrderMarkOffTheFirstLineOnly) {
  const std::vector<KeptLine> expected = {
      {"a", 0, 5, 1, true, true},
      {"\xEF\xBB\xBF"
       "b",
       5, 5, 2},
  };
  EXPECT_EQ(split("\xEF\xBB\xBF"
                  "a\n\xEF\xBB\xBF"
                  "b\n"),
            expected);
  EXPECT_EQ(split("\xEF\xBB\xBF"), (std::vector<KeptLine>{{"", 0, 3, 1, false, true}}));
}

TEST(LineSplitter, GivesOnlyTheEndsOfALineOverTheCapAndReadsTheNextOne) {
  const std::vector<KeptLine> expected = {
      {"12345678", 0, 9, 1},
      {"", 9, 10, 2, true, false, 9, "abcdefghi", "abcdefghi"},
      {"ok", 19, 3, 3},
  };
  EXPECT_EQ(split("12345678\nabcdefghi\nok\n", 8), expected);
}

TEST(LineSplitter, TheReturnBeforeANewlineDoesNotCountAgainstTheCap) {
  const std::vector<KeptLine> expected = {
      {"12345678", 0, 10, 1},
      {"", 10, 10, 2, true, false, 9, "abcdefghi", "abcdefghi"},
      {"", 20, 11, 3, true, false, 9, "abcdefghi", "abcdefghi"},
      {"ok", 31, 4, 4},
  };
  const std::string input = "12345678\r\nabcdefghi\nabcdefghi\r\nok\r\n";
  EXPECT_EQ(split(input, 8), expected);
  const std::vector<KeptLine> cut = split("12345678\r", 8);
  ASSERT_EQ(cut.size(), 1u);  // no newline came, so that it is part of the line
  EXPECT_EQ(cut[0].oversize_bytes, 9u);
}

TEST(LineSplitter, CutsTheEndsOfAnOversizeLineAtCodePoints) {
  std::string input;
  for (int i = 0; i < 5000; ++i) input += "\xE2\x82\xAC";  // 3 bytes: 4096 is inside one
  const std::vector<KeptLine> lines = split(input + "\r\nnext\n", 9000);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].oversize_bytes, 15000u);
  EXPECT_EQ(lines[0].length, 15002u);
  EXPECT_EQ(lines[0].head, input.substr(0, 4095));
  EXPECT_EQ(lines[0].tail, input.substr(0, 4095));
  EXPECT_EQ(lines[1], (KeptLine{"next", 15002, 5, 2}));
}

TEST(LineSplitter, DoesNotCareHowTheBytesWereChunked) {
  const std::string input =
      "\xEF\xBB\xBF"
      "one\r\n\ntwo two two two two\n\r\nthree\r" +
      std::string(50, 'x') + "\xE2\x82\xAC\r\nfour";
  for (const std::size_t cap : {4u, 19u, 40u, 1000u}) {
    const std::vector<KeptLine> whole = split(input, cap);
    for (std::size_t cut = 0; cut <= input.size(); ++cut) {
      Splitting s(cap);
      s.push(std::string_view(input).substr(0, cut));
      s.push(std::string_view(input).substr(cut));
      EXPECT_EQ(s.finish(), whole) << "cap " << cap << " cut at " << cut;
    }
    Splitting bytewise(cap);
    for (const char& c : input) bytewise.push({&c, 1});
    EXPECT_EQ(bytewise.finish(), whole) << "cap " << cap;
  }
}

TEST(LineSplitter, RandomCutsOfLongLinesGiveTheSameLines) {
  std::mt19937_64 random(7);
  std::string input;
  for (int i = 0; i < 40; ++i) {
    input.append(random() % 12000, static_cast<char>('a' + i % 26));
    input += i % 3 == 0 ? "\r\n" : "\n";
  }
  for (std::size_t round = 0; round < test::scaled(4000); ++round) {
    const std::size_t cap = round % 4 < 2 ? 6000 : 100'000;
    const std::vector<KeptLine> whole = split(input, cap);
    Splitting s(cap, round % 8 < 4 ? Finder::splitter : Finder::reader);
    for (std::size_t at = 0; at < input.size();) {
      const std::size_t size = 1 + random() % (round % 2 == 0 ? 300 : 20000);
      s.push(std::string_view(input).substr(at, size));
      at += size;
    }
    ASSERT_EQ(s.finish(), whole) << "round " << round;
  }
}

TEST(LineSplitter, FindsTheLastNewlineOfAChunkHoweverFarFromItsEnd) {
  for (const std::size_t behind : {0u, 1u, 63u, 64u, 4095u, 4096u, 4097u, 70'000u, 2'000'000u}) {
    const std::string input = "one\ntwo\n" + std::string(behind, 'x');
    LineSplitter splitter(std::size_t{16} << 20U);
    splitter.feed(input);
    EXPECT_EQ(splitter.rest(), "one\ntwo\n") << behind;
    EXPECT_EQ(splitter.take(3)->content, "one");
    EXPECT_EQ(splitter.next()->content, "two");
    EXPECT_EQ(splitter.rest(), "");
    EXPECT_EQ(splitter.next(), nullptr);
    const Line* const last = splitter.finish();
    EXPECT_EQ(last == nullptr ? 0 : last->content.size(), behind);
  }
}

TEST(LineSplitter, ReadsALegalLineOf15MiB) {
  const std::string line(std::size_t{15} << 20U, 'q');
  Splitting s(std::size_t{16} << 20U);
  const std::string input = line + "\nnext\n";
  for (std::size_t at = 0; at < input.size(); at += 65536) {
    s.push(std::string_view(input).substr(at, 65536));
  }
  const std::vector<KeptLine> lines = s.finish();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].content, line);
  EXPECT_EQ(lines[1].content, "next");
  EXPECT_LT(s.splitter.held(), std::size_t{2} << 20U);  // the big buffer was given back
}

TEST(LineSplitter, MemoryIsBoundedByTheCapNotByTheLine) {
  constexpr std::size_t kSmallCap = 256 * 1024;
  const std::string chunk(65536, 'z');
  const std::size_t chunks = test::scaled(std::size_t{1} << 14U);  // 1 GiB in full
  Splitting s(kSmallCap);
  std::size_t most = 0;
  for (std::size_t i = 0; i < chunks; ++i) {
    s.push(chunk);
    most = std::max(most, s.splitter.held());
  }
  s.push("\n{}\n");
  EXPECT_LE(most, 2 * kSmallCap);
  const std::vector<KeptLine> lines = s.finish();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].oversize_bytes, chunks * chunk.size());
  EXPECT_EQ(lines[0].head, std::string(kOversizeEnds, 'z'));
  EXPECT_EQ(lines[1].content, "{}");
}

TEST(LineSplitter, GivesViewsIntoTheChunkWhenTheLineIsWhole) {
  LineSplitter splitter(kCap);
  const std::string chunk = "whole\nrest";
  splitter.feed(chunk);
  const Line* line = splitter.next();
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->content.data(), chunk.data());
}

}  // namespace
}  // namespace dragoman
