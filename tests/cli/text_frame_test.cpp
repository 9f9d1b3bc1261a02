// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/text_frame.hpp"

#include <random>

#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

Event text_event(std::string_view text, std::uint64_t offset, std::uint64_t line) {
  Event event;
  event.payload = DisplayText{.text = {text}};
  event.origin.offset = offset;
  event.origin.length = text.size();
  event.origin.line = line;
  return event;
}

std::string plain_way(Event event, std::uint64_t seq) {
  event.seq = seq;
  return to_json(event) + "\n";
}

TEST(RunningDigits, CountsLikeAnybodyElse) {
  cli::RunningDigits digits;
  std::array<char, 64> buffer{};
  const auto shown = [&](std::uint64_t value) {
    return std::string(buffer.data(), digits.put(buffer.data(), value));
  };
  for (std::uint64_t i = 0; i < 12'000; ++i) ASSERT_EQ(shown(i), std::to_string(i));
  for (const std::uint64_t i : {7u, 8u, 8u, 3u, 999u, 1000u, 99999u, 100000u}) {
    EXPECT_EQ(shown(i), std::to_string(i));
  }
  for (const std::uint64_t i : {UINT64_MAX - 1, UINT64_MAX, std::uint64_t{0}, std::uint64_t{1}}) {
    EXPECT_EQ(shown(i), std::to_string(i));
  }
}

// The law of fast paths: never another answer than the plain one.
TEST(TextFrame, WritesWhatThePlainWayWrites) {
  const std::vector<std::string> pieces = {"words and words ",
                                           "\"",
                                           "\\",
                                           "é",
                                           "▶ ",
                                           "🟣",
                                           "\t",
                                           "\r",
                                           "\x01",
                                           "\x7f",
                                           "\xff",
                                           "\xe2\x80",
                                           "<!-- x -->",
                                           "0123456789012345678901234567890123456789",
                                           "\xe2\x80\xa8",
                                           " "};
  std::mt19937_64 random(7);
  cli::TextFrame frame;
  std::uint64_t offset = 0;
  std::size_t fast = 0;
  const std::size_t rounds = scaled(200'000);
  for (std::size_t i = 1; i <= rounds; ++i) {
    std::string text;
    // Mostly plain words, so that the fast way is taken often enough to be tested.
    const std::size_t kinds = random() % 3 == 0 ? pieces.size() : 5;
    for (std::size_t n = random() % 12; n > 0; --n) text += pieces[random() % kinds];
    if (random() % 8 != 0) text += "\n";
    Event event = text_event(text, offset, i);
    if (random() % 50 == 0) event.origin.dialect = Dialect::markers;
    if (random() % 50 == 0) event.origin.channel = Channel::stderr_;
    if (random() % 50 == 0) event.origin.at = 3;
    std::string out = "before\n";
    const std::uint64_t seq = random() % 20 == 0 ? random() : i;
    if (frame.append(out, event, seq)) {
      ASSERT_EQ(out, "before\n" + plain_way(event, seq));
      ++fast;
    } else {
      ASSERT_EQ(out, "before\n");
    }
    offset += text.size();
  }
  EXPECT_GT(fast, rounds / 3);
}

TEST(TextFrame, LeavesWhatItDoesNotKnowToThePlainWay) {
  cli::TextFrame frame;
  std::string out;
  Event block = text_event("a", 0, 1);
  std::get<DisplayText>(block.payload).block = 0;
  EXPECT_FALSE(frame.append(out, block, 1));
  Event partial = text_event("a", 0, 1);
  partial.partial = true;
  EXPECT_FALSE(frame.append(out, partial, 1));
  EXPECT_FALSE(frame.append(out, text_event(std::string(5000, 'x'), 0, 1), 1));
  EXPECT_FALSE(frame.append(out, text_event("a", 0, 1), 0));
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace dragoman::test
