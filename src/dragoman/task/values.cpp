// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/values.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::task {

namespace {

constexpr std::size_t kShownValue = 100;  // code points of a wrong one

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& root) {
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  (void)rest;
  return end == root.end();
}

const std::vector<std::string>& no_editing() {
  static const std::vector<std::string> kWords = {"--disallowedTools", "Edit,Write,NotebookEdit"};
  return kWords;
}

// What a mode means to Claude; it has no sandbox. Where nothing may be written it has no tools to
// write with, and commands that are not harmless are asked for. Its mode that never asks would do
// away with its questions as well.
void take_claude_mode(std::string_view mode, Task& task) {
  task.words.clear();
  if (mode == "workspace-write") {
    task.permission_mode = "acceptEdits";
  } else if (mode == "danger-full-access") {
    task.permission_mode = "bypassPermissions";
  } else {
    task.permission_mode = mode == "preview" ? "plan" : "default";
    task.words = no_editing();
  }
}

}  // namespace

Error bad_value(std::string_view parameter, std::string_view expected,
                std::optional<std::string_view> got) {
  std::string details;
  json::Writer w(details);
  w.begin_object().name("parameter").string(parameter).name("expected").string(expected);
  if (got) w.name("got").string(utf8::prefix(*got, kShownValue));
  w.end_object();
  return {ErrorCode::validation, fmt::format("{}: expected {}", parameter, expected), "bad_value",
          std::move(details)};
}

Result<void> check_model(std::string_view model) {
  if (model.empty() || agent::is_model_name(model)) return {};
  return bad_value("model", agent::kModelNames, model);
}

Result<void> refuse_way_up(const std::string& path) {
  const std::filesystem::path given(path);
  if (std::find(given.begin(), given.end(), "..") == given.end()) return {};
  return bad_value("working_dir", "a path without ..", path);
}

Result<std::string> checked_directory(const std::string& path,
                                      const std::vector<std::string>& roots) {
  const std::filesystem::path given(path);
  if (!given.is_absolute()) return bad_value("working_dir", "an absolute path", path);
  DRAGOMAN_CHECK(refuse_way_up(path));
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

Result<void> take_mode(std::string_view mode, Task& task) {
  if (mode.empty()) return {};
  if (mode != "preview" && std::ranges::count(agent::kSandboxes, mode) == 0) {
    return bad_value("mode", fmt::format("one of {}", fmt::join(agent::kSandboxes, ", ")), mode);
  }
  if (task.agent == "claude") {
    take_claude_mode(mode, task);
  } else {
    task.mode = mode == "preview" ? "read-only" : mode;
  }
  return {};
}

std::string_view mode_of(const Task& task) {
  if (task.agent != "claude") return task.mode;
  if (task.permission_mode == "bypassPermissions") return "danger-full-access";
  if (task.permission_mode == "acceptEdits") return "workspace-write";
  const bool reads = task.permission_mode == "plan" || task.words == no_editing();
  return reads ? "read-only" : "";
}

void keep_words_of_mode(Task& task) {
  if (task.agent != "claude" || task.words != no_editing()) task.words.clear();
}

}  // namespace dragoman::task
