// SPDX-License-Identifier: Apache-2.0
// Where every byte went.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/event/event.hpp"
#include "dragoman/event/text_lines.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {

// The sums of a stream, or of several. Text is counted as it is printed, a line each, so that the
// numbers do not depend on how the input was cut into chunks. Fragments (`partial`) are not
// counted.
struct Account {
  static constexpr std::size_t kKeptGaps = 16;

  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t records = 0;
  std::array<std::uint64_t, kKinds> kinds{};
  std::uint64_t oversize = 0;        // lines, and markers of plain text, over the line cap
  std::uint64_t truncated_tail = 0;  // malformed because the stream ended in the middle
  std::uint64_t lost = 0;            // bytes that lie in no record
  std::uint64_t counted_twice = 0;   // bytes that lie in more than one
  std::vector<Record> gaps;          // where the lost ones are; the first few

  [[nodiscard]] std::uint64_t of(Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::uint64_t events() const;
  Account& operator+=(const Account& other);
  friend bool operator==(const Account&, const Account&) = default;
};

// Counts what passes. It is a sink by itself for those who want nothing else.
class Accounting final : public EventSink {
 public:
  void on_event(const Event& event) override;
  void on_record(const Record& record) override;

  // The stream is over; the reader was given `bytes` and counted `lines`.
  [[nodiscard]] Account close(std::uint64_t bytes, std::uint64_t lines);

 private:
  void note_gap(std::uint64_t from, std::uint64_t to);

  Account account_;
  TextLineCount text_lines_;
  std::uint64_t covered_to_ = 0;
  std::uint64_t text_end_ = static_cast<std::uint64_t>(-1);  // behind the last piece of plain text
};

// {"bytes":…,"lines":…,"records":…,"events":…,"unknown":…,…,"lost":0,"kinds":{"text":…}}
void append_json(std::string& out, const Account& account);
// The same members in an object of the caller's.
void put_members(json::Writer& w, const Account& account);
// "1840 bytes, 52 lines, 31 events; 0 lost"
[[nodiscard]] std::string describe(const Account& account);

}  // namespace dragoman
