// SPDX-License-Identifier: Apache-2.0
// Ready-made cloud environments: scripts, variables and secrets for five kinds of repository.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::mcp {

inline constexpr std::string_view kTemplateUri = "codex://environment-template/";

struct EnvironmentTemplate {
  std::string id;  // behind kTemplateUri
  std::string name;
  std::string description;
  std::vector<std::string> repo_types;
  // They may run twice without harm, and pass shellcheck.
  std::string setup_script;
  std::string maintenance_script;
  std::vector<std::string> required_secrets;
  std::vector<std::pair<std::string, std::string>> variables;
  std::string instructions;
};

[[nodiscard]] std::span<const EnvironmentTemplate> environment_templates();
[[nodiscard]] const EnvironmentTemplate* find_environment_template(std::string_view id);
// node, python, go, rust
[[nodiscard]] const EnvironmentTemplate* template_for_stack(std::string_view stack);

[[nodiscard]] std::string template_json(const EnvironmentTemplate& of);

}  // namespace dragoman::mcp
