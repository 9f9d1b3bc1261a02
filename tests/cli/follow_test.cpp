// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

void append(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

bool shows(const Running& running, std::string_view text) {
  return eventually([&] { return running.out_so_far().find(text) != std::string::npos; });
}

class Follow : public ::testing::Test {
 protected:
  void SetUp() override { write_file(log_, "[PROGRESS] one\n"); }

  TempDir dir_;
  std::filesystem::path log_ = dir_.path() / "log";
  Start start_{.arguments = {"parse", "--follow", "--stats", "--kinds", "status", log_.string()}};
};

TEST_F(Follow, ShowsWhatIsAddedUntilItIsInterrupted) {
  Running running(dragoman_program(), start_);
  ASSERT_TRUE(shows(running, "\"one\""));
  append(log_, "[PROGRESS] two\n");
  ASSERT_TRUE(shows(running, "\"two\""));
  append(log_, "[PROGRESS] thr");
  append(log_, "ee\n");
  ASSERT_TRUE(shows(running, "\"three\""));
  running.send(SIGINT);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_EQ(ended.err, log_.string() + " (markers): 47 bytes, 3 lines, 3 events; 0 lost\n");
}

TEST_F(Follow, AFileThatIsCutOffIsReadAnew) {
  Running running(dragoman_program(), start_);
  ASSERT_TRUE(shows(running, "\"one\""));
  std::filesystem::resize_file(log_, 0);
  ASSERT_TRUE(
      eventually([&] { return running.err_so_far().find("was cut off") != std::string::npos; }));
  append(log_, "[PROGRESS] anew\n");
  ASSERT_TRUE(shows(
      running, R"({"seq":1,"kind":"status","data":{"status":"in_progress","message":"anew"})"));
}

TEST_F(Follow, AFileThatIsReplacedIsReadAnewAndItsRestIsNotLost) {
  Running running(dragoman_program(), start_);
  ASSERT_TRUE(shows(running, "\"one\""));
  std::filesystem::rename(log_, dir_.path() / "log.1");
  append(dir_.path() / "log.1", "[PROGRESS] late\n");
  ASSERT_TRUE(shows(running, "\"late\""));
  write_file(dir_.path() / "new", "[PROGRESS] fresh\n");
  std::filesystem::rename(dir_.path() / "new", log_);
  ASSERT_TRUE(shows(running, "\"fresh\""));
  EXPECT_NE(running.err_so_far().find("was replaced"), std::string::npos);
}

TEST_F(Follow, EndsWhenNobodyReadsAnyMore) {
  // The file stays as it is, so that nothing is written that could fail.
  const Ended ended =
      Running("/bin/sh", {.arguments = {"-c", R"("$0" parse --follow "$1" | head -n 1)",
                                        dragoman_program().string(), log_.string()}})
          .wait();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_NE(ended.out.find("\"one\""), std::string::npos);
}

TEST_F(Follow, TerminatingEndsInGoodOrderToo) {
  append(log_, "[BLOCKED] no url\nctx");
  start_.arguments[4] = "blocked,status";
  Running running(dragoman_program(), start_);
  ASSERT_TRUE(shows(running, "\"one\""));
  running.send(SIGTERM);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.exit_code, 143);
  EXPECT_NE(ended.out.find("\"no url\""), std::string::npos);
}

// A pipe needs no option.
TEST(Pipe, ShowsEventsAsTheyComeAndBlocksWhenTheyAreOver) {
  const TempDir dir;
  const std::filesystem::path pipe = dir.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Running running(dragoman_program(),
                  {.arguments = {"parse", "--kinds", "status,blocked", pipe.string()}});
  std::ofstream out(pipe);
  out << "[PROGRESS] one\n" << std::flush;
  ASSERT_TRUE(shows(running, "\"one\""));
  out << "[BLOCKED] no url\nctx\n[PROGRESS] two\n" << std::flush;
  ASSERT_TRUE(shows(running, "\"no url\""));
  out.close();
  const Ended ended = running.wait();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "");
}

// It ends when its writer does.
TEST(Pipe, MayBeFollowedAsStdin) {
  for (const std::string words : {"--follow", "-f", "-f -"}) {
    const Ended ended =
        Running("/bin/sh",
                {.arguments = {"-c",
                               "printf '[PROGRESS] one\\n' | \"$0\" parse --kinds status " + words,
                               dragoman_program().string()}})
            .wait();
    EXPECT_EQ(ended.exit_code, 0) << words;
    EXPECT_EQ(ended.err, "") << words;
    EXPECT_NE(ended.out.find("\"one\""), std::string::npos) << words;
  }
}

TEST(Pipe, AFileAsStdinGrowsTooWhateverElseIsThere) {
  const TempDir dir;
  const std::filesystem::path log = dir.path() / "log";
  write_file(log, "[PROGRESS] one\n");
  write_file(dir.path() / "-", "[PROGRESS] other\n");
  Running running("/bin/sh",
                  {.arguments = {"-c", R"(exec "$0" parse --follow --kinds status < log)",
                                 dragoman_program().string()},
                   .directory = dir.path()});
  ASSERT_TRUE(shows(running, "\"one\""));
  append(log, "[PROGRESS] two\n");
  ASSERT_TRUE(shows(running, "\"two\""));
  running.send(SIGINT);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_EQ(ended.err, "");
}

}  // namespace
}  // namespace dragoman::test
