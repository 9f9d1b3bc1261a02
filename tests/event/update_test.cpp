// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/update.hpp"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

Event block(Payload payload, std::uint64_t offset, std::uint64_t length) {
  Event event;
  event.payload = payload;
  event.origin.dialect = Dialect::markers;
  event.origin.offset = offset;
  event.origin.length = length;
  return event;
}

TEST(Update, IsTheSameBlockWithMoreLines) {
  const Event before = block(Blocked{.reason = "no url"}, 10, 20);
  EXPECT_TRUE(is_update(before, block(Blocked{.reason = "no url"}, 10, 30)));
  EXPECT_FALSE(is_update(before, block(Blocked{.reason = "no url"}, 30, 20)));
  EXPECT_FALSE(is_update(before, block(FilesChanged{}, 10, 30)));
  Event elsewhere = block(Blocked{.reason = "no url"}, 10, 30);
  elsewhere.origin.stream = Stream::stderr_;
  EXPECT_FALSE(is_update(before, elsewhere));
}

// The paragraph behind its options belongs to the question and is no line of the marker.
TEST(Update, IsTheSameQuestionWithoutMoreLines) {
  const Event before = block(Question{.id = "q-1"}, 10, 20);
  EXPECT_TRUE(is_update(before, block(Question{.id = "q-1"}, 10, 20)));
  EXPECT_FALSE(is_update(before, block(Question{.id = "q-2"}, 10, 20)));
}

TEST(Update, NothingGrowsButTheBlockOfABracketMarker) {
  EXPECT_TRUE(may_grow(block(Question{.id = "q-1"}, 0, 9)));
  EXPECT_FALSE(may_grow(block(Question{.id = "q-1", .state = QuestionState::answered}, 0, 9)));
  EXPECT_FALSE(may_grow(block(Status{}, 0, 9)));
  Event seen = block(FilesChanged{}, 0, 9);
  seen.origin.dialect = Dialect::claude;
  EXPECT_FALSE(may_grow(seen));
}

}  // namespace
}  // namespace dragoman
