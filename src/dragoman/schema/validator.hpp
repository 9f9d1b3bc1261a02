// SPDX-License-Identifier: Apache-2.0
// JSON Schema, draft 2020-12.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/schema/tree.hpp"

namespace dragoman::schema {

// One way in which an instance is not what the schema wants.
struct Finding {
  std::string instance_path;  // JSON pointer of the value at fault
  std::size_t offset = 0;     // where that value begins in the instance's text
  std::string schema_path;    // schema id, '#', JSON pointer of the keyword
  std::string message;        // "expected number or null, got string"
  std::string hint;           // what would mend it; may be empty

  friend bool operator==(const Finding&, const Finding&) = default;
};

// A schema that a $ref may lead to. `text` must stay valid until the validator is compiled.
struct SchemaDocument {
  std::string uri;  // where it lies; its own $id is resolved against that
  std::string_view text;
};

// "format" says what a string means. Asserting it refuses strings that are no date-time, or no
// date-time, uuid or regex; other formats are never asserted.
enum class Formats : std::uint8_t { annotate, assert_times, assert_known };

// What an instance or schema of bad intent can cost.
struct Limits {
  std::size_t findings = 100;
  std::uint64_t steps = 20'000'000;  // schema applications, about; beyond it validating is an error
};

struct ValidatorOptions {
  std::vector<SchemaDocument> documents = {};  // besides the embedded ones, and before them
  Formats formats = Formats::annotate;
  Limits limits = {};
};

class Program;

// A schema made ready once and used as often as wanted, from any thread. Every keyword of the core,
// applicator, unevaluated, validation and format-annotation vocabularies is obeyed; patterns are
// run by RE2 and so have no look-around. References lead to the schema itself, to the documents of
// the options and to the embedded schemas.
class Validator {
 public:
  // A schema given as text. A schema that is not well formed, refers to what is not there, or
  // needs what we do not have is an error.
  [[nodiscard]] static Result<Validator> compile(std::string text,
                                                 const ValidatorOptions& options = {});
  // The schema with this URI among the documents of the options and the embedded ones.
  [[nodiscard]] static Result<Validator> with_id(std::string_view id,
                                                 const ValidatorOptions& options = {});

  // Empty: the instance is valid. An error: it cannot be said, because the schema refers to itself
  // for ever or the limits were reached.
  [[nodiscard]] Result<std::vector<Finding>> validate(const Tree& instance) const;

 private:
  explicit Validator(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

}  // namespace dragoman::schema
