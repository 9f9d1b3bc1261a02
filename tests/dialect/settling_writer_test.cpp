// SPDX-License-Identifier: Apache-2.0
// A block that a reader gave out early, and again when it had grown, is written once.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/dialect/writer.hpp"

namespace dragoman {
namespace {

class WritingSink final : public EventSink {
 public:
  explicit WritingSink(Target target) : writer_(make_writer(target)) {}

  void on_event(const Event& event) override {
    // What a dialect has no words for is left out, today as on any other day.
    static_cast<void>(writer_->write(event, written_));
  }
  std::string finish() {
    writer_->finish(written_);
    return written_;
  }

 private:
  std::unique_ptr<Writer> writer_;
  std::string written_;
};

enum class Pause { no, yes };

// The pieces, with or without a silence behind each in which open blocks are given out.
std::string written(Target target, const std::vector<std::string_view>& pieces, Pause pause) {
  WritingSink sink(target);
  const auto reader = make_reader(Dialect::markers);
  for (const std::string_view piece : pieces) {
    reader->push(piece, sink);
    if (pause == Pause::yes) reader->idle(sink);
  }
  reader->finish(sink);
  return sink.finish();
}

class SettlingTargets : public testing::TestWithParam<Target> {};

TEST_P(SettlingTargets, WriteAGrownBlockOnce) {
  const std::vector<std::vector<std::string_view>> streams = {
      {"[BLOCKED] no url\n", "the staging one is meant\n", "\nwords\n"},
      {"[FILES_MODIFIED]\n- a.ts (created)\n", "- b.ts (modified)\n", "\n"},
      {"[TEST_RESULTS]\npassed: 3\n", "failed: 1\n", "\n[PROGRESS] on\n"},
      {"[QUESTION] Which?\nOptions:\n1. a\n2. b\n", "3. c\n", "4. d\n", "\n"},
      {"[BLOCKED] one\n", "more\n", "[BLOCKED] two\n", "more\n", "[PROGRESS] p\n"},
  };
  for (const auto& stream : streams) {
    EXPECT_EQ(written(GetParam(), stream, Pause::yes), written(GetParam(), stream, Pause::no))
        << stream.front();
  }
}

// Not the delegator's envelope: it is written once, at the end, from the last version of
// everything.
INSTANTIATE_TEST_SUITE_P(Targets, SettlingTargets,
                         testing::Values(Target::wxcode, Target::question, Target::markers,
                                         Target::claude, Target::ag_ui, Target::acp, Target::otlp),
                         [](const auto& target) {
                           std::string label(name(target.param));
                           std::erase(label, '-');
                           return label;
                         });

}  // namespace
}  // namespace dragoman
