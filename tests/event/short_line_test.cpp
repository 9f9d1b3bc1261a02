// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/short_line.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"
#include "tests/support/files.hpp"

namespace dragoman {
namespace {

std::string general_line(Event event, std::uint64_t seq) {
  event.seq = seq;
  return to_json(event) + "\n";
}

// "" when the event is none for the short way.
std::string short_line(const Event& event, std::uint64_t seq) {
  std::string out = "before";
  const bool done = append_short_line(out, event, seq);
  EXPECT_EQ(out.substr(0, 6), "before");
  EXPECT_TRUE(done || out.size() == 6);
  return out.substr(6);
}

Event status_of(std::string_view message) {
  Event event;
  Status status;
  status.status = "in_progress";
  status.message = message;
  event.payload = status;
  return event;
}

TEST(ShortLine, HasTheBytesOfTheGeneralWayForEveryGoldenEvent) {
  std::size_t events = 0;
  std::size_t done = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::source_dir() / "tests/golden")) {
    if (entry.path().filename() != "events.jsonl") continue;
    std::ifstream file(entry.path());
    for (std::string text; std::getline(file, text);) {
      Arena arena;
      const auto event = read_event(text, arena);
      if (!event) continue;
      ++events;
      const std::string line = short_line(*event, events);
      if (line.empty()) continue;
      ++done;
      ASSERT_EQ(line, general_line(*event, events)) << entry.path();
    }
  }
  EXPECT_GT(events, 500U);
  EXPECT_GT(done, events / 2);
}

TEST(ShortLine, EscapesWhatHasToBeEscaped) {
  for (const std::string message :
       {"", "plain", "a \"quoted\" \\ word\n\r\t\b\f", "größer — ✓ 😀",
        "0123456789abcdef0123456789abcde\"", "0123456789abcdef\n0123456789abcdef"}) {
    const Event event = status_of(message);
    EXPECT_EQ(short_line(event, 7), general_line(event, 7)) << message;
  }
}

TEST(ShortLine, EscapesAtEveryPlaceOfTextsOfEveryLength) {
  for (std::size_t length = 1; length < 70; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      std::string message(length, 'x');
      message[at] = at % 2 == 0 ? '"' : '\n';
      message[length - 1 - at] = '\\';
      const Event event = status_of(message);
      ASSERT_EQ(short_line(event, 7), general_line(event, 7));
    }
  }
}

TEST(ShortLine, WritesNumbersOfEveryLength) {
  Event event = status_of("plain");
  for (std::uint64_t number = 1; number < 1'000'000'000'000; number *= 10) {
    for (const std::uint64_t near : {number - 1, number, number + 1, 3 * number, 9 * number}) {
      event.origin.offset = near;
      event.origin.length = near / 2;
      event.origin.line = near + 1;
      std::get<Status>(event.payload).progress = Number::of(static_cast<std::int64_t>(near));
      std::get<Status>(event.payload).phase = Number::of(-static_cast<std::int64_t>(near));
      ASSERT_EQ(short_line(event, near + 1), general_line(event, near + 1));
    }
  }
}

TEST(ShortLine, LeavesTheRareAndTheLongToTheGeneralWay) {
  EXPECT_EQ(short_line(status_of("\x01"), 1), "");
  EXPECT_EQ(short_line(status_of("\xFF"), 1), "");
  EXPECT_EQ(short_line(status_of("cut \xE2\x9C"), 1), "");
  EXPECT_EQ(short_line(status_of("plain"), 0), "");
}

TEST(ShortLine, FitsOrIsLeftAtEveryLength) {
  for (const char filler : {'x', '"'}) {
    for (std::size_t length = 0; length < 5000; length += 7) {
      const std::string message(length, filler);
      const Event event = status_of(message);
      const std::string line = short_line(event, 1);
      if (line.empty()) {
        EXPECT_GT(length, 1500U);
      } else {
        ASSERT_EQ(line, general_line(event, 1));
      }
    }
  }
}

}  // namespace
}  // namespace dragoman
