// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/accounting.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "dragoman/base/words.hpp"

namespace dragoman {

std::uint64_t Account::events() const {
  return std::accumulate(kinds.begin(), kinds.end(), std::uint64_t{0});
}

Account& Account::operator+=(const Account& other) {
  bytes += other.bytes;
  lines += other.lines;
  records += other.records;
  for (std::size_t i = 0; i < kKinds; ++i) kinds[i] += other.kinds[i];
  oversize += other.oversize;
  truncated_tail += other.truncated_tail;
  lost += other.lost;
  counted_twice += other.counted_twice;
  for (const Record& gap : other.gaps) {
    if (gaps.size() < kKeptGaps) gaps.push_back(gap);
  }
  return *this;
}

void Accounting::on_event(const Event& event) {
  if (event.kind() == Kind::text) {
    if (event.partial) return;
    if (const DisplayText* const text = plain_text(event)) {
      text_lines_.add(text->text.bytes, event.origin.offset);
      // A run of text is one record, in however many pieces it came.
      if (event.origin.offset == text_end_) --account_.records;
      text_end_ = event.origin.offset + event.origin.length;
      return;
    }
  }
  text_lines_.flush();
  ++account_.kinds[static_cast<std::size_t>(event.kind())];
  if (const auto* const malformed = event.as<Malformed>();
      malformed != nullptr && malformed->reason == "truncated_tail") {
    ++account_.truncated_tail;
  }
  const auto* const found = event.as<Diagnostic>();
  const bool marker = found != nullptr && found->rule == "oversize";
  if (marker || event.kind() == Kind::oversize) ++account_.oversize;
}

void Accounting::on_record(const Record& record) {
  ++account_.records;
  if (record.offset > covered_to_) note_gap(covered_to_, record.offset);
  const std::uint64_t end = record.offset + record.length;
  if (record.offset < covered_to_) {
    account_.counted_twice += std::min(covered_to_, end) - record.offset;
  }
  covered_to_ = std::max(covered_to_, end);
}

void Accounting::note_gap(std::uint64_t from, std::uint64_t to) {
  account_.lost += to - from;
  if (account_.gaps.size() < Account::kKeptGaps) account_.gaps.push_back({from, to - from});
}

Account Accounting::close(std::uint64_t bytes, std::uint64_t lines) {
  text_lines_.flush();
  if (bytes > covered_to_) note_gap(covered_to_, bytes);
  Account account = account_;
  account.bytes = bytes;
  account.lines = lines;
  account.kinds[static_cast<std::size_t>(Kind::text)] += text_lines_.count();
  return account;
}

void put_members(json::Writer& w, const Account& account) {
  w.key("bytes").count(account.bytes);
  w.key("lines").count(account.lines);
  w.key("records").count(account.records);
  w.key("events").count(account.events());
  w.key("unknown").count(account.of(Kind::unknown));
  w.key("malformed").count(account.of(Kind::malformed));
  w.key("quoted").count(account.of(Kind::quoted_marker));
  w.key("oversize").count(account.oversize);
  w.key("truncated_tail").count(account.truncated_tail);
  w.key("lost").count(account.lost);
  if (!account.gaps.empty()) {
    w.key("gaps").begin_array();
    for (const Record& gap : account.gaps) {
      w.begin_object();
      w.key("offset").count(gap.offset).key("length").count(gap.length);
      w.end_object();
    }
    w.end_array();
  }
  if (account.counted_twice != 0) w.key("counted_twice").count(account.counted_twice);
  w.key("kinds").begin_object();
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (account.kinds[i] != 0) w.key(name(static_cast<Kind>(i))).count(account.kinds[i]);
  }
  w.end_object();
}

void append_json(std::string& out, const Account& account) {
  json::Writer w(out);
  w.begin_object();
  put_members(w, account);
  w.end_object();
}

std::string describe(const Account& account) {
  std::string out = fmt::format("{}, {}, {}", counted(account.bytes, "byte"),
                                counted(account.lines, "line"), counted(account.events(), "event"));
  const auto add = [&out](std::uint64_t count, std::string_view what) {
    if (count != 0) out += fmt::format(", {} {}", count, what);
  };
  add(account.of(Kind::unknown), "unknown");
  add(account.of(Kind::malformed), "malformed");
  add(account.of(Kind::quoted_marker), "quoted");
  add(account.oversize, "oversize");
  add(account.truncated_tail, "cut off at the end");
  out += fmt::format("; {} lost", account.lost);
  for (const Record& gap : account.gaps) {
    out += fmt::format(" [{}, {})", gap.offset, gap.offset + gap.length);
  }
  add(account.counted_twice, "counted twice");
  return out;
}

}  // namespace dragoman
