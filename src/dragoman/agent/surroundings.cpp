// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/surroundings.hpp"

#include <algorithm>

#include "dragoman/process/command.hpp"

namespace dragoman::agent {
namespace {

bool is_mark_of_an_agent(std::string_view name) {
  return std::ranges::any_of(agents(), [name](const AgentRow& row) {
    return std::ranges::any_of(row.marks,
                               [name](std::string_view mark) { return name.starts_with(mark); });
  });
}

}  // namespace

Result<std::string> locate_program(std::string_view name,
                                   const std::vector<std::string>& environment) {
  DRAGOMAN_TRY(std::string found, process::find_program(std::string(name), environment));
  const auto known = std::ranges::find(agents(), name, &AgentRow::program);
  if (known == agents().end() || known->native == nullptr) return found;
  std::string native = known->native(found);
  return native.empty() ? found : native;
}

std::vector<std::string> variables_for(const AgentRow& agent,
                                       const std::vector<std::string>& ours) {
  std::vector<std::string> names;
  for (const std::string& variable : ours) {
    const std::string name = variable.substr(0, variable.find('='));
    const bool meant = std::ranges::any_of(agent.variables, [&](std::string_view word) {
      return word.ends_with('_') ? name.starts_with(word) : name == word;
    });
    if (meant && !is_mark_of_an_agent(name)) names.push_back(name);
  }
  return names;
}

}  // namespace dragoman::agent
