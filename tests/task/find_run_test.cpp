// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/find_run.hpp"

#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/record/documents.hpp"
#include "dragoman/run/run_id.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/files.hpp"

namespace dragoman::task {
namespace {

namespace fs = std::filesystem;
using test::value_of;
using testing::HasSubstr;

class FindRun : public testing::Test {
 protected:
  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  test::TempDir directory_;
  RunPlaces places_{log_.get(), directory_.path(), ""};

  void store(const std::string& id, std::int64_t created_at, const std::string& where = "/work") {
    Task task;
    task.id = id;
    task.text = "text of " + id;
    task.working_dir = where;
    task.created_at = created_at;
    value_of(write_one(*log_, Put{std::string(kTasks), record_of(task), 0}));
  }
  fs::path record(const std::string& name, const std::string& started_at,
                  const std::string& where = "/work") {
    record::CommandRecord command;
    command.program = "/bin/sh";
    command.arguments = {"-c", "true"};
    command.directory = where;
    command.started_at = started_at;
    const fs::path place = directory_.path() / name;
    fs::create_directories(place);
    test::write_file(place / "command.json", record::to_json(command));
    return place;
  }
  std::string found(std::string_view word) {
    const auto run = find_run(places_, word);
    return run ? run->id : run.error().message;
  }
};

TEST_F(FindRun, ByItsIdByItsTaskIdAndByWhatBeginsEither) {
  store("r-k3vqm2xa", 1);
  store("r-bbbbbbbb", 2);
  store("T-local-mwo20d237dye8bc55iafvq0g", 3);
  for (const char* word :
       {"r-k3vqm2xa", "T-local-k3vqm2xa", "k3vqm2xa", "r-k3", "k", "T-local-k3v"})
    EXPECT_EQ(found(word), "r-k3vqm2xa") << word;
  for (const char* word : {"T-local-mwo20d237dye8bc55iafvq0g", "T-local-mwo", "mwo20", "T-local-m"})
    EXPECT_EQ(found(word), "T-local-mwo20d237dye8bc55iafvq0g") << word;
  for (const char* word : {"r-mwo20", "r-", "T-local-", "r-k3vqm2xab", "nothing"})
    EXPECT_EQ(found(word), std::string("no run ") + word);
  for (const char* word : {"", "../r-k3vqm2xa", "r-k3*", "r k3", "\x1b[2J"})
    EXPECT_EQ(find_run(places_, word).error().code, ErrorCode::not_found) << word;
}

TEST_F(FindRun, AWholeIdGoesBeforeALongerOne) {
  store("T-local-abc", 1);
  store("T-local-abcd", 2);
  EXPECT_EQ(found("T-local-abc"), "T-local-abc");
}

TEST_F(FindRun, WhatBeginsSeveralIdsListsAtMostTenOfThem) {
  for (int i = 0; i < 12; ++i) store(std::string("r-aaaaaaa") + static_cast<char>('a' + i), i + 1);
  const auto several = find_run(places_, "aaa");
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().code, ErrorCode::validation);
  EXPECT_EQ(several.error().reason, kAmbiguous);
  EXPECT_THAT(several.error().message, testing::StartsWith("aaa is the beginning of 12 ids:\n"
                                                           "  r-aaaaaaal "));
  EXPECT_THAT(several.error().message, HasSubstr("d  text of r-aaaaaaac\n  and 2 more"));
  EXPECT_THAT(several.error().message, testing::Not(HasSubstr("r-aaaaaaab")));
}

TEST_F(FindRun, TheLastOneIsTheNewestOfTheDirectoryHoweverLateOthersEnded) {
  store("r-aaaaaaaa", 100, "/work");
  store("r-bbbbbbbb", 200, "/work");
  store("r-cccccccc", 300, "/elsewhere");
  value_of(change_task(*log_, "r-aaaaaaaa", [](Task& task) {
    task.state = "completed";
    task.completed_at = 900;
    return true;
  }));
  EXPECT_EQ(found("last"), "r-cccccccc");
  places_.directory = "/work";
  EXPECT_EQ(found("last"), "r-bbbbbbbb");
  for (int i = 0; i < 200; ++i) store(new_run_id(), 1000 + i, "/elsewhere");
  EXPECT_EQ(found("last"), "r-bbbbbbbb");
  places_.directory = "/nowhere";
  EXPECT_EQ(found("last"), "no run in /nowhere");
}

TEST_F(FindRun, ARecordingIsFoundWhereNoStoreHasItsRun) {
  record("r-dddddddd", "2026-11-15T10:05:22.000Z");
  record("r-eeeeeeee-2", "2026-11-15T10:06:22.000Z");
  record("20261114-100522-3f9a0c17", "2026-11-14T10:05:22.000Z");
  store("r-ffffffff", 1);
  EXPECT_EQ(found("d"), "r-dddddddd");
  EXPECT_EQ(found("20261114"), "20261114-100522-3f9a0c17");
  EXPECT_EQ(value_of(find_run(places_, "r-e")).recording, directory_.path() / "r-eeeeeeee-2");
  EXPECT_EQ(value_of(find_run(places_, "r-e")).id, "r-eeeeeeee");
  EXPECT_EQ(value_of(find_run(places_, "20")).title, "sh -c true");
  places_.directory = "/work";
  EXPECT_EQ(found("last"), "r-eeeeeeee");
  places_.log = nullptr;
  EXPECT_EQ(found("f"), "no run f");
}

TEST_F(FindRun, ARunThatIsStoredAndRecordedIsOne) {
  const fs::path recording = record("r-dddddddd", "2026-11-15T10:05:22.000Z");
  store("r-dddddddd", 5'000'000'000'000);
  const auto run = value_of(find_run(places_, "r-d"));
  EXPECT_TRUE(run.task);
  EXPECT_EQ(run.recording, recording);
  EXPECT_EQ(run.created_at, 5'000'000'000'000);
  const auto newest = value_of(newest_runs(places_, 10));
  ASSERT_EQ(newest.size(), 1U);
  EXPECT_EQ(newest.front().title, "text of r-dddddddd");
}

TEST_F(FindRun, TheNewestAreOfferedFirst) {
  for (int i = 1; i <= 9; ++i) store("r-aaaaaaa" + std::string(1, static_cast<char>('a' + i)), i);
  std::vector<std::string> ids;
  for (const FoundRun& run : value_of(newest_runs(places_, 3))) ids.push_back(run.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"r-aaaaaaaj", "r-aaaaaaai", "r-aaaaaaah"}));
}

TEST_F(FindRun, DrawnIdsAreDifferentAndFree) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(new_run_id());
  EXPECT_EQ(ids.size(), 1000U);
  for (const std::string& id : ids) EXPECT_TRUE(is_run_id(id)) << id;
  EXPECT_TRUE(is_run_id(value_of(free_run_id(*log_))));
}

}  // namespace
}  // namespace dragoman::task
