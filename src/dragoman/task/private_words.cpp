// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/private_words.hpp"

#include <fmt/format.h>

#include "dragoman/log/fields.hpp"
#include "dragoman/log/private_file.hpp"
#include "dragoman/process/environment.hpp"
#include "dragoman/redact/filter.hpp"

namespace dragoman::task {
namespace {

namespace fs = std::filesystem;

struct Hidden {
  std::string text;
  std::vector<std::string> words;
  std::vector<std::string> environment;

  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("text", s.text);
    v("words", s.words);
    v("environment", s.environment);
  }
  friend bool operator==(const Hidden&, const Hidden&) = default;
};

// Whatever looks like nothing may be a password; what is shorter than any is not.
std::string without_value(const std::string& variable) {
  constexpr std::size_t kShortest = 8;
  const std::size_t name = variable.find('=');
  if (name == std::string::npos || name + 1 == variable.size()) return variable;
  const bool is_short = variable.size() - name - 1 < kShortest;
  if (is_short && !process::says_secret(variable.substr(0, name))) return variable;
  return variable.substr(0, name) + "=[REDACTED:environment]";
}

fs::path file_of(std::string_view task_id, const fs::path& directory) {
  return directory / fmt::format("{}.json", task_id);
}

}  // namespace

std::string without_secrets(std::string_view text) {
  static const auto kRules = redact::make_rules(process::secret_values(process::own_environment()));
  return redact::redacted(text, kRules);
}

Result<void> hide_secrets(Task& task, const fs::path& directory) {
  const auto secrets = process::secret_values(task.environment);
  // Our own rules know every kind; making others takes longer than all the rest of a submit.
  const auto rules = secrets.empty() ? nullptr : redact::make_rules(secrets);
  const auto clean = [&rules](const std::string& text) {
    std::string ours = without_secrets(text);
    return rules ? redact::redacted(ours, rules) : ours;
  };
  const Hidden given{task.text, task.words, task.environment};
  task.text = clean(task.text);
  for (auto& word : task.words) word = clean(word);
  for (auto& variable : task.environment) {
    variable = directory.empty() ? clean(variable) : without_value(variable);
  }
  if (directory.empty() || given == Hidden{task.text, task.words, task.environment}) return {};
  return write_private_file(file_of(task.id, directory), write_fields(given));
}

void reveal_secrets(Task& task, const fs::path& directory) {
  if (directory.empty()) return;
  const auto kept = read_private_file(file_of(task.id, directory));
  if (!kept) return;
  auto given = read_fields<Hidden>(*kept);
  if (!given) return;
  task.text = std::move(given->text);
  task.words = std::move(given->words);
  task.environment = std::move(given->environment);
}

void forget_secrets(std::string_view task_id, const fs::path& directory) {
  if (!directory.empty()) remove_private_file(file_of(task_id, directory));
}

}  // namespace dragoman::task
