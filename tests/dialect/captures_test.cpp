// SPDX-License-Identifier: Apache-2.0
// Everything real agents were recorded to print.
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

struct Capture {
  std::string name;  // claude/agent
  Dialect dialect;
  std::string bytes;
};

const std::vector<Capture>& captures() {
  static const std::vector<Capture> kAll = [] {
    std::vector<Capture> all;
    for (const Dialect dialect : {Dialect::claude, Dialect::codex}) {
      const std::string folder(name(dialect));
      const auto root = source_dir() / "tests/data/captures" / folder;
      std::set<std::filesystem::path> paths;
      for (const auto& entry : std::filesystem::directory_iterator(root)) {
        if (entry.path().extension() == ".jsonl") paths.insert(entry.path());
      }
      for (const auto& path : paths) {
        all.push_back({folder + "/" + path.stem().string(), dialect, read_file(path)});
      }
    }
    return all;
  }();
  return kAll;
}

// --output-format text prints no JSON.
bool is_plain_text(const Capture& capture) { return capture.name == "claude/format-text"; }

TEST(Captures, AreAllThere) { EXPECT_GE(captures().size(), 120u); }

TEST(Captures, EveryByteLiesInExactlyOneRecord) {
  for (const Capture& capture : captures()) {
    const auto reader = make_reader(capture.dialect);
    const Heard heard(*reader, capture.bytes);
    EXPECT_TRUE(tiles(heard.records(), capture.bytes.size())) << capture.name;
  }
}

TEST(Captures, NothingIsMalformedButTheMarkersThatAre) {
  std::map<std::string, std::size_t> malformed;
  for (const Capture& capture : captures()) {
    if (is_plain_text(capture)) continue;
    const auto reader = make_reader(capture.dialect);
    const Heard heard(*reader, capture.bytes);
    if (heard.count<Malformed>() > 0) malformed[capture.name] = heard.count<Malformed>();
    EXPECT_EQ(heard.count<Oversize>(), 0u) << capture.name;
  }
  const std::map<std::string, std::size_t> expected = {{"claude/tricky", 2}, {"codex/tricky", 2}};
  EXPECT_EQ(malformed, expected);
}

TEST(Captures, NoLineIsUnknown) {
  std::map<std::string, std::set<std::string>> unknown;
  for (const Capture& capture : captures()) {
    const auto reader = make_reader(capture.dialect);
    const Heard heard(*reader, capture.bytes);
    for (const Unknown* event : heard.all<Unknown>()) {
      unknown[capture.name].insert(std::string(event->type));
    }
  }
  const std::map<std::string, std::set<std::string>> expected = {
      {"claude/tricky", {"FUTURE_THING"}}, {"codex/tricky", {"FUTURE_THING"}}};
  EXPECT_EQ(unknown, expected);
}

TEST(Captures, NothingIsNoise) {
  for (const Capture& capture : captures()) {
    if (is_plain_text(capture)) continue;
    const auto reader = make_reader(capture.dialect);
    for (const std::string& rule : Heard(*reader, capture.bytes).rules()) {
      EXPECT_NE(rule, "noise") << capture.name;
      EXPECT_NE(rule, "duplicate_line") << capture.name;
      EXPECT_NE(rule, "lone_surrogate") << capture.name;
      EXPECT_NE(rule, "invalid_utf8") << capture.name;
    }
  }
}

TEST(Captures, AreDetected) {
  for (const Capture& capture : captures()) {
    if (capture.bytes.empty() || is_plain_text(capture)) continue;
    const auto detecting = make_detecting_reader();
    const auto known = make_reader(capture.dialect);
    const StreamReading found = read_whole(*detecting, capture.bytes);
    EXPECT_EQ(found.dialect, capture.dialect) << capture.name;
    EXPECT_EQ(found, read_whole(*known, capture.bytes)) << capture.name;
  }
}

TEST(Captures, GiveTheSameEventsByteByByte) {
  for (const Capture& capture : captures()) {
    for (const bool partial : {false, true}) {
      ReaderOptions options;
      options.partial = partial;
      const auto whole = make_reader(capture.dialect, options);
      const auto bytewise = make_reader(capture.dialect, options);
      EXPECT_EQ(read_bytewise(*bytewise, capture.bytes), read_whole(*whole, capture.bytes))
          << capture.name << (partial ? " partial" : "");
    }
  }
}

TEST(Captures, GiveTheSameEventsInRandomPieces) {
  std::mt19937_64 random(11);
  for (const Capture& capture : captures()) {
    if (capture.bytes.empty()) continue;
    const auto reference = make_detecting_reader();
    const StreamReading whole = read_whole(*reference, capture.bytes);
    for (std::size_t round = 0; round < scaled(60); ++round) {
      const auto reader = make_detecting_reader();
      const std::size_t largest = round % 2 == 0 ? 40 : 5000;
      const StreamReading pieces = read_in_chunks(
          *reader, capture.bytes, [&](std::size_t) { return 1 + random() % largest; });
      ASSERT_EQ(pieces, whole) << capture.name << " round " << round;
    }
  }
}

TEST(Captures, EveryToolThatStartsEndsOnce) {
  for (const Capture& capture : captures()) {
    const auto reader = make_reader(capture.dialect);
    const Heard heard(*reader, capture.bytes);
    std::map<std::string, int> open;
    for (const Event& event : heard.events()) {
      if (event.origin.via.has_value() || event.origin.dialect != capture.dialect) continue;
      if (const auto* started = event.as<ToolStarted>()) ++open[std::string(started->id)];
      if (const auto* finished = event.as<ToolFinished>()) --open[std::string(finished->id)];
    }
    for (const auto& [id, count] : open) EXPECT_EQ(count, 0) << capture.name << " " << id;
  }
}

// A cut in the middle of a line loses that line's events and nothing else.
TEST(Captures, ACutStreamEndsInATruncatedTail) {
  for (const Capture& capture : captures()) {
    if (capture.bytes.size() < 10 || is_plain_text(capture)) continue;
    const std::string cut = capture.bytes.substr(0, capture.bytes.size() - 3);
    const auto reader = make_reader(capture.dialect);
    const Heard heard(*reader, cut);
    ASSERT_GE(heard.count<Malformed>(), 1u) << capture.name;
    EXPECT_EQ(heard.all<Malformed>().back()->reason, "truncated_tail") << capture.name;
    EXPECT_TRUE(tiles(heard.records(), cut.size())) << capture.name;
  }
}

}  // namespace
}  // namespace dragoman::test
