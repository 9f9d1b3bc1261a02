// SPDX-License-Identifier: Apache-2.0
// What a reader has to say about the form of a marker.
#pragma once

#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"

namespace dragoman {

// A rule of docs/rules.md that a marker breaks.
struct Finding {
  std::string_view rule;
  std::string_view message;
};

// Findings about one marker, with the memory their messages live in.
class Findings {
 public:
  explicit Findings(Arena& arena) : arena_(arena) {}

  void add(std::string_view rule, std::string_view message) {
    list_.push_back({rule, arena_.copy(message)});
  }
  void clear() { list_.clear(); }

  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] const Finding& front() const { return list_.front(); }
  [[nodiscard]] auto begin() const { return list_.begin(); }
  [[nodiscard]] auto end() const { return list_.end(); }

 private:
  Arena& arena_;
  std::vector<Finding> list_;
};

// Whether one of them makes a marker malformed in strict mode. How many options a question has is a
// matter of taste, not of form.
[[nodiscard]] inline const Finding* form_fault(const Findings& findings) {
  for (const Finding& finding : findings) {
    if (finding.rule != "option_count") return &finding;
  }
  return nullptr;
}

}  // namespace dragoman
