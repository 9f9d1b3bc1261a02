// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/line_source.hpp"

#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "tests/support/eventually.hpp"
#include "tests/support/few_descriptors.hpp"

namespace dragoman::cli {
namespace {

TEST(LineSource, GivesLinesAndTheEnd) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  boost::asio::io_context io;
  std::vector<std::string> got;
  auto lines = LineSource::open(io, pipe[0], [&](const std::optional<std::string>& line) {
    got.push_back(line.value_or("(end)"));
  });
  ASSERT_TRUE(lines);
  ASSERT_EQ(::write(pipe[1], "one\ntwo", 7), 7);
  ::close(pipe[1]);
  EXPECT_TRUE(test::eventually([&] {
    io.restart();
    io.poll();
    return got.size() == 3;
  }));
  EXPECT_EQ(got, (std::vector<std::string>{"one", "two", "(end)"}));
  ::close(pipe[0]);
}

// Its end was waited for without one: nobody could tell the thread that reads.
TEST(LineSource, WithoutADescriptorToEndItByItIsAnError) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  boost::asio::io_context io;
  {
    const test::FewDescriptors none(0);
    const auto lines = LineSource::open(io, pipe[0], [](const auto&) {});
    ASSERT_FALSE(lines);
    EXPECT_EQ(lines.error().message, "nothing can be read from the input: Too many open files");
  }
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace dragoman::cli
