// SPDX-License-Identifier: Apache-2.0
// A linter for what agents print.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/findings.hpp"

namespace dragoman::check {

struct Finding {
  std::uint64_t line = 1;
  std::uint64_t column = 1;  // code points, 1-based; in a JSON line that of the line's start
  std::uint64_t offset = 0;  // bytes from the start of the input
  std::uint64_t length = 0;
  std::optional<std::uint64_t> at;  // JSON lines: byte of the decoded text
  std::string rule;
  Level level = Level::warning;
  std::string message;
  std::string hint;  // may be empty

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct CheckOptions {
  std::optional<Dialect> from;  // absent: find out
  Mode mode = Mode::standard;   // strict raises the rules about form to errors
  std::size_t line_cap = ReaderOptions().line_cap;
};

// Reads the input as any reader would and reports what breaks a rule: what the reader itself
// stumbled over, what a whole document must have (a HEADER first, its title behind it), and what
// only a full look at each JSON text shows (its schema, doubled keys, numbers out of range).
class Checker {
 public:
  using Report = std::function<void(const Finding&)>;

  Checker(const CheckOptions& options, Report report);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  void push(std::string_view chunk);
  void finish();

  // What the input has turned out to be, and its lines so far.
  [[nodiscard]] Dialect dialect() const;
  [[nodiscard]] std::uint64_t lines() const;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace dragoman::check
