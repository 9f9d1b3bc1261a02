// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/text_lines.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"
#include "dragoman/event/keep.hpp"

namespace dragoman::test {
namespace {

Event text_at(std::uint64_t offset, std::uint64_t line, std::string_view text) {
  Event event;
  event.payload = DisplayText{.text = {text}};
  event.origin.offset = offset;
  event.origin.line = line;
  event.origin.length = text.size();
  return event;
}

struct Line {
  std::string text;
  std::uint64_t offset;
  std::uint64_t line;
  friend bool operator==(const Line&, const Line&) = default;
};

std::vector<Line> lines(const std::vector<Event>& events) {
  EventList list;
  TextLines cut(list);
  for (const Event& event : events) cut.on_event(event);
  cut.flush();
  std::vector<Line> out;
  for (const Event& event : list.events()) {
    const auto* const text = event.as<DisplayText>();
    out.push_back({text == nullptr ? std::string(name(event.kind())) : text->text.str(),
                   event.origin.offset, event.origin.line});
  }
  return out;
}

std::uint64_t counted(const std::vector<Event>& events) {
  TextLineCount count;
  for (const Event& event : events) {
    const DisplayText* const text = plain_text(event);
    if (text == nullptr) {
      count.flush();
    } else {
      count.add(text->text.bytes, event.origin.offset);
    }
  }
  count.flush();
  return count.count();
}

TEST(TextLines, CutsAtLineEnds) {
  EXPECT_EQ(lines({text_at(0, 1, "a\n\nbc\r\nd")}),
            (std::vector<Line>{{"a\n", 0, 1}, {"\n", 2, 2}, {"bc\r\n", 3, 3}, {"d", 7, 4}}));
}

TEST(TextLines, JoinsWhatWasCut) {
  EXPECT_EQ(lines({text_at(0, 1, "a"), text_at(1, 1, "b\nc"), text_at(4, 2, "d")}),
            (std::vector<Line>{{"ab\n", 0, 1}, {"cd", 3, 2}}));
}

TEST(TextLines, AnotherEventEndsTheLine) {
  Event other;
  other.payload = ServerReady{};
  other.origin.offset = 1;
  EXPECT_EQ(lines({text_at(0, 1, "a"), other, text_at(5, 1, "b")}),
            (std::vector<Line>{{"a", 0, 1}, {"server_ready", 1, 1}, {"b", 5, 1}}));
}

TEST(TextLines, AGapEndsTheLine) {
  EXPECT_EQ(lines({text_at(0, 1, "a"), text_at(9, 1, "b")}),
            (std::vector<Line>{{"a", 0, 1}, {"b", 9, 1}}));
}

TEST(TextLines, BlocksAndFragmentsGoThroughWhole) {
  Event block = text_at(0, 1, "a\nb");
  std::get<DisplayText>(block.payload).block = 0;
  Event fragment = text_at(0, 1, "c\nd");
  fragment.partial = true;
  EXPECT_EQ(lines({block, fragment}), (std::vector<Line>{{"a\nb", 0, 1}, {"c\nd", 0, 1}}));
}

TEST(TextLines, ALineWithoutEndIsCutAtACodePoint) {
  const std::string text = std::string(kMaxTextPiece - 1, 'x') + "é" + std::string(10, 'y');
  const auto out = lines({text_at(0, 1, text)});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].text.size(), kMaxTextPiece - 1);
  EXPECT_EQ(out[1], (Line{"é" + std::string(10, 'y'), kMaxTextPiece - 1, 1}));
}

// Both laws at once: chunks do not matter, and the count is the number of lines made.
TEST(TextLines, ChunksDoNotMatterAndTheCountAgrees) {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += std::string(static_cast<std::size_t>(i * 37 % 900), 'x') + "é\n";
  }
  text += std::string(kMaxTextPiece - 2, 'z') + "€" + std::string(3 * kMaxTextPiece, 'w');
  text += "\nend";
  const auto whole = lines({text_at(0, 1, text)});
  EXPECT_EQ(whole.size(), 400u + 5 + 1);
  EXPECT_EQ(counted({text_at(0, 1, text)}), whole.size());
  for (const std::size_t size : {1u, 2u, 3u, 7u, 4096u, 65535u, 65536u, 65537u, 100000u}) {
    std::vector<Event> pieces;
    std::uint64_t line = 1;
    for (std::size_t at = 0; at < text.size(); at += size) {
      const std::string_view piece = std::string_view(text).substr(at, size);
      pieces.push_back(text_at(at, line, piece));
      line += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
    }
    EXPECT_TRUE(lines(pieces) == whole) << "pieces of " << size;
    EXPECT_EQ(counted(pieces), whole.size()) << "pieces of " << size;
  }
}

TEST(CountNewlines, AgreesWithThePlainWay) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text.push_back(i % 3 == 0 || i % 7 == 0 ? '\n' : static_cast<char>(i));
    if (i % 97 == 0) {
      EXPECT_EQ(count_newlines(text),
                static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
    }
  }
  EXPECT_EQ(count_newlines(std::string(100'000, '\n')), 100'000u);
}

}  // namespace
}  // namespace dragoman::test
