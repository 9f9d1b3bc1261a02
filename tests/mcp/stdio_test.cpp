// SPDX-License-Identifier: Apache-2.0
// The protocol over two pipes.
#include "dragoman/mcp/stdio.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "dragoman/mcp/conformance_box.hpp"
#include "tests/mcp/peer.hpp"

namespace dragoman::mcp {
namespace {

using test::code_of;
using test::Json;

class Stdio : public testing::Test {
 protected:
  Stdio() {
    (void)std::signal(SIGPIPE, SIG_IGN);
    int in[2];
    int out[2];
    EXPECT_EQ(::pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
    to_ = in[1];
    from_ = out[0];
    end_ = std::async(std::launch::async, [this, in = in[0], out = out[1]] {
      const StdioEnd end = serve_stdio(server_, in, out);
      ::close(in);
      ::close(out);
      return end;
    });
  }
  ~Stdio() override {
    close_input();
    ::close(from_);
  }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::write(to_, text.data(), text.size());
      ASSERT_GT(n, 0);
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void close_input() {
    if (to_ >= 0) ::close(to_);
    to_ = -1;
  }
  // The next message; null at the end.
  Json read() {
    while (true) {
      if (const std::size_t end = held_.find('\n'); end != std::string::npos) {
        Json message = Json::parse(held_.substr(0, end), nullptr, false);
        held_.erase(0, end + 1);
        return message;
      }
      char buffer[4096];
      const ssize_t n = ::read(from_, buffer, sizeof(buffer));
      if (n <= 0) return nullptr;
      held_.append(buffer, static_cast<std::size_t>(n));
    }
  }

  ConformanceBox box_{"1"};
  Server server_{box_};
  int to_ = -1;
  int from_ = -1;
  std::string held_;
  std::future<StdioEnd> end_;
};

TEST_F(Stdio, ManyLinesInOnePieceAndOneLineInMany) {
  std::string lines;
  for (int i = 0; i < 100; ++i) {
    lines += R"({"jsonrpc":"2.0","method":"ping","id":)" + std::to_string(i) + "}\r\n\n";
  }
  write(lines);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(read()["id"], i);
  for (const char c : std::string(R"({"jsonrpc":"2.0","method":"ping","id":"slow"})"
                                  "\n")) {
    write({&c, 1});
  }
  EXPECT_EQ(read()["id"], "slow");
}

TEST_F(Stdio, ALineThatIsTooLongIsRefusedAndTheNextOneWorks) {
  std::thread writer([this] {
    const std::string piece(1U << 20U, 'x');
    for (int i = 0; i < 20; ++i) write(piece);
    write(
        "\n"
        R"({"jsonrpc":"2.0","method":"ping","id":1})"
        "\n");
  });
  EXPECT_EQ(code_of(read()), -32600);
  EXPECT_EQ(read()["id"], 1);
  writer.join();
}

TEST_F(Stdio, WhatWasAskedBeforeTheEndIsAnswered) {
  write(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_tool_with_progress"}})"
      "\n"
      R"({"jsonrpc":"2.0","id":2,"method":"ping"})");  // no newline at the end
  close_input();
  std::set<int> ids;
  for (Json message = read(); !message.is_null(); message = read())
    ids.insert(message["id"].get<int>());
  EXPECT_EQ(ids, (std::set<int>{1, 2}));
  EXPECT_EQ(end_.get(), StdioEnd::answered);
}

TEST_F(Stdio, ACallThatWouldTakeLongIsAnsweredAtTheEndWithWhatThereIs) {
  write(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow_compute","arguments":{"seconds":3000}}})"
      "\n");
  const auto begun = std::chrono::steady_clock::now();
  close_input();
  EXPECT_EQ(read()["id"], 1);
  EXPECT_EQ(end_.get(), StdioEnd::answered);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

TEST_F(Stdio, AQuestionThatNobodyCanAnswerAnyMoreEndsItsCall) {
  write(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}})"
      "\n"
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_elicitation","arguments":{"message":"?"}}})"
      "\n");
  EXPECT_EQ(read()["id"], 0);
  EXPECT_EQ(read()["method"], "elicitation/create");
  close_input();
  EXPECT_NE(code_of(read()), 0);
  EXPECT_EQ(end_.get(), StdioEnd::answered);
}

}  // namespace
}  // namespace dragoman::mcp
