// SPDX-License-Identifier: Apache-2.0
// What a run cost, counted the way each agent reports it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dragoman/event/payloads.hpp"

namespace dragoman {

// As the agent counts: Claude's input leaves out what was read from or written to a cache, Codex's
// contains it. total_input is everything that went in, whoever counts.
struct TokenCount {
  std::int64_t input = 0;
  std::int64_t total_input = 0;
  std::int64_t cached_input = 0;
  std::int64_t cache_write = 0;
  std::int64_t output = 0;
  std::int64_t reasoning = 0;

  [[nodiscard]] bool empty() const { return *this == TokenCount{}; }
  TokenCount& operator+=(const TokenCount& other);
  TokenCount& operator-=(const TokenCount& other);
  friend bool operator==(const TokenCount&, const TokenCount&) = default;
};

struct RunUsage {
  TokenCount tokens;
  std::optional<double> cost_usd;  // the last running total that was reported
  bool final = false;              // the agent's own totals, not the sum of provisional figures

  friend bool operator==(const RunUsage&, const RunUsage&) = default;
};

// Agents repeat themselves: the same message is reported on every line it spans, a result repeats
// what its messages said, a thread counts on from turn to turn. Adding the figures up as they come
// counts some of them several times; this is the arithmetic that does not.
//
//   message  the last figures of a message id count; they are provisional until the turn's result
//   turn     the turn's result replaces its messages, and turns are added
//   thread   a running total of the thread; a turn's share is the difference to the last one
//   run      the total of everything
class UsageFold {
 public:
  // A thread that is resumed counts on from here.
  void know_thread(std::string_view thread, const TokenCount& total);

  // Whether the agent's figure for the input contains the cached share.
  enum class CachedInput : std::uint8_t { included, apart };
  void add(const Usage& usage, std::string_view thread, CachedInput cached = CachedInput::included);

  [[nodiscard]] RunUsage total() const;
  // The share of the last turn that reported its thread's running total.
  [[nodiscard]] const TokenCount& last_turn() const { return last_turn_; }

 private:
  // More messages than this in one turn are added up for good, oldest first: they no longer change.
  static constexpr std::size_t kOpenMessages = 4096;
  static constexpr std::size_t kThreads = 4096;

  void add_message(std::string_view id, const TokenCount& tokens);
  void add_thread(std::string_view thread, const TokenCount& tokens);

  TokenCount settled_;           // turns that have reported
  TokenCount settled_messages_;  // of this turn, beyond kOpenMessages
  std::unordered_map<std::string, TokenCount> messages_;
  std::deque<std::string> message_order_;
  std::map<std::string, TokenCount, std::less<>> threads_;
  TokenCount last_turn_;
  std::optional<TokenCount> run_;
  std::optional<double> cost_usd_;
  bool final_ = false;
};

}  // namespace dragoman
