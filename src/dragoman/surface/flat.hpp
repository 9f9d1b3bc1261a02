// SPDX-License-Identifier: Apache-2.0
// A JSON document of somebody else, looked at by path: "member.user.id", "actions.0.value".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman::surface {

// Bounded: a document with more than kMost values or nested deeper than kDeepest is refused.
class Flat {
 public:
  static constexpr std::size_t kMost = 100'000;
  static constexpr std::size_t kDeepest = 24;

  [[nodiscard]] static Result<Flat> read(std::string_view json);

  // Strings decoded, numbers and truth values as they are written; empty: there is none.
  [[nodiscard]] const std::string& operator[](std::string_view path) const;
  [[nodiscard]] bool has(std::string_view path) const { return values_.contains(path); }
  // "a.0", "a.1", … that are strings or numbers.
  [[nodiscard]] std::vector<std::string> list(std::string_view path) const;

 private:
  friend class FlatReader;
  std::map<std::string, std::string, std::less<>> values_;
};

// The elements of an array, each by itself.
[[nodiscard]] Result<std::vector<Flat>> read_list(std::string_view json);

}  // namespace dragoman::surface
