// SPDX-License-Identifier: Apache-2.0
// Findings for people and for machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/check/check.hpp"

namespace dragoman::check {

enum class Format : std::uint8_t { text, json, sarif, github };
[[nodiscard]] std::optional<Format> format_named(std::string_view name);

struct Tally {
  std::size_t files = 0;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t infos = 0;

  void count(Level level);
};

// Builds a report over any number of files. Text and GitHub lines are complete after each finding;
// JSON and SARIF are one document, complete after finish().
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void begin(std::string& out) = 0;
  virtual void finding(std::string_view file, const Finding& finding, std::string& out) = 0;
  virtual void finish(const Tally& tally, std::string& out) = 0;
};

// `colour`: text only.
[[nodiscard]] std::unique_ptr<Reporter> make_reporter(Format format, bool colour);

}  // namespace dragoman::check
