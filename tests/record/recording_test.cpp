// SPDX-License-Identifier: Apache-2.0
#include "dragoman/record/recording.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <set>

#include <gtest/gtest.h>

#include "dragoman/record/reader.hpp"
#include "tests/support/files.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::record {
namespace {

using std::chrono::microseconds;
using test::read_file;
using test::TempDir;

CommandRecord some_command() {
  return {.agent = "command",
          .program = "/usr/bin/agent",
          .arguments = {"-p", "say \"hi\"\n"},
          .directory = "/home/dev",
          .environment_names = {"HOME", "PATH"},
          .started_at = "2026-11-15T10:05:22.104Z",
          .session_id = "abc",
          .dialect = "claude",
          .terminal = false};
}

std::unique_ptr<Recording> record_in(const std::filesystem::path& directory,
                                     RecordingOptions options = {}) {
  auto made = Recording::create(directory, some_command(), std::move(options));
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? *std::move(made) : nullptr;
}

struct Seen {
  Channel channel;
  std::int64_t at;
  std::string bytes;
  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> chunks_of(Reader& reader) {
  std::vector<Seen> all;
  while (const auto chunk = reader.next()) {
    all.push_back({chunk->channel, chunk->at.count(), std::string(chunk->bytes)});
  }
  return all;
}

TEST(Recording, IsReadBackAsItWasWritten) {
  const TempDir dir;
  const auto path = dir.path() / "runs" / "one";
  {
    const auto recording = record_in(path);
    EXPECT_EQ(recording->output(Channel::stdin_, "prompt\n", microseconds(10)), "prompt\n");
    EXPECT_EQ(recording->output(Channel::stdout_, "first\n", microseconds(5000)), "first\n");
    EXPECT_EQ(recording->output(Channel::stderr_, "oops\n", microseconds(5100)), "oops\n");
    EXPECT_EQ(recording->output(Channel::stdout_, "second ", microseconds(9000)), "second ");
    EXPECT_EQ(recording->output(Channel::stdout_, "half\n", microseconds(9400)), "half\n");
    recording->event(R"({"seq":1})");
    recording->exit(
        {.how = "exited", .code = 3, .wall = microseconds(10'000), .cpu = microseconds(7)});
    recording->verdict(R"({"verdict":"failed"})");
    EXPECT_FALSE(recording->fault().has_value());
    EXPECT_EQ(recording->last_output(), "first\noops\nsecond half\n");
  }
  auto reader = Reader::open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ((*reader)->command(), some_command());
  ASSERT_TRUE((*reader)->exit().has_value());
  const ExitRecord wanted{.how = "exited",
                          .code = 3,
                          .wall = microseconds(10'000),
                          .cpu = microseconds(7),
                          .stdin_account = {.seen = 7, .kept = 7},
                          .stdout_account = {.seen = 18, .kept = 18},
                          .stderr_account = {.seen = 5, .kept = 5}};
  EXPECT_EQ(*(*reader)->exit(), wanted);
  EXPECT_EQ((*reader)->verdict(), R"({"verdict":"failed"})");
  EXPECT_EQ(*(*reader)->events(), std::vector<std::string>{R"({"seq":1})"});
  const std::vector<Seen> chunks = {{Channel::stdin_, 10, "prompt\n"},
                                    {Channel::stdout_, 5000, "first\n"},
                                    {Channel::stderr_, 5100, "oops\n"},
                                    {Channel::stdout_, 9000, "second half\n"}};
  EXPECT_EQ(chunks_of(**reader), chunks);
  (*reader)->rewind();
  EXPECT_EQ(chunks_of(**reader), chunks);
}

TEST(Recording, HasNoFileForWhatNeverCame) {
  const TempDir dir;
  const auto path = dir.path() / "one";
  {
    const auto recording = record_in(path);
    (void)recording->output(Channel::stderr_, "oh\n", std::chrono::microseconds(5));
    recording->exit({.code = 0});
  }
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    files.insert(entry.path().filename().string());
  EXPECT_EQ(files, (std::set<std::string>{"command.json", "exit.json", "stderr", "timing"}));
  const auto reader = Reader::open(path);
  ASSERT_TRUE(reader);
  EXPECT_EQ(chunks_of(**reader), (std::vector<Seen>{{Channel::stderr_, 5, "oh\n"}}));
}

TEST(Recording, BelongsToItsOwnerAlone) {
  const TempDir dir;
  const auto path = dir.path() / "run";
  const mode_t before = ::umask(0);
  const auto recording = record_in(path);
  (void)recording->output(Channel::stdout_, "x", microseconds(0));
  recording->exit({.how = "exited"});
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  for (const auto& file : std::filesystem::directory_iterator(path)) {
    ASSERT_EQ(::stat(file.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << file.path();
  }
}

TEST(Recording, KeepsNoSecret) {
  const TempDir dir;
  const auto path = dir.path() / "run";
  const std::string key = "ghp_Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";
  {
    const auto recording = record_in(path);
    std::string out(recording->output(Channel::stdout_, "a " + key.substr(0, 9), microseconds(1)));
    out += recording->output(Channel::stdout_, key.substr(9) + " .", microseconds(2));
    EXPECT_EQ(out, "a [REDACTED:github_token] .");
    (void)recording->output(Channel::stdin_, key, microseconds(3));
    recording->exit({.how = "exited"});
    EXPECT_EQ(recording->account(Channel::stdout_), (ChannelAccount{27, 27, 0, 1}));
  }
  for (const auto& file : std::filesystem::directory_iterator(path)) {
    EXPECT_EQ(read_file(file.path()).find(key.substr(4)), std::string::npos) << file.path();
  }
  EXPECT_EQ(read_file(path / "redactions.jsonl"),
            R"({"channel":"stdout","offset":2,"length":40,"kind":"github_token"})"
            "\n"
            R"({"channel":"stdin","offset":0,"length":40,"kind":"github_token"})"
            "\n");
}

TEST(Recording, KeepsNoAnswerThatWasGivenInConfidence) {
  const TempDir dir;
  const auto path = dir.path() / "run";
  const auto recording = record_in(path);
  std::string out(recording->output(Channel::stdout_, "begun gh", microseconds(1)));
  recording->keep_secret("hunter2-Sesame");
  for (const char* piece : {"ost hunter2", "-Ses", "ame."}) {
    out += recording->output(Channel::stdout_, piece, microseconds(2));
  }
  EXPECT_EQ(out, "begun ghost [REDACTED:answer].");
  for (const Channel channel : {Channel::stdin_, Channel::stderr_}) {
    EXPECT_EQ(recording->output(channel, "hunter2-Sesame\n", microseconds(3)),
              "[REDACTED:answer]\n");
  }
  EXPECT_EQ(recording->redacted("hunter2-Sesame"), "[REDACTED:answer]");
  recording->exit({.how = "exited"});
  EXPECT_EQ(test::files_with(path, "Sesame"), std::vector<std::string>());
}

TEST(Recording, CutsAtItsLimitAndSaysExactlyWhat) {
  const TempDir dir;
  const auto path = dir.path() / "run";
  const auto recording = record_in(path, {.limit = 100'000, .rules = nullptr});
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const std::string line(999, static_cast<char>('a' + i % 26));
    all += line + "\n";
    EXPECT_EQ(recording->output(Channel::stdout_, line + "\n", microseconds(i)).size(), 1000U);
  }
  recording->exit({.how = "exited"});
  EXPECT_EQ(recording->account(Channel::stdout_), (ChannelAccount{300'000, 100'000, 200'000, 0}));
  EXPECT_EQ(read_file(path / "stdout"), all.substr(0, 100'000));
  EXPECT_EQ(read_file(path / "stdout.tail"), all.substr(all.size() - 65536));
  EXPECT_EQ(recording->last_output(), all.substr(all.size() - 65536));
}

TEST(Recording, AFullDiskIsNotedAndTheRunGoesOn) {
  const TempDir dir;
  const auto recording = record_in(dir.path() / "run", {.limit = 0, .rules = nullptr});
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  (void)std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_EQ(recording->output(Channel::stdout_, std::string(5000, '.'), microseconds(1)).size(),
            5000U);
  EXPECT_EQ(recording->output(Channel::stdout_, "....", microseconds(2)), "....");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  (void)std::signal(SIGXFSZ, SIG_DFL);
  recording->exit({.how = "exited"});
  EXPECT_EQ(recording->account(Channel::stdout_), (ChannelAccount{5004, 1000, 4004, 0}));
  ASSERT_TRUE(recording->fault().has_value());
  EXPECT_EQ(recording->fault()->message, "write stdout: File too large");
}

// Half a line stayed, and what came when there was room again stood behind it.
TEST(Recording, EventsStayWholeLinesWhenADiskWasFull) {
  const TempDir dir;
  const auto path = dir.path() / "run";
  const auto recording = record_in(path, {.limit = 0, .rules = nullptr});
  const auto add = [&](const std::string& line) {
    recording->event(line);
    (void)recording->output(Channel::stdout_, ".", microseconds(1));  // writes what waits
  };
  add("{}");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  (void)std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  add("[" + std::string(5000, ' ') + "]");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  (void)std::signal(SIGXFSZ, SIG_DFL);
  add("[1]");
  EXPECT_EQ(read_file(path / "events.jsonl"), "{}\n[1]\n");
  ASSERT_TRUE(recording->fault().has_value());
  EXPECT_EQ(recording->fault()->message, "write events.jsonl: File too large");
}

TEST(Recording, ADirectoryInUseIsRefused) {
  const TempDir dir;
  test::write_file(dir.path() / "something", "");
  const auto made = Recording::create(dir.path(), some_command());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::validation);
}

TEST(Recording, DiscardedItOnlyRedacts) {
  const auto recording = Recording::discard();
  EXPECT_EQ(recording->output(Channel::stdout_, "TOKEN=abcdefgh12 ", microseconds(0)),
            "TOKEN=[REDACTED:secret] ");
  recording->event("{}");
  recording->exit({.how = "exited"});
  EXPECT_TRUE(recording->directory().empty());
  EXPECT_FALSE(recording->fault().has_value());
}

TEST(Reader, ReadsARecordingThatWasCutAnywhere) {
  const TempDir dir;
  const auto path = dir.path() / "run";
  {
    const auto recording = record_in(path);
    for (int i = 0; i < 20; ++i) {
      (void)recording->output(i % 3 == 0 ? Channel::stderr_ : Channel::stdout_,
                              "line " + std::to_string(i) + "\n", microseconds(i * 2000));
      recording->event(R"({"seq":1})");
    }
  }
  for (const std::string file : {"stdout", "stderr", "timing", "events.jsonl"}) {
    const std::string whole = read_file(path / file);
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      std::filesystem::resize_file(path / file, size);
      auto reader = Reader::open(path);
      ASSERT_TRUE(reader) << file << " cut at " << size;
      EXPECT_FALSE((*reader)->exit().has_value());
      std::string out;
      std::string err;
      std::int64_t last = 0;
      for (const Seen& chunk : chunks_of(**reader)) {
        (chunk.channel == Channel::stdout_ ? out : err) += chunk.bytes;
        EXPECT_GE(chunk.at, last);
        last = chunk.at;
      }
      ASSERT_EQ(out, read_file(path / "stdout")) << file << " cut at " << size;
      ASSERT_EQ(err, read_file(path / "stderr")) << file << " cut at " << size;
      ASSERT_TRUE((*reader)->events());
      test::write_file(path / file, whole);
    }
  }
}

TEST(Reader, ADirectoryWithoutARecordingIsNotFound) {
  const TempDir dir;
  const auto reader = Reader::open(dir.path());
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace dragoman::record
