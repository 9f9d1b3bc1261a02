// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/arguments.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/edit_distance.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/json/number.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/schema/tree.hpp"

namespace dragoman::mcp {
namespace {

using schema::NodeId;
using schema::Tree;

constexpr std::size_t kLongestName = 128;
constexpr std::size_t kFarthest = 3;  // of a name that was probably meant

Error refusal(std::string_view reason, std::string message, std::string_view parameter) {
  std::string details;
  json::Writer w(details);
  w.begin_object().name("parameter").string(utf8::prefix(parameter, kLongestName)).end_object();
  return {ErrorCode::validation, std::move(message), std::string(reason), std::move(details)};
}

// taskId: task_id. Empty: it is not spelled so.
std::string snake_case(std::string_view name) {
  std::string out;
  if (name.empty() || name.size() > kLongestName || name[0] < 'a' || name[0] > 'z') return out;
  for (const char c : name) {
    if (c == '_') return {};
    if (c >= 'A' && c <= 'Z') {
      out.push_back('_');
      out.push_back(ascii::lower(c));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

const Parameter* named(const DelegationTool& tool, std::string_view name) {
  if (const Parameter* found = tool.find(name)) return found;
  const std::string snake = snake_case(name);
  return snake.empty() ? nullptr : tool.find(snake);
}

Error unknown(const DelegationTool& tool, std::string_view name) {
  std::string_view meant;
  std::size_t best = kFarthest + 1;
  if (name.size() <= kLongestName) {
    for (const Parameter& parameter : tool.parameters) {
      const std::size_t far = edit_distance(name, parameter.name);
      if (far < best) {
        best = far;
        meant = parameter.name;
      }
    }
  }
  std::string message = fmt::format("Unknown parameter '{}'.", utf8::prefix(name, kLongestName));
  if (!meant.empty()) message += fmt::format(" Did you mean '{}'?", meant);
  return refusal("unknown_parameter", std::move(message), name);
}

std::string expected_of(const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::text:
      if (!parameter.choices.empty()) return listed(parameter.choices);
      if (parameter.most > 0) return fmt::format("a text of at most {} characters", parameter.most);
      return "a text";
    case ParameterType::integer:
      return fmt::format("a whole number from {} to {}", parameter.least, parameter.most);
    case ParameterType::flag:
      return "true or false";
    case ParameterType::object:
      return "an object";
    case ParameterType::texts:
      return "a list of texts";
  }
  return "";
}

}  // namespace

class Arguments::Reader {
 public:
  explicit Reader(const Tree& tree) : tree_(tree) {}

  // Absent: the value is not what the parameter wants.
  [[nodiscard]] std::optional<Value> value(const Parameter& parameter, NodeId node) const {
    Value value;
    switch (parameter.type) {
      case ParameterType::text:
        return text(parameter, node);
      case ParameterType::integer:
        return integer(parameter, node);
      case ParameterType::flag: {
        const std::string_view spelled = scalar(node);
        if (spelled != "true" && spelled != "false") return std::nullopt;
        value.truth = spelled == "true";
        return value;
      }
      case ParameterType::object:
        if (!tree_.is(node, json::Kind::object)) return std::nullopt;
        json::append_raw(value.text, {tree_.raw(node)});
        return value;
      case ParameterType::texts:
        if (!tree_.is(node, json::Kind::array) || tree_.children(node).size() > 1000)
          return std::nullopt;
        for (const NodeId each : tree_.children(node)) {
          if (!tree_.is(each, json::Kind::string) || has_nul(tree_.string(each)))
            return std::nullopt;
          value.texts.emplace_back(tree_.string(each));
        }
        return value;
    }
    return std::nullopt;
  }

 private:
  static bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

  // Numbers and truth values may come as strings.
  [[nodiscard]] std::string_view scalar(NodeId node) const {
    return tree_.is(node, json::Kind::string) ? tree_.string(node) : tree_.raw(node);
  }

  [[nodiscard]] std::optional<Value> text(const Parameter& parameter, NodeId node) const {
    if (!tree_.is(node, json::Kind::string)) return std::nullopt;
    Value value;
    value.text = tree_.string(node);
    if (has_nul(value.text)) return std::nullopt;
    if (!parameter.choices.empty() &&
        std::ranges::find(parameter.choices, value.text) == parameter.choices.end())
      return std::nullopt;
    if (parameter.choices.empty() && parameter.most > 0 &&
        utf8::count(value.text) > static_cast<std::size_t>(parameter.most))
      return std::nullopt;
    return value;
  }

  [[nodiscard]] std::optional<Value> integer(const Parameter& parameter, NodeId node) const {
    if (!tree_.is(node, json::Kind::string) && !tree_.is(node, json::Kind::number))
      return std::nullopt;
    const json::ParsedNumber number = json::parse_number(scalar(node));
    if (number.fault != json::NumberFault::none) return std::nullopt;
    const auto whole = number.value.whole();
    if (!whole || *whole < parameter.least || *whole > parameter.most) return std::nullopt;
    Value value;
    value.number = *whole;
    return value;
  }

  const Tree& tree_;
};

Result<Arguments> Arguments::read(const DelegationTool& tool, std::string_view json) {
  Arguments arguments;
  auto tree = Tree::parse(std::string(json.empty() ? "{}" : json));
  if (!tree) return bad_value("arguments", "a JSON object that can be read", tree.error().message);
  if (!tree->is(schema::kRoot, json::Kind::object))
    return bad_value("arguments", "an object", tree->raw(schema::kRoot));
  const Reader reader(*tree);
  for (const NodeId node : tree->children(schema::kRoot)) {
    const Parameter* const parameter = named(tool, tree->key(node));
    if (parameter == nullptr) return unknown(tool, tree->key(node));
    if (tree->is(node, json::Kind::null_)) continue;  // as if it were not there
    auto value = reader.value(*parameter, node);
    if (!value) return bad_value(parameter->name, expected_of(*parameter), tree->raw(node));
    const auto [at, fresh] = arguments.given_.emplace(parameter->name, *value);
    if (!fresh && at->second != *value) {
      return refusal("conflicting_parameters",
                     fmt::format("'{}' is given twice, with different values", parameter->name),
                     parameter->name);
    }
  }
  for (const Parameter& parameter : tool.parameters) {
    if (parameter.required && !arguments.has(parameter.name)) {
      return refusal("missing_parameter", fmt::format("'{}' is missing", parameter.name),
                     parameter.name);
    }
    if (parameter.standard.empty() || arguments.has(parameter.name)) continue;
    const auto standard = Tree::parse(std::string(parameter.standard));
    if (!standard) continue;
    if (auto value = Reader(*standard).value(parameter, schema::kRoot))
      arguments.standard_.emplace(parameter.name, *std::move(value));
  }
  return arguments;
}

const Arguments::Value& Arguments::value(std::string_view name) const {
  static const Value kNone;
  if (const auto found = given_.find(name); found != given_.end()) return found->second;
  const auto found = standard_.find(name);
  return found == standard_.end() ? kNone : found->second;
}

std::string Arguments::text(std::string_view name) const { return value(name).text; }
std::int64_t Arguments::integer(std::string_view name) const { return value(name).number; }
bool Arguments::flag(std::string_view name) const { return value(name).truth; }
std::vector<std::string> Arguments::texts(std::string_view name) const { return value(name).texts; }
std::string Arguments::object(std::string_view name) const { return value(name).text; }

std::optional<bool> Arguments::given_flag(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  return flag(name);
}

Format format_in(std::string_view arguments) {
  json::Cursor cursor(arguments);
  std::string_view key;
  Format format = Format::markdown;
  if (!cursor.next_is(json::Kind::object)) return format;
  for (json::Members members(cursor); members.next(key);) {
    const bool is_format = key == "format";
    const json::Value value = cursor.skip();
    if (is_format && value.is(json::Kind::string) && value.raw == "\"json\"") format = Format::json;
  }
  return format;
}

}  // namespace dragoman::mcp
