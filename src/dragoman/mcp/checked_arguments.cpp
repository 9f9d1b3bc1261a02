// SPDX-License-Identifier: Apache-2.0
// What a value has to look like before anything is started with it.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/local_tools.hpp"
#include "dragoman/report/plain_text.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::size_t kLongestTask = 1024 * 1024;

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& root) {
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  (void)rest;
  return end == root.end();
}

}  // namespace

Result<std::string> checked_task_text(const Arguments& arguments) {
  std::string text = arguments.text("task");
  if (without_blanks(text).empty()) return bad_value("task", "a text that is not empty", text);
  if (text.size() > kLongestTask) return bad_value("task", "at most 1 MiB", text);
  return text;
}

Result<std::string> checked_model(const Arguments& arguments) {
  std::string model = arguments.text("model");
  if (!arguments.has("model")) return model;
  const bool fit =
      !model.empty() && model.size() <= 128 && ascii::is_alnum(model.front()) &&
      std::all_of(model.begin(), model.end(), [](char c) {
        return ascii::is_alnum(c) || c == '.' || c == '_' || c == ':' || c == '/' || c == '-';
      });
  if (!fit) return bad_value("model", "^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$", model);
  return model;
}

Result<std::string> checked_directory(const std::string& path,
                                      const std::vector<std::string>& roots) {
  const std::filesystem::path given(path);
  if (!given.is_absolute()) return bad_value("working_dir", "an absolute path", path);
  if (std::find(given.begin(), given.end(), "..") != given.end())
    return bad_value("working_dir", "a path without ..", path);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    return bad_value("working_dir", "a directory that exists", path);
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(given, failed);
  if (failed) return bad_value("working_dir", "a directory that exists", path);
  if (roots.empty()) return real.string();
  for (const std::string& root : roots) {
    const std::filesystem::path allowed = std::filesystem::canonical(root, failed);
    if (!failed && is_inside(real, allowed)) return real.string();
  }
  return bad_value("working_dir", "a directory inside the allowed roots", path);
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
