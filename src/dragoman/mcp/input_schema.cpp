// SPDX-License-Identifier: Apache-2.0
// What is advertised of a tool.
#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/delegation_table.hpp"
#include "dragoman/schema/embedded.hpp"
#include "dragoman/task/envelope.hpp"

namespace dragoman::mcp {
namespace {

void put_type(json::Writer& w, const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::text:
      w.name("type").word("string");
      if (!parameter.choices.empty()) {
        w.name("enum").begin_array();
        for (const auto choice : parameter.choices) w.string(choice);
        w.end_array();
      } else if (parameter.most > 0) {
        w.name("maxLength").integer(parameter.most);
      }
      return;
    case ParameterType::integer:
      w.name("type").word("integer");
      w.name("minimum").integer(parameter.least);
      w.name("maximum").integer(parameter.most);
      return;
    case ParameterType::flag:
      w.name("type").word("boolean");
      return;
    case ParameterType::object:
      w.name("type").word("object");
      return;
    case ParameterType::texts:
      w.name("type").word("array");
      w.name("items").begin_object().name("type").word("string").end_object();
      return;
  }
}

std::string output_schema(std::string_view tool) {
  const auto schema = schema::find(fmt::format("codex/v3.6/{}/v1", task::tool_category(tool)));
  std::string text;
  if (schema) json::append_raw(text, {schema->text});
  return text;
}

}  // namespace

std::string input_schema(const DelegationTool& tool) {
  std::string out;
  json::Writer w(out);
  w.begin_object().name("type").word("object");
  w.name("properties").begin_object();
  for (const Parameter& parameter : tool.parameters) {
    w.key(parameter.name).begin_object();
    put_type(w, parameter);
    w.name("description").string(parameter.description);
    if (!parameter.standard.empty()) w.name("default").raw({parameter.standard});
    w.end_object();
  }
  w.end_object();
  w.name("required").begin_array();
  for (const Parameter& parameter : tool.parameters) {
    if (parameter.required) w.string(parameter.name);
  }
  w.end_array().end_object();
  return out;
}

ToolSpec spec_of(const DelegationTool& tool) {
  ToolSpec spec;
  spec.name = tool.name;
  spec.title = tool.title;
  spec.description = tool.description;
  spec.input_schema = input_schema(tool);
  spec.output_schema = output_schema(tool.name);
  json::Writer w(spec.annotations);
  w.begin_object().name("title").string(tool.title);
  w.name("readOnlyHint").boolean(tool.read_only);
  w.name("destructiveHint").boolean(!tool.read_only);
  w.name("idempotentHint").boolean(tool.idempotent);
  w.name("openWorldHint").boolean(tool.open_world);
  w.end_object();
  spec.task_support = tool.task_support;
  spec.quick = tool.quick;
  return spec;
}

}  // namespace dragoman::mcp
