// SPDX-License-Identifier: Apache-2.0
// What an agent printed, for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/event/event.hpp"
#include "dragoman/run/output_policy.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::task {

// The directory of a task's recording and those of its later starts, in order. None, where it is
// not there or a link stands in its place.
[[nodiscard]] std::vector<std::filesystem::path> recorded_starts(const Task& task);

struct Printed {
  static constexpr std::size_t kMost = 2 * kMaxOutputBytes;  // of each; the middle is left out
  std::string out;
  std::string err;
};

// As it was recorded, without colours. Absent: nothing was, or elsewhere.
[[nodiscard]] std::optional<Printed> recorded_output(const Task& task);

// Collects what a person would read from events: the agent's words with the markers in them, and
// the output of commands. Where the recording of a program that prints text is at hand, that is
// better: a marker that is written again has the same meaning, not always the same letters.
class ReadableOutput final : public EventSink {
 public:
  void on_event(const Event& event) override;
  // Whether stdout has lines of JSON: they are for programs, and only events make them readable.
  [[nodiscard]] bool speaks_json() const { return speaks_json_; }
  [[nodiscard]] Printed take() &&;

 private:
  void words(const Event& event);
  void marker(const Event& event);
  static void add(std::string& to, std::string_view text);
  static void end_line(std::string& text);

  Printed printed_;
  std::uint64_t record_ = 0;     // where the line begins whose words came last
  bool behind_comment_ = false;  // which came last
  bool speaks_json_ = false;
};

}  // namespace dragoman::task
