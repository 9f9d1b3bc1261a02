// SPDX-License-Identifier: Apache-2.0
// What people say to one run, for the process that has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/ask/messages.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/engine/message.hpp"

namespace dragoman::task {

// Law: messages are handed out in their order, one at a time: the next one when it is known of the
// one before whether the agent has it. After one that it did not hear, none is handed out until it
// listens again. A log that does not answer for a while loses nothing.
class Inbox {
 public:
  Inbox(Log& log, std::string run) : messages_(log), run_(std::move(run)) {}

  // The next message up to number `said`, which is in our hands then. Absent: there is none now.
  [[nodiscard]] Result<std::optional<engine::Message>> next(std::uint64_t said);
  void heard(std::uint64_t number) { done(number, How::heard); }
  void unheard(std::uint64_t number) { done(number, How::unheard); }
  // The agent will never have it.
  void fail(std::uint64_t number, std::string reason);
  // An agent is there that has not refused a message yet.
  void listen() { deaf_ = false; }
  // Whether it is not known yet if the agent has the last one.
  [[nodiscard]] bool in_doubt() const { return in_hands_ != 0; }
  // Writes down what is known of messages and is not written yet.
  [[nodiscard]] Result<void> settle();

 private:
  enum class How : std::uint8_t { heard, unheard, failed };
  struct Known {
    std::uint64_t number = 0;
    How how = How::heard;
    std::string reason;
  };
  void done(std::uint64_t number, How how, std::string reason = {});

  ask::Messages messages_;
  std::string run_;
  std::uint64_t in_hands_ = 0;  // the number; 0: none
  std::uint64_t settled_ = 0;   // up to here all are
  bool deaf_ = false;
  std::vector<Known> known_;  // not written yet
};

}  // namespace dragoman::task
