// SPDX-License-Identifier: Apache-2.0
// Turns of one run in several processes, with one recording.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/engine/job.hpp"
#include "dragoman/record/reader.hpp"
#include "tests/engine/fakes.hpp"
#include "tests/engine/says.hpp"
#include "tests/support/files.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PastTurns : public testing::Test {
 protected:
  PastTurns() {
    fs::create_directories(root());
    for (const char* const name : {"claude", "codex"}) {
      write_file(root() / name, "#!/bin/sh\n");
      fs::permissions(root() / name, fs::perms::owner_all);
    }
  }

  // A process that begins a turn; the one before is gone, with or without its end.
  void begin(const std::string& agent, std::optional<std::uint64_t> message = {}) {
    run_.reset();
    job_.reset();
    spawner_ = std::make_unique<FakeSpawner>();
    desk_ = {};
    audience_ = {};
    heard_.clear();
    rests_ = ends_ = 0;
    engine::RunSpec spec;
    spec.agent = agent::find_agent(agent);
    spec.id = "r-1";
    spec.record = record();
    spec.request.prompt = "go";
    spec.request.cwd = root().string();
    spec.last_seq = last_seq_;
    if (message) {
      spec.request.resume = says::kSession;
      spec.message = engine::Message{*message, "go"};
      spec.goes_on = true;
    }
    auto job = engine::Job::prepare(std::move(spec), {{"PATH=" + root().string()}, {}});
    ASSERT_TRUE(job) << job.error().message;
    job_ = *std::move(job);
    engine::Owner owner;
    owner.rested = [this](engine::Ending ending) {
      ++rests_;
      ending_ = std::move(ending);
    };
    owner.ended = [this] { ++ends_; };
    owner.heard = [this](std::uint64_t number) { heard_.push_back(number); };
    run_ = job_->begin(loop_, *spawner_, audience_, &desk_, std::move(owner));
    ASSERT_TRUE(run_->start());
    loop_.settle();
  }
  void say(const std::string& bytes) {
    spawner_->last().say(bytes);
    loop_.settle();
  }
  void exit(int code) {
    spawner_->last().exit(code);
    loop_.settle();
  }
  // Whole turns.
  void turn(std::optional<std::uint64_t> message = {}, std::string_view file = "a") {
    begin("claude", message);
    say(says::init() + says::text("so") +
        says::call("t" + std::string(file), "Write",
                   "{\"file_path\":\"" + std::string(file) + "\",\"content\":\"x\"}") +
        says::tool_done("t" + std::string(file)) + says::result());
    exit(0);
  }
  [[nodiscard]] std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> out;
    Arena arena;
    for (const std::string& line : events()) out.push_back(read_event(line, arena)->seq);
    return out;
  }
  [[nodiscard]] std::vector<std::string> events() const {
    return *(*record::Reader::open(record()))->events();
  }
  [[nodiscard]] fs::path root() const { return directory_.path() / "bin"; }
  [[nodiscard]] fs::path record() const { return directory_.path() / "record"; }

  TempDir directory_;
  FakeLoop loop_;
  std::unique_ptr<FakeSpawner> spawner_;
  FakeDesk desk_;
  FakeAudience audience_;
  std::vector<std::uint64_t> heard_;
  engine::Ending ending_;
  int rests_ = 0;
  int ends_ = 0;
  std::uint64_t last_seq_ = 0;
  std::unique_ptr<engine::Job> job_;
  std::unique_ptr<engine::Run> run_;
};

TEST_F(PastTurns, ALaterTurnGoesOnInTheSameRecording) {
  turn();
  const std::string first = read_file(record() / "stdout");
  const std::string first_in = read_file(record() / "stdin");
  turn(1, "b");
  EXPECT_THAT(heard_, ElementsAre(1));
  EXPECT_EQ(read_file(record() / "stdout").substr(0, first.size()), first);
  EXPECT_GT(read_file(record() / "stdout").size(), first.size());
  const auto all = numbers();
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i + 1);
  Arena arena;
  const auto last = read_event(events().back(), arena);
  EXPECT_EQ(last->origin.offset, read_file(record() / "stdout").size());
  EXPECT_EQ(ending_.run.files.size(), 2U);  // of both turns
  EXPECT_EQ(ending_.run.turns.finished, 2U);
  EXPECT_EQ(ending_.verdict.kind, VerdictKind::completed);
  EXPECT_EQ((*record::Reader::open(record()))->exit()->stdout_account.seen,
            read_file(record() / "stdout").size());
  const std::string starts = read_file(record() / "starts.jsonl");
  EXPECT_EQ(std::ranges::count(starts, '\n'), 2);
  EXPECT_THAT(starts, HasSubstr("\"stdout\":" + std::to_string(first.size()) + ","));
  turn(2, "c");
  EXPECT_EQ(std::ranges::count(read_file(record() / "starts.jsonl"), '\n'), 3);
}

TEST_F(PastTurns, TheVerdictIsThatOfTheLastTurn) {
  begin("claude");
  say(says::init() + says::result(false));
  exit(1);
  EXPECT_EQ(ending_.verdict.kind, VerdictKind::failed);
  turn(1);
  EXPECT_EQ(ending_.verdict.kind, VerdictKind::completed);
}

