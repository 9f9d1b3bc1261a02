// SPDX-License-Identifier: Apache-2.0
// What a worker keeps of the clone that its agent worked in.
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/task/git_command.hpp"
#include "dragoman/task/service.hpp"
#include "dragoman/task/task_run.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/task/failing_log.hpp"

namespace dragoman::task {
namespace {

namespace fs = std::filesystem;
using test::value_of;
using test::write_file;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// An agent whose work is done by a function, at once.
class QuickRun final : public engine::RunHandle {
 public:
  QuickRun(boost::asio::io_context& io, const engine::RunCalls& calls) {
    boost::asio::post(io, [calls] {
      engine::RunEnd end;
      end.ending.verdict.kind = VerdictKind::completed;
      end.ending.end.exit_code = 0;
      calls.rested(end);
      calls.ended();
    });
  }
  void answer(Reply /*reply*/) override {}
  void say(engine::Message /*message*/) override {}
  void interrupt_turn() override {}
  void rest() override {}
  void end_answers() override {}
  void stop() override {}
  void kill() override {}
  std::function<void()> kill_switch() override {
    return [] {};
  }
};

class TaskChanges : public testing::Test {
 protected:
  void SetUp() override {
    if (!Git("/").run({"version"})) GTEST_SKIP() << "git is not installed";
    fs::create_directories(source());
    git({"init", "--quiet", "--initial-branch=main"});
    write_file(source() / "a.txt", "one\n");
    git({"add", "--all"});
    git({"commit", "--quiet", "-m", "first"});
    options_.fleet = true;
    options_.workspaces = spaces();
  }
  [[nodiscard]] fs::path source() const { return directory_.path() / "source"; }
  [[nodiscard]] fs::path spaces() const { return directory_.path() / "spaces"; }
  void git(const std::vector<std::string>& words) const {
    value_of(Git(source().string())
                 .run(words, {"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",
                              "GIT_COMMITTER_EMAIL=a@b"}));
  }

  // Has it done by a worker, to its end.
  Task done(const std::function<void(const fs::path& clone)>& work) {
    options_.start = [work](boost::asio::io_context& io, const engine::RunOrder& order,
                            engine::Audience&, const engine::RunCalls& calls) {
      work(order.spec.request.cwd);
      return Result<std::unique_ptr<engine::RunHandle>>(std::make_unique<QuickRun>(io, calls));
    };
    Task asked;
    asked.text = "x";
    asked.repository = source().string();
    Task task = value_of(Service(workers_, {.concurrency = 1, .fleet = true}).submit(asked)).task;
    const auto claim = value_of(workers_.claim(kQueue, "w", std::chrono::minutes(1), 0));
    EXPECT_TRUE(claim);
    task = stored(task.id);
    task.claim = static_cast<std::int64_t>(claim ? claim->token : 0);
    task.attempt = 1;
    bool ended = false;
    TaskRun::Calls calls;
    calls.ended = [&] { ended = true; };
    TaskRun run(io_, workers_, pump_, options_, task, std::move(calls));
    run.start();
    EXPECT_TRUE(test::eventually([&] {
      io_.restart();
      io_.poll();
      return ended;
    }));
    return stored(task.id);
  }
  [[nodiscard]] Task stored(const std::string& id) {
    return value_of(find_task(*log_, id)).value_or(Task{});
  }
  [[nodiscard]] std::string lines_of(const std::string& stream) {
    std::string text;
    for (const LogEntry& line : value_of(log_->read(stream, 1, 1000))) text += line.body + "\n";
    return text;
  }
  [[nodiscard]] std::vector<std::string> left_behind() const {
    std::vector<std::string> names;
    for (const auto& each : fs::recursive_directory_iterator(spaces())) {
      if (each.path().filename() == "a.txt") names.push_back(test::read_file(each.path()));
    }
    return names;
  }

