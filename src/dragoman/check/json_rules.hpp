// SPDX-License-Identifier: Apache-2.0
// Rules about one JSON text: its schema, and what readers pass over.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "dragoman/schema/validator.hpp"

namespace dragoman::check {

// What is wrong with a JSON text, where in it, and how to mend it.
struct JsonFault {
  std::string rule;
  std::size_t offset = 0;
  std::string message;
  std::string hint;
};
using JsonReport = std::function<void(const JsonFault&)>;

class JsonRules {
 public:
  // Spelling of numbers and literals, doubled keys, numbers that no machine number holds.
  void full_look(std::string_view json, const JsonReport& report) const;

  // Against the schema with this id. False: there is none.
  bool against_schema(std::string_view json, const std::string& id, const JsonReport& report);

 private:
  std::map<std::string, schema::Validator> validators_;  // each compiled once
};

}  // namespace dragoman::check
