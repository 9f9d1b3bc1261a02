// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/values.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <span>

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

std::span<const agent::Mode> modes_of(const Task& task) {
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  return agent == nullptr ? std::span<const agent::Mode>() : agent->modes;
}

bool has_words_of(const agent::Mode& mode, const Task& task) {
  return !mode.words.empty() && std::ranges::equal(mode.words, task.words);
}

bool is_in(const agent::Mode& mode, const Task& task) {
  if (has_words_of(mode, task)) return true;
  return !mode.told_by_words && mode.sandbox == task.mode &&
         mode.permission_mode == task.permission_mode;
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

Result<void> take_mode(std::string_view word, Task& task) {
  if (word.empty()) return {};
  if (std::ranges::count(agent::kModes, word) == 0) {
    return bad_value("mode", fmt::format("one of {}", fmt::join(agent::kSandboxes, ", ")), word);
  }
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  if (agent == nullptr) return {};  // the service refuses the task
  const agent::Mode* const mode = agent->find_mode(word);
  if (mode == nullptr) return bad_value("mode", "nothing for agent " + task.agent, word);
  task.mode = mode->sandbox;
  task.permission_mode = mode->permission_mode;
  task.words.assign(mode->words.begin(), mode->words.end());
  return {};
}

std::string_view mode_of(const Task& task) {
  for (const agent::Mode& mode : modes_of(task) | std::views::reverse) {
    if (is_in(mode, task)) return mode.word == agent::kPreview ? agent::kModes.front() : mode.word;
  }
  return {};
}

void keep_words_of_mode(Task& task) {
  const auto is_kept = [&task](const agent::Mode& mode) { return has_words_of(mode, task); };
  if (!std::ranges::any_of(modes_of(task), is_kept)) task.words.clear();
}

}  // namespace dragoman::task
