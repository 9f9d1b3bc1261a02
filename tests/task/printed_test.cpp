// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/printed.hpp"

#include <gtest/gtest.h>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/task/agent_lines.hpp"
#include "tests/support/files.hpp"

namespace dragoman::task {
namespace {

std::string readable(Dialect dialect, std::string_view bytes) {
  ReadableOutput output;
  const auto reader = make_reader(dialect);
  reader->push(bytes, output);
  reader->finish(output);
  return std::move(output).take().out;
}

TEST(ReadableOutput, HasTheMarkersBetweenTheWords) {
  EXPECT_EQ(readable(Dialect::claude,
                     R"({"type":"assistant","message":{"content":[{"type":"text","text":)"
                     R"("Before\n[PROGRESS] half\nBehind"}]}})"
                     "\n"
                     R"({"type":"assistant","message":{"content":[{"type":"text","text":)"
                     R"("<!--QUESTION:{\"questions\":[{\"question\":\"Which?\",\"header\":\"H\",)"
                     R"(\"options\":[{\"label\":\"a\"},{\"label\":\"b\"}]}]}-->\n"}]}})"
                     "\n"),
            "Before\n[PROGRESS] half\nBehind\n"
            R"(<!--QUESTION:{"questions":[{"question":"Which?","header":"H",)"
            R"("options":[{"label":"a"},{"label":"b"}]}]}-->)"
            "\n");
}

TEST(ReadableOutput, KeepsWhatIsNoMarkerAndWhatIsABrokenOne) {
  const std::string text = "one\n```\n[PROGRESS] quoted\n```\n<!-- WXCODE:STATUS:{oops} -->\ntwo\n";
  EXPECT_EQ(readable(Dialect::wxcode, text), text);
}

TEST(ReadableOutput, LeavesCommentsWhereTheyStood) {
  const std::string text =
      R"(a <!-- WXCODE:STATUS:{"status":"in_progress","message":"m","progress":10} --> b)"
      "\n\nlast";
  EXPECT_EQ(readable(Dialect::wxcode, text), text + "\n");
}

TEST(ReadableOutput, HasTheOutputOfCommands) {
  EXPECT_EQ(readable(Dialect::codex,
                     R"({"type":"item.completed","item":{"id":"c","type":"command_execution",)"
                     R"("command":"ls","aggregated_output":"a.txt","exit_code":0,)"
                     R"("status":"completed"}})"
                     "\n"
                     R"({"type":"item.completed","item":{"id":"m","type":"agent_message",)"
                     R"("text":"Done."}})"
                     "\n"),
            "a.txt\nDone.\n");
}

TEST(RecordedOutput, IsThatOfEveryStartByteForByteWithoutColours) {
  const test::TempDir directory;
  Task task;
  EXPECT_FALSE(recorded_output(task).has_value());
  task.recording = directory.path() / "run";
  EXPECT_FALSE(recorded_output(task).has_value());
  std::filesystem::create_directories(directory.path() / "run" / "run-start-2");
  test::write_file(directory.path() / "run" / "stdout", "[QUESTION] Which?\n1. \x1b[31ma\x1b[0m\n");
  test::write_file(directory.path() / "run" / "run-start-2" / "stdout", "[COMPLETE] done");
  test::write_file(directory.path() / "run" / "run-start-2" / "stderr", "[BLOCKED] no\n");
  const auto printed = recorded_output(task);
  ASSERT_TRUE(printed.has_value());
  EXPECT_EQ(printed->out, "[QUESTION] Which?\n1. a\n[COMPLETE] done");
  EXPECT_EQ(printed->err, "[BLOCKED] no\n");
}

// What stands in the place of a recording may be a link that leads anywhere.
TEST(RecordedOutput, IsNotThatOfADirectoryWhichALinkLeadsTo) {
  const test::TempDir directory;
  const auto elsewhere = directory.path() / "elsewhere";
  std::filesystem::create_directories(elsewhere / "run-start-2");
  test::write_file(elsewhere / "stdout", "secret");
  test::write_file(elsewhere / "run-start-2" / "stdout", "secret");
  std::filesystem::create_directory_symlink(elsewhere, directory.path() / "run");
  Task task;
  for (const char* agent : {"command", "codex"}) {
    task.agent = agent;
    for (const char* name : {"run", "run/"}) {
      task.recording = directory.path().string() + "/" + name;
      EXPECT_TRUE(recorded_starts(task).empty()) << name;
      EXPECT_FALSE(recorded_output(task).has_value()) << name;
      EXPECT_FALSE(agent_lines(task, 5, 1000).has_value()) << name;
    }
  }
}

}  // namespace
}  // namespace dragoman::task
