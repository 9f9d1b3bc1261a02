// SPDX-License-Identifier: Apache-2.0
// The ids of the questions of a session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "dragoman/event/event.hpp"

namespace dragoman::agent {

// A reader knows one start of an agent and nothing of our answers, and agents repeat the ids that
// they make up. So a question that is asked again after its answer comes with the id of before.
// Law: each asking has an id of its own. The first keeps the id that it comes with, the second is
// "ID.2". Of more than kMost ids those are forgotten whose question is settled.
class AskedIds {
 public:
  static constexpr std::size_t kMost = 4096;
  static constexpr std::size_t kLongest = 1024;  // longer ids stay as they are

  // The id of the asking that the event of a reader is about. Valid until the next call.
  [[nodiscard]] std::string_view of(const Question& question);
  // The question has its answer or needs none: the next event that opens it is another asking.
  void settle(std::string_view id);

 private:
  struct Asking {
    std::string id;
    std::uint64_t times = 1;
    bool settled = false;
  };

  [[nodiscard]] bool has_room();
  [[nodiscard]] Asking next(std::string_view given, std::uint64_t times) const;

  std::map<std::string, Asking, std::less<>> askings_;  // by the id that the reader gives
  bool some_settled_ = false;                           // since the last were forgotten
};

}  // namespace dragoman::agent
