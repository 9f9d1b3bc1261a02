// SPDX-License-Identifier: Apache-2.0
// What people say to runs, in the log until the agent has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"

namespace dragoman::ask {

inline constexpr std::string_view kWaiting = "waiting";
inline constexpr std::string_view kTaken = "taken";          // a process has it in hands
inline constexpr std::string_view kDelivered = "delivered";  // the agent has it
inline constexpr std::string_view kUndelivered = "undelivered";

struct MessageRecord {
  std::string task_id;  // the id of the run
  std::uint64_t number = 0;
  std::string text;  // without secrets
  std::string by;    // who said it: "cli", "web", …
  std::int64_t said_at = 0;
  std::string state{kWaiting};
  std::string reason;  // why it was not delivered
  std::int64_t settled_at = 0;
  std::string sealed;          // the private file with the true words, until it is settled
  std::uint64_t revision = 0;  // not part of the value

  [[nodiscard]] std::string key() const;  // "r-k3vqm2xa/000000000007"
  [[nodiscard]] bool is_settled() const { return state == kDelivered || state == kUndelivered; }

  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("task_id", s.task_id);
    v("number", s.number);
    v("text", s.text);
    v("by", s.by);
    v("said_at", s.said_at);
    v("state", s.state);
    v("reason", s.reason);
    v("settled_at", s.settled_at);
    v("sealed", s.sealed);
  }
  friend bool operator==(const MessageRecord&, const MessageRecord&) = default;
};

// Law: a message is settled once, and was in the hands of at most one process then. It goes from
// waiting to taken to delivered; back to waiting only by the process that took it and knows that
// the agent never had it. Every step is compare-and-set, so what a process that lost its run still
// says about a message comes too late.
//
// That a message is there does not mean that it was accepted: the record of its run says so, by the
// number of the last one (task::Task::said).
class Messages {
 public:
  explicit Messages(Log& log) : log_(log) {}

  // What writes a new message. `words`: the text as it was said; where that has secrets it goes
  // into a private file of the log. A log of several machines has no such place: there the agent
  // gets what is stored.
  [[nodiscard]] Result<std::vector<LogWrite>> put_new(MessageRecord& message,
                                                      std::string_view words);
  // It was not accepted after all. Nothing is left of it.
  void take_back(const MessageRecord& message);

  [[nodiscard]] Result<std::vector<MessageRecord>> of(std::string_view task_id);  // in order
  // The true words.
  [[nodiscard]] std::string words(const MessageRecord& message) const;

  // Each says whether it did so: the message was in another state, or is gone.
  [[nodiscard]] Result<bool> take(std::string_view task_id, std::uint64_t number);
  [[nodiscard]] Result<bool> put_back(std::string_view task_id, std::uint64_t number);
  [[nodiscard]] Result<bool> deliver(std::string_view task_id, std::uint64_t number);
  [[nodiscard]] Result<bool> fail(std::string_view task_id, std::uint64_t number,
                                  std::string_view reason);

  // All messages of a run, when the run is deleted.
  [[nodiscard]] Result<void> remove(std::string_view task_id);

 private:
  [[nodiscard]] Result<std::optional<MessageRecord>> get(std::string_view task_id,
                                                         std::uint64_t number);
  [[nodiscard]] Result<bool> change(std::string_view task_id, std::uint64_t number,
                                    std::string_view from, std::string_view to,
                                    std::string_view reason);
  void unseal(const MessageRecord& message) const;

  Log& log_;
};

// A line of the stream "audit": who did what, and with which message or run. No word of a message.
[[nodiscard]] std::string audit_entry(std::string_view what, std::string_view kind,
                                      std::string_view id, std::string_view by,
                                      std::string_view reason = {});

}  // namespace dragoman::ask