TEST_F(PastTurns, WhileATurnGoesOnThereIsNoVerdictOfAnother) {
  turn();
  EXPECT_TRUE(fs::exists(record() / "verdict.json"));
  begin("claude", 1);
  EXPECT_FALSE(fs::exists(record() / "verdict.json"));
  EXPECT_FALSE(fs::exists(record() / "exit.json"));
}

TEST_F(PastTurns, WhatAnEarlierTurnAskedIsWithdrawnAndAskedAgainIsAnotherQuestion) {
  begin("codex");
  say(says::thread() + says::message("[QUESTION] Which?") + says::turn());
  exit(0);
  ASSERT_EQ(desk_.open.size(), 1U);
  const std::string id = desk_.open.begin()->first;
  begin("codex", 1);
  say(says::thread() + says::message("so") + says::turn());
  exit(0);
  EXPECT_EQ(ending_.verdict.kind, VerdictKind::completed);
  EXPECT_TRUE(desk_.open.empty());
  begin("codex", 2);
  say(says::thread() + says::message("[QUESTION] Which?") + says::turn());
  exit(0);
  ASSERT_EQ(desk_.open.size(), 1U);
  EXPECT_EQ(desk_.open.begin()->first, id + ".2");
}

// Of a task of a program that is gone no end will come.
TEST_F(PastTurns, WhatAKilledProgramHadInItsBackgroundIsNotWaitedFor) {
  begin("claude");
  say(says::init() + "{\"type\":\"system\",\"subtype\":\"task_started\",\"task_id\":\"b\"}\n" +
      says::result());
  EXPECT_FALSE(spawner_->last().input_closed);
  begin("claude", 1);
  say(says::init() + says::result());
  EXPECT_TRUE(spawner_->last().input_closed);
}

TEST_F(PastTurns, WithoutARecordingTheNumbersGoOn) {
  last_seq_ = 41;
  begin("claude", 1);
  say(says::init());
  EXPECT_THAT(audience_.lines.front(), HasSubstr("\"seq\":42,"));
  begin("claude", 1);  // each begins with the message
  last_seq_ = 0;       // and the recording knows more
  begin("claude", 2);
  say(says::init());
  EXPECT_THAT(audience_.lines.front(), HasSubstr("\"seq\":45,"));
}

TEST_F(PastTurns, AKilledOwnerLeavesHalfLinesAndTheNextTurnSaysSo) {
  turn();
  const std::string whole = read_file(record() / "events.jsonl");
  fs::remove(record() / "exit.json");
  write_file(record() / "events.jsonl", whole + "{\"seq\":99,\"kind\":\"te");
  write_file(record() / "timing", read_file(record() / "timing") + "77 1");
  turn(1, "b");
  EXPECT_TRUE(audience_.has_rule("recording_damaged"));
  EXPECT_EQ(read_file(record() / "events.jsonl").substr(0, whole.size()), whole);
  const auto all = numbers();
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i + 1);
  EXPECT_EQ(ending_.run.files.size(), 2U);
}

// Whatever is in the files: the turn is held, and its events can be read.
TEST_F(PastTurns, ADamagedRecordingIsGoneOnWith) {
  turn();
  const fs::path good = directory_.path() / "good";
  fs::copy(record(), good, fs::copy_options::recursive);
  const std::size_t rounds = scaled(2000);
  for (std::size_t seed = 1; seed <= rounds; ++seed) {
    Random random(seed);
    fs::remove_all(record());
    fs::copy(good, record(), fs::copy_options::recursive);
    constexpr const char* kFiles[] = {"events.jsonl", "timing",           "exit.json",    "stdout",
                                      "verdict.json", "redactions.jsonl", "starts.jsonl", "stdin"};
    const fs::path file = record() / random.pick(kFiles);
    std::string text = fs::exists(file) ? read_file(file) : "x\n";
    if (random.one_in(3)) {
      text.resize(random.below(text.size() + 1));
    } else {
      text = mutated(text, random, "\"{}[]:,\\ \n019eu\xff");
    }
    write_file(file, text);
    turn(1, "b");
    ASSERT_EQ(ends_, 1) << seed;
    ASSERT_EQ(ending_.verdict.kind, VerdictKind::completed) << seed << " " << file;
    const auto all = *record::Reader::open(record());
    ASSERT_TRUE(all->events()) << seed;
    ASSERT_TRUE(all->exit()) << seed;
    while (all->next()) {
    }
  }
}

TEST_F(PastTurns, ALinkInTheRecordingIsNotFollowed) {
  turn();
  const fs::path other = directory_.path() / "other";
  write_file(other, "mine\n");
  fs::remove(record() / "stdout");
  fs::create_symlink(other, record() / "stdout");
  engine::RunSpec spec;
  spec.agent = agent::find_agent("claude");
  spec.record = record();
  spec.request.cwd = root().string();
  spec.goes_on = true;
  EXPECT_FALSE(engine::Job::prepare(std::move(spec), {{"PATH=" + root().string()}, {}}));
  EXPECT_EQ(read_file(other), "mine\n");
}

}  // namespace
}  // namespace dragoman::test
