// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/task_rows.hpp"

#include <array>
#include <utility>

#include <gtest/gtest.h>

#include "dragoman/base/duration.hpp"

namespace dragoman::cli {
namespace {

TEST(TaskRows, AnAgeIsSaidInTheUnitThatTellsMost) {
  constexpr std::int64_t kMinute = 60'000;
  constexpr std::array<std::pair<std::int64_t, const char*>, 9> kAges = {{
      {-5'000, "now"},  // the clock was set back
      {999, "now"},
      {1'000, "1s"},
      {kMinute - 1, "59s"},
      {kMinute, "1m"},
      {60 * kMinute - 1, "59m"},
      {60 * kMinute, "1h"},
      {24 * 60 * kMinute - 1, "23h"},
      {50 * 24 * 60 * kMinute, "50d"},
  }};
  for (const auto& [age, words] : kAges) EXPECT_EQ(age_words(age), words) << age;
}

TEST(TaskRows, HaveIdStateAgeAndWhatIsAsked) {
  task::Task task;
  task.id = "T-local-1";
  task.state = "failed";
  task.created_at = 1'000;
  task.completed_at = 121'000;
  EXPECT_EQ(task_row(task, 241'000, "fix it", Console({})), "T-local-1  failed       2m  fix it\n");
}

TEST(TaskRows, HaveTheColourOfTheirState) {
  task::Task task;
  task.id = "T-local-1";
  task.state = "completed";
  Console console({});
  console.set_color(ColorWhen::always);
  EXPECT_EQ(task_row(task, 0, "fix it", console),
            "T-local-1  \x1b[32mcompleted\x1b[0m  \x1b[2m now\x1b[0m  fix it\n");
}

}  // namespace
}  // namespace dragoman::cli
