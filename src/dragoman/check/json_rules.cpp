// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/json_rules.hpp"

#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "dragoman/dialect/line_value.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/json/number.hpp"

namespace dragoman::check {
namespace {

constexpr std::size_t kMostFaults = 20;  // of one text: the first ones tell enough

// Walks every value without recursion.
class FullLook {
 public:
  FullLook(std::string_view json, const JsonReport& report) : json_(json), report_(report) {}

  void run() {
    waiting_.push_back(json_);
    while (!waiting_.empty() && faults_ < kMostFaults) {
      const std::string_view next = waiting_.back();
      waiting_.pop_back();
      look_at(next);
    }
  }

 private:
  void tell(std::string_view rule, std::string_view at, std::string message) {
    ++faults_;
    report_({std::string(rule), static_cast<std::size_t>(at.data() - json_.data()),
             std::move(message), rule == "malformed" ? "write the value as JSON has it" : ""});
  }

  void look_at(std::string_view container) {
    json::Cursor cursor(container);
    if (cursor.next_is(json::Kind::object)) {
      look_at_members(cursor);
    } else if (cursor.next_is(json::Kind::array)) {
      for (json::Elements elements(cursor); elements.next();) note(cursor.skip());
    }
  }

  void look_at_members(json::Cursor& cursor) {
    std::unordered_set<std::string> keys;
    std::string_view key;
    for (json::Members members(cursor); members.next(key);) {
      const bool twice = !keys.insert(std::string(key)).second;
      const std::string name = twice ? shortened(key, 60) : std::string();
      const json::Value value = cursor.skip();
      if (twice) tell("duplicate_key", value.raw, fmt::format("'{}' is there twice", name));
      note(value);
    }
  }

  void note(const json::Value& value) {
    switch (value.kind) {
      case json::Kind::array:
      case json::Kind::object:
        waiting_.push_back(value.raw);
        break;
      case json::Kind::number:
        if (value.absent()) break;
        if (const json::NumberFault fault = json::parse_number(value.raw).fault;
            fault != json::NumberFault::none) {
          const bool range = fault == json::NumberFault::range;
          tell(range ? "number_range" : "malformed", value.raw,
               range
                   ? fmt::format("{} is out of range", shortened(value.raw, 40))
                   : fmt::format("bad_json: '{}' is not a JSON number", shortened(value.raw, 40)));
        }
        break;
      case json::Kind::boolean:
      case json::Kind::null_:
        if (!value.absent() && value.raw != "true" && value.raw != "false" && value.raw != "null") {
          tell("malformed", value.raw,
               fmt::format("bad_json: '{}' is no JSON word", shortened(value.raw, 40)));
        }
        break;
      case json::Kind::string:
        break;
    }
  }

  std::string_view json_;
  const JsonReport& report_;
  std::vector<std::string_view> waiting_;
  std::size_t faults_ = 0;
};

}  // namespace

void JsonRules::full_look(std::string_view json, const JsonReport& report) const {
  FullLook(json, report).run();
}

bool JsonRules::against_schema(std::string_view json, const std::string& id,
                               const JsonReport& report) {
  auto it = validators_.find(id);
  if (it == validators_.end()) {
    schema::ValidatorOptions options;
    options.formats = schema::Formats::assert_times;
    auto compiled = schema::Validator::with_id(id, options);
    if (!compiled) return false;  // not kept: of ids that nobody knows there is no end
    it = validators_.emplace(id, *std::move(compiled)).first;
  }
  const auto tree = schema::Tree::parse(std::string(json));
  if (!tree) return true;  // the reader has said so already
  const auto findings = it->second.validate(*tree);
  if (!findings) {
    report({"schema", 0, findings.error().message, ""});
    return true;
  }
  std::size_t told = 0;
  for (const schema::Finding& finding : *findings) {
    if (++told > kMostFaults) break;
    report({"schema", finding.offset,
            fmt::format("{}: {}", finding.instance_path.empty() ? "/" : finding.instance_path,
                        finding.message),
            fmt::format("write it as the schema has it: dragoman schema {}", id)});
  }
  return true;
}

}  // namespace dragoman::check
