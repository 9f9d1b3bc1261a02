// SPDX-License-Identifier: Apache-2.0
// Environment templates and runs as resources.
#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/delegation_tools.hpp"
#include "dragoman/mcp/environment_templates.hpp"
#include "dragoman/task/envelope.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::string_view kRunUri = "dragoman://run/";
constexpr std::string_view kOutput = "/output";

ResourceResult contents(std::string_view uri, std::string_view type, std::string_view text) {
  ResourceResult result;
  json::Writer w(result.contents);
  w.begin_array().begin_object().name("uri").string(uri).name("mimeType").string(type);
  w.name("text").string(text).end_object().end_array();
  return result;
}

}  // namespace

Result<std::vector<ResourceSpec>> DelegationTools::resources() {
  std::vector<ResourceSpec> specs;
  for (const EnvironmentTemplate& each : environment_templates()) {
    specs.push_back({std::string(kTemplateUri) + each.id, "Environment Template: " + each.name,
                     each.name, each.description, "application/json"});
  }
  return specs;
}

Result<std::vector<ResourceSpec>> DelegationTools::templates() {
  return std::vector<ResourceSpec>{
      {"dragoman://run/{id}", "Run", "A run", "State, summary and metadata of a task",
       "application/json"},
      {"dragoman://run/{id}/output", "Output of a run", "What a run printed",
       "The agent's words and the output of its commands, at most 64 KiB", "text/plain"},
  };
}

Result<ResourceAnswer> DelegationTools::read(const Call& call) {
  const std::string_view uri = call.name;
  const auto missing = [&] {
    return Error{ErrorCode::not_found, fmt::format("Resource not found: {}", uri.substr(0, 200)),
                 "resource"};
  };
  if (uri.starts_with(kTemplateUri)) {
    const auto* const found = find_environment_template(uri.substr(kTemplateUri.size()));
    if (found == nullptr) return missing();
    return ResourceAnswer(contents(uri, "application/json", template_json(*found)));
  }
  if (!uri.starts_with(kRunUri)) return missing();
  std::string_view id = uri.substr(kRunUri.size());
  const bool output = id.ends_with(kOutput);
  if (output) id.remove_suffix(kOutput.size());
  const auto found = service_.get(id);
  if (!found) return found.error().code == ErrorCode::internal ? found.error() : missing();
  task::ResultsQuery query;
  query.include_output = output;
  DRAGOMAN_TRY(const auto results, task::results_of(service_, *found, query));
  if (!output)
    return ResourceAnswer(contents(uri, "application/json", task::results_envelope(results)));
  return ResourceAnswer(contents(uri, "text/plain", results.output.stdout_text));
}

}  // namespace dragoman::mcp
