// SPDX-License-Identifier: Apache-2.0
// The regular expressions of schemas, matched in linear time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"

namespace re2 {
class RE2;
}

namespace dragoman::schema {

// An ECMA-262 expression (as with the "u" flag), run by RE2. What RE2 does not have (look-around,
// back-references, repeat counts over 1000) is the error `unsupported`, what is no expression at
// all the error `validation`. Cheap to copy.
class Pattern {
 public:
  [[nodiscard]] static Result<Pattern> compile(std::string_view ecma);

  // Whether the expression matches somewhere in `text`: it is not anchored.
  [[nodiscard]] bool found_in(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> program) : program_(std::move(program)) {}

  std::shared_ptr<const re2::RE2> program_;
};

// The same expression in RE2's syntax.
[[nodiscard]] Result<std::string> ecma_to_re2(std::string_view ecma);

}  // namespace dragoman::schema
