// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/base/utf8.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/keep.hpp"
#include "tests/support/random_events.hpp"
#include "tests/support/scale.hpp"

namespace dragoman {
namespace {

class EveryKind : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] static Kind kind() { return static_cast<Kind>(GetParam()); }
};

TEST_P(EveryKind, ReadsBackWhatWasWritten) {
  test::RandomEvents events(GetParam());
  for (std::size_t i = 0; i < test::scaled(20000); ++i) {
    Arena arena;
    const Event event = events.make(kind(), arena);
    const std::string line = to_json(event);
    ASSERT_TRUE(utf8::valid(line)) << line;
    ASSERT_EQ(line.find('\n'), line.npos) << line;
    Arena again;
    const Result<Event> read = read_event(line, again);
    ASSERT_TRUE(read) << read.error().message << "\n" << line;
    ASSERT_EQ(to_json(*read), line);
    ASSERT_EQ(read->kind(), kind());
    ASSERT_EQ(read->extra.size(), event.extra.size()) << line;
  }
}

TEST_P(EveryKind, WritesJsonThatOthersRead) {
  test::RandomEvents events(100 + GetParam());
  for (std::size_t i = 0; i < test::scaled(5000); ++i) {
    Arena arena;
    const Event event = events.make(kind(), arena);
    const std::string line = to_json(event);
    const nlohmann::json parsed = nlohmann::json::parse(line, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded()) << line;
    ASSERT_EQ(parsed.at("kind").get<std::string>(), name(kind()));
    ASSERT_EQ(parsed.at("origin").at("offset").get<std::uint64_t>(), event.origin.offset);
    std::string data;
    append_data(data, event);
    ASSERT_EQ(nlohmann::json::parse(data), parsed.at("data"));
  }
}

TEST_P(EveryKind, AKeptEventOwesNothingToItsSource) {
  test::RandomEvents events(200 + GetParam());
  for (std::size_t i = 0; i < test::scaled(5000); ++i) {
    auto source = std::make_unique<Arena>();
    const Event event = events.make(kind(), *source);
    const std::string line = to_json(event);
    Arena arena;
    const Event kept = keep(event, arena);
    source.reset();
    ASSERT_EQ(to_json(kept), line);
  }
}

TEST_P(EveryKind, ADefaultEventIsReadBack) {
  const std::string line =
      "{\"kind\":\"" + std::string(name(kind())) + "\",\"data\":{},\"origin\":{}}";
  Arena arena;
  const Result<Event> read = read_event(line, arena);
  ASSERT_TRUE(read) << read.error().message;
  const std::string written = to_json(*read);
  const Result<Event> again = read_event(written, arena);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json(*again), written);
}

INSTANTIATE_TEST_SUITE_P(Event, EveryKind, testing::Range(std::size_t{0}, kKinds),
                         [](const auto& kind_of) {
                           return std::string(name(static_cast<Kind>(kind_of.param)));
                         });

}  // namespace
}  // namespace dragoman
