// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <algorithm>
#include <numeric>

#include "dragoman/base/sanitized.hpp"
#include "dragoman/record/reader.hpp"
#include "dragoman/record/recording.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/supervised.hpp"

namespace dragoman::test {
namespace {

using std::chrono::microseconds;

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& fd : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

std::size_t resident_kilobytes() {
  (void)::malloc_trim(0);
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  }
  return 0;
}

// A run with its recording; the lines are counted as they are handed on.
struct RecordedRun {
  std::unique_ptr<record::Recording> recording;
  std::unique_ptr<process::Supervisor> supervisor;
  std::size_t lines = 0;
  bool ended = false;

  void start(boost::asio::io_context& io, const std::filesystem::path& directory,
             const process::Command& command) {
    auto made = record::Recording::create(directory, {.agent = "command"});
    ASSERT_TRUE(made) << made.error().message;
    recording = *std::move(made);
    process::Handlers handlers;
    handlers.output = [this](process::Stream, std::string_view bytes) {
      const auto kept = recording->output(record::Channel::stdout_, bytes, microseconds(1));
      lines += static_cast<std::size_t>(std::count(kept.begin(), kept.end(), '\n'));
    };
    handlers.ended = [this](const process::Outcome& how) {
      recording->exit({.how = "exited", .code = how.exit.code});
      ended = true;
      recording.reset();
      supervisor.reset();
    };
    auto started = process::Supervisor::start(io, command, {}, std::move(handlers));
    ASSERT_TRUE(started) << started.error().message;
    supervisor = *std::move(started);
  }
};

void run_many(const std::filesystem::path& directory, std::size_t agents, std::size_t lines) {
  boost::asio::io_context io;
  std::vector<RecordedRun> runs(agents);
  for (std::size_t i = 0; i < agents; ++i) {
    runs[i].start(io, directory / std::to_string(i),
                  fake_agent({"sleep", "200", "lines", std::to_string(lines)}));
    if (::testing::Test::HasFatalFailure()) return;
    io.poll();
    io.restart();  // poll() with nothing left to do has stopped it
  }
  io.run();
  std::size_t handed_on = 0;
  std::size_t recorded = 0;
  for (std::size_t i = 0; i < agents; ++i) {
    EXPECT_TRUE(runs[i].ended);
    handed_on += runs[i].lines;
    const std::string kept = read_file(directory / std::to_string(i) / "stdout");
    recorded += static_cast<std::size_t>(std::count(kept.begin(), kept.end(), '\n'));
  }
  EXPECT_EQ(handed_on, agents * lines);
  EXPECT_EQ(recorded, agents * lines);
}

TEST(ManyAgents, EveryLineIsRecordedAndNothingIsLeft) {
  process::raise_descriptor_limit();
  const TempDir dir;
  run_many(dir.path() / "warm", scaled(1000), 100);
  const std::size_t descriptors = open_descriptors();
  const std::size_t memory = resident_kilobytes();
  run_many(dir.path() / "counted", scaled(1000), 1000);
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_EQ(own_children(), 0U) << "no zombie, no guard";
#if !DRAGOMAN_SANITIZED
  EXPECT_LE(resident_kilobytes(), memory + memory / 20 + 1024);
#endif
  (void)memory;
}

TEST(ManyAgents, TheOutputOfAChildThatExitsAtOnceIsComplete) {
  std::size_t sizes[] = {1, 100, 4096, 4097, 65536, 65537, 262144, 300'000, 1'048'576};
  const std::size_t rounds = std::max<std::size_t>(scaled(10'000), 18);
  boost::asio::io_context io;
  for (std::size_t round = 0; round < rounds;) {
    std::vector<std::unique_ptr<Supervised>> runs;
    for (; runs.size() < 16 && round < rounds; ++round) {
      runs.push_back(std::make_unique<Supervised>());
      const std::size_t size = sizes[round % std::size(sizes)];
      runs.back()->start(io, fake_agent({"bytes", std::to_string(size), "exit", "7"}));
    }
    io.restart();
    io.run();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::size_t size = sizes[(round - runs.size() + i) % std::size(sizes)];
      ASSERT_TRUE(runs[i]->outcome.has_value());
      ASSERT_EQ(runs[i]->out.size(), size);
      ASSERT_EQ(runs[i]->outcome->exit.code, 7);
      ASSERT_FALSE(runs[i]->outcome->exit.output_cut);
    }
  }
}

TEST(ManyAgents, AGrandchildThatHoldsThePipeDelaysTheEndByTwoSecondsAtMost) {
  boost::asio::io_context io;
  Supervised run;
  run.start(io, fake_agent({"hold", "60000", "say", "done", "exit", "0"}));
  const auto begun = std::chrono::steady_clock::now();
  io.run();
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_EQ(run.out, "done\n");
  EXPECT_EQ(run.outcome->exit.code, 0);
  EXPECT_EQ(run.outcome->exit.leftovers, 1U);
  EXPECT_LE(took, std::chrono::seconds(2));
  EXPECT_EQ(own_children(), 0U);
}

TEST(ManyAgents, AFirehoseNeedsNoMemory) {
  const std::size_t bytes = scaled(10'000'000'000 / step_with_sanitizers(4));
  boost::asio::io_context io;
  const auto recording = record::Recording::discard();
  process::Handlers handlers;
  std::uint64_t seen = 0;
  std::optional<process::Outcome> outcome;
  handlers.output = [&](process::Stream, std::string_view chunk) {
    seen += recording->output(record::Channel::stdout_, chunk, microseconds(1)).size();
  };
  handlers.ended = [&](const process::Outcome& how) { outcome = how; };
  const std::size_t before = resident_kilobytes();
  auto started = process::Supervisor::start(io, fake_agent({"bytes", std::to_string(bytes)}), {},
                                            std::move(handlers));
  ASSERT_TRUE(started) << started.error().message;
  io.run();
  EXPECT_EQ(outcome->exit.code, 0);
  seen += recording->end(record::Channel::stdout_, microseconds(1)).size();
  EXPECT_EQ(seen, bytes);
#if !DRAGOMAN_SANITIZED
  EXPECT_LE(resident_kilobytes(), before + 8 * 1024);
  EXPECT_LE(resident_kilobytes(), 64U * 1024);
#endif
  (void)before;
}

}  // namespace
}  // namespace dragoman::test