  test::TempDir directory_;
  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  test::FailingLog workers_{engine_.open()};
  EventPump pump_{workers_};
  RunnerOptions options_;
  boost::asio::io_context io_{1};
};

TEST_F(TaskChanges, AreKeptAndTheCloneIsNot) {
  const Task task = done([](const fs::path& clone) { write_file(clone / "a.txt", "two\n"); });
  EXPECT_EQ(task.state, "completed");
  EXPECT_THAT(lines_of(diff_stream(task.id)), HasSubstr("-one\n+two\n"));
  EXPECT_THAT(left_behind(), IsEmpty());
}

// No entry of a log has one, and one of them was enough for nothing to be kept at all.
TEST_F(TaskChanges, AreKeptWithAMarkInPlaceOfEachNul) {
  const Task task = done([](const fs::path& clone) {
    write_file(clone / ".gitattributes", "* diff\n");
    write_file(clone / "a.txt", std::string("t\0wo\0\n", 6));
  });
  EXPECT_THAT(lines_of(diff_stream(task.id)), HasSubstr("-one\n+t\xEF\xBF\xBDwo\xEF\xBF\xBD\n"));
}

TEST_F(TaskChanges, AreKeptWhenTheStoreTakesThemAgain) {
  std::atomic<int> fails = 2;
  workers_.fails = [&](const std::vector<LogWrite>& writes) {
    const auto* const first = std::get_if<DropStream>(&writes.front());
    return first != nullptr && first->stream.starts_with("diff/") && fails-- > 0;
  };
  const Task task = done([](const fs::path& clone) { write_file(clone / "a.txt", "two\n"); });
  EXPECT_EQ(task.state, "completed");
  EXPECT_THAT(lines_of(diff_stream(task.id)), HasSubstr("-one\n+two\n"));
}

// It was cut somewhere, and nobody was told.
TEST_F(TaskChanges, ThatAreTooManyAreKeptInWholeFilesAndStayInTheClone) {
  const Task task = done([](const fs::path& clone) {
    write_file(clone / "a.txt", "two\n");
    write_file(clone / "b.txt", std::string(5'000'000, 'b') + "\n");
    write_file(clone / "c.txt", std::string(5'000'000, 'c') + "\n");
  });
  EXPECT_EQ(task.state, "completed");
  const std::string diff = lines_of(diff_stream(task.id));
  EXPECT_THAT(diff, HasSubstr("+++ b/b.txt"));
  EXPECT_THAT(diff, Not(HasSubstr("c.txt")));
  const std::string cut = fmt::format("only {} of ", diff.size());
  EXPECT_THAT(task.summary, HasSubstr(cut));
  EXPECT_THAT(lines_of(event_stream(task.id)),
              AllOf(HasSubstr(R"("rule":"changes_cut")"), HasSubstr(cut),
                    HasSubstr((spaces() / "kept" / task.id).string())));
  EXPECT_THAT(left_behind(), ElementsAre("two\n"));
}

TEST_F(TaskChanges, OfFilesThatAreNoTextCanBeApplied) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes.push_back(static_cast<char>(i * 7));
  const Task task = done([&](const fs::path& clone) { write_file(clone / "a.png", bytes); });
  const fs::path patch = directory_.path() / "patch";
  write_file(patch, lines_of(diff_stream(task.id)));
  git({"apply", patch.string()});
  EXPECT_EQ(test::read_file(source() / "a.png"), bytes);
}

TEST_F(TaskChanges, ThatCannotBeFoundOutAreToldAndStayInTheClone) {
  const Task task = done([](const fs::path& clone) {
    write_file(clone / "a.txt", "two\n");
    fs::remove_all(clone / ".git/objects");
  });
  EXPECT_EQ(task.state, "completed");
  EXPECT_THAT(task.summary, HasSubstr("its changes could not be kept: git "));
  EXPECT_THAT(lines_of(event_stream(task.id)), HasSubstr(R"("rule":"changes_not_kept")"));
  EXPECT_THAT(left_behind(), ElementsAre("two\n"));
}

}  // namespace
}  // namespace dragoman::task
