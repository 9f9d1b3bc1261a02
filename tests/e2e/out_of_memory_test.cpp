// SPDX-License-Identifier: Apache-2.0
// Too little memory to work with: a process of ours says so and ends, and does not hang or crash.
#include <csignal>
#include <sstream>

#include "dragoman/base/sanitized.hpp"
#include "tests/e2e/run_support.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

constexpr std::size_t kStep = 2000;  // KiB

class OutOfMemory : public ::testing::Test {
 protected:
  // Below this the system's own loader gives up.
  void SetUp() override {
    if (DRAGOMAN_SANITIZED != 0) GTEST_SKIP() << "a sanitizer reserves all addresses there are";
    while (Running("/bin/sh", limited({"--version"})).wait().exit_code != 0) least_ += kStep;
  }

  [[nodiscard]] Start limited(const std::vector<std::string>& words, std::size_t more = 0) const {
    Start start = place_.start({});
    start.arguments = {"-c", "ulimit -v $0; exec \"$@\"", std::to_string(least_ + more),
                       dragoman_program().string()};
    start.arguments.insert(start.arguments.end(), words.begin(), words.end());
    return start;
  }

  // Exactly one line says why. A run for which only its place in the list has no room warns of
  // that, once, and goes on as long as it can.
  static void expect_a_clean_end(const Ended& ended) {
    EXPECT_EQ(ended.err.find("terminate called"), std::string::npos) << ended.err;
    EXPECT_TRUE(ended.exit_code == 0 || ended.exit_code == 125) << ended.exit_code << ended.err;
    int unlisted = 0;
    int reasons = 0;
    std::istringstream lines(ended.err);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("dragoman: warning: this run is not in the list of tasks: ")) {
        ++unlisted;
      } else if (line.starts_with("dragoman: cannot ") || ended.exit_code == 125) {
        ++reasons;
      }
    }
    EXPECT_LE(unlisted, 1) << ended.err;
    EXPECT_EQ(reasons, ended.exit_code == 125 ? 1 : 0) << ended.err;
  }

  RunPlace place_;
  std::size_t least_ = 20'000;
};

TEST_F(OutOfMemory, ARunEndsWithOneLineAndItsOwnExitCode) {
  for (std::size_t round = 0; round < scaled(20); ++round) {
    for (std::size_t i = 0; i < 21; ++i) {
      SCOPED_TRACE(least_ + i * kStep);
      const std::vector<std::string> words = {
          "run", "--no-input", "--agent", "command", "--", "sh", "-c", "seq 2000; sleep 0.05"};
      expect_a_clean_end(Running("/bin/sh", limited(words, i * kStep)).wait());
    }
  }
}

TEST_F(OutOfMemory, EveryOtherCommandEndsSoToo) {
  const std::string greeting =
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"_codex_local_status","arguments":{}}}
)";
  for (std::size_t round = 0; round < scaled(20); ++round) {
    for (std::size_t i = 0; i < 21; ++i) {
      for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
               {"task", "list"}, {"ask", "list"}, {"mcp"}, {"task", "work"}}) {
        SCOPED_TRACE(std::to_string(least_ + i * kStep) + " " + words.front() + words.back());
        Start start = limited(words, i * kStep);
        if (words.front() == "mcp") start.input = greeting;
        expect_a_clean_end(Running("/bin/sh", start).wait());
      }
    }
  }
}

TEST_F(OutOfMemory, AServerEndsOnTheFirstRequest) {
  for (std::size_t i = 0; i < 21; ++i) {
    const std::size_t more = i * kStep * 5;  // each of its threads reserves 8 MiB
    SCOPED_TRACE(least_ + more);
    Running server("/bin/sh", limited({"serve", "--port", "0"}, more));
    ASSERT_TRUE(eventually([&] {
      return server.has_ended() || server.out_so_far().find("http://") != std::string::npos;
    })) << server.err_so_far();
    if (!server.has_ended()) server.send(SIGTERM);
    EXPECT_TRUE(eventually([&] { return server.has_ended(); }));
    if (!server.has_ended()) return;
    expect_a_clean_end(server.wait());
  }
}

}  // namespace
}  // namespace dragoman::test
