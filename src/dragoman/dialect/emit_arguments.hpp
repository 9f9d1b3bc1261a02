// SPDX-License-Identifier: Apache-2.0
// Named arguments, checked against the fields of what is emitted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/emit.hpp"

namespace dragoman {

// Arguments that do not go together, or that nobody knows. The caller is at fault, whatever the
// dialect allows.
[[nodiscard]] Error misused(std::string message);

// Knows that each argument names a field of the kind, is given once unless it is a list, has the
// form its type asks for, and that nothing required is missing.
class EmitArguments {
 public:
  static Result<EmitArguments> check(const EmitKind& kind, std::span<const EmitArgument> given,
                                     Arena& arena);

  // Absent (null data) when it was not given.
  [[nodiscard]] std::string_view text(std::string_view field) const;
  [[nodiscard]] std::optional<Number> number(std::string_view field) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view field) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view field) const;
  [[nodiscard]] std::vector<std::string_view> list(std::string_view field) const;

  [[nodiscard]] Arena& arena() const { return *arena_; }

 private:
  struct Given {
    std::string_view field;
    std::string_view value;
  };
  std::vector<Given> given_;
  Arena* arena_ = nullptr;
};

}  // namespace dragoman
