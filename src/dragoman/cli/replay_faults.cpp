// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/replay_faults.hpp"

#include <charconv>

#include <fmt/format.h>

#include "dragoman/base/words.hpp"
#include "dragoman/cli/suggest.hpp"

namespace dragoman::cli {
namespace {

constexpr std::uint64_t kHuge = std::uint64_t{20} << 20U;  // more than a reader takes by default

bool has(std::string_view line, std::string_view text) {
  return line.find(text) != std::string_view::npos;
}

bool is_result(std::string_view line) {
  return has(line, R"("type":"result")") || has(line, R"("type":"turn.completed")") ||
         line.starts_with("[CODEX_COMPLETE]");
}

bool is_json(std::string_view line) { return line.starts_with('{'); }

Result<std::uint64_t> number_in(std::string_view word, std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Error{ErrorCode::validation, fmt::format("--fault {}: not a number of bytes", word)};
  }
  return number;
}

}  // namespace

std::vector<std::string_view> fault_names() {
  return {"cut=BYTES", "huge-line[=BYTES]", "hang-after-result", "hang-on-stdin", "split-utf8",
          "orphan",    "error-exit-zero",   "duplicate-usage",   "unknown-event"};
}

Result<Faults> read_faults(const std::vector<std::string>& words) {
  Faults faults;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "cut") {
      DRAGOMAN_TRY(faults.cut, number_in(word, value));
    } else if (name == "huge-line") {
      faults.huge_line = kHuge;
      if (!value.empty()) {
        DRAGOMAN_TRY(faults.huge_line, number_in(word, value));
      }
    } else if (word == "hang-after-result") {
      faults.hang_after_result = true;
    } else if (word == "hang-on-stdin") {
      faults.hang_on_stdin = true;
    } else if (word == "split-utf8") {
      faults.split_utf8 = true;
    } else if (word == "orphan") {
      faults.orphan = true;
    } else if (word == "error-exit-zero") {
      faults.error_exit_zero = true;
    } else if (word == "duplicate-usage") {
      faults.duplicate_usage = true;
    } else if (word == "unknown-event") {
      faults.unknown_event = true;
    } else {
      return Error{ErrorCode::validation,
                   fmt::format("--fault: '{}' is not {}", word, listed(fault_names()))};
    }
  }
  return faults;
}

FaultyOutput::Then FaultyOutput::push(std::string_view bytes) {
  if (!faults_.by_line()) return put(bytes);
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    pending_.append(bytes.substr(0, newline == std::string_view::npos ? newline : newline + 1));
    if (newline == std::string_view::npos) return Then::go_on;
    bytes.remove_prefix(newline + 1);
    if (const Then then = line(std::move(pending_)); then != Then::go_on) return then;
    pending_.clear();
  }
  return Then::go_on;
}

FaultyOutput::Then FaultyOutput::finish() {
  return pending_.empty() ? Then::go_on : line(std::move(pending_));
}

FaultyOutput::Then FaultyOutput::line(std::string line) {
  ++lines_;
  Then then = Then::go_on;
  if (lines_ == 1 && faults_.huge_line.has_value()) {
    const std::string filling(*faults_.huge_line, 'x');
    then = put(
        is_json(line)
            ? fmt::format("{{\"type\":\"system\",\"subtype\":\"huge\",\"data\":\"{}\"}}\n", filling)
            : filling + "\n");
  }
  if (faults_.error_exit_zero && is_result(line)) {
    constexpr std::string_view kGood = R"("is_error":false)";
    if (const std::size_t at = line.find(kGood); at != std::string::npos) {
      line.replace(at, kGood.size(), R"("is_error":true)");
    }
  }
  if (then == Then::go_on) then = put(line);
  if (then == Then::go_on && faults_.duplicate_usage && has(line, "\"usage\"")) then = put(line);
  if (then == Then::go_on && faults_.unknown_event && lines_ == 1) {
    then = put(is_json(line) ? "{\"type\":\"from_the_future\",\"data\":{\"x\":1}}\n"
                             : "[FROM_THE_FUTURE] x\n");
  }
  if (then == Then::go_on && faults_.hang_after_result && is_result(line)) return Then::hang;
  return then;
}

FaultyOutput::Then FaultyOutput::put(std::string_view bytes) {
  bool over = false;
  if (faults_.cut.has_value() && written_ + bytes.size() >= *faults_.cut) {
    bytes = bytes.substr(0, *faults_.cut - written_);
    over = true;
  }
  written_ += bytes.size();
  if (faults_.split_utf8) {
    // Never a whole character above ASCII in one piece.
    std::size_t from = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (static_cast<unsigned char>(bytes[i]) < 0x80) continue;
      put_(bytes.substr(from, i + 1 - from));
      from = i + 1;
    }
    put_(bytes.substr(from));
  } else {
    put_(bytes);
  }
  return over ? Then::end : Then::go_on;
}

}  // namespace dragoman::cli
