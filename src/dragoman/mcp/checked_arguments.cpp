// SPDX-License-Identifier: Apache-2.0
// What a value has to look like before anything is started with it.
#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/local_tools.hpp"
#include "dragoman/report/plain_text.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::size_t kLongestTask = 1024 * 1024;

}  // namespace

Result<std::string> checked_task_text(const Arguments& arguments) {
  std::string text = arguments.text("task");
  if (without_blanks(text).empty()) return bad_value("task", "a text that is not empty", text);
  if (text.size() > kLongestTask) return bad_value("task", "at most 1 MiB", text);
  return text;
}

Result<std::string> checked_model(const Arguments& arguments) {
  std::string model = arguments.text("model");
  if (arguments.has("model") && model.empty()) return bad_value("model", "a name", model);
  DRAGOMAN_CHECK(task::check_model(model));
  return model;
}

task::ResultsQuery results_query(const Arguments& arguments) {
  task::ResultsQuery query;
  query.include_output = arguments.given_flag("include_output");
  query.max_output_bytes = static_cast<std::size_t>(arguments.integer("max_output_bytes"));
  query.include_events = arguments.flag("include_events");
  return query;
}

Result<void> refuse_other_origin(std::string_view tool, std::string_view task_id) {
  const bool cloud = tool.starts_with("_codex_cloud_");
  if (!task_id.starts_with(cloud ? "T-local-" : "T-cloud-")) return {};
  std::string right(tool);
  right.replace(7, 5, cloud ? "local" : "cloud");
  std::string details;
  json::Writer w(details);
  w.begin_object().name("parameter").word("task_id").name("task_id").string(task_id);
  w.name("suggestion").string("call " + right).end_object();
  return Error{ErrorCode::validation,
               fmt::format("{} is a {} task: call {}", task_id, cloud ? "local" : "cloud", right),
               "wrong_tool", std::move(details)};
}

}  // namespace dragoman::mcp
