// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/delegation.hpp"

#include <filesystem>

#include "dragoman/agent/table.hpp"
#include "dragoman/cli/screen.hpp"
#include "dragoman/mcp/codex_cloud.hpp"
#include "dragoman/mcp/fleet_backend.hpp"
#include "dragoman/process/environment.hpp"

namespace dragoman::cli {
std::unique_ptr<mcp::DelegationTools> make_delegation_tools(task::Service& service,
                                                            const TaskStore& store,
                                                            const config::Config& settings,
                                                            mcp::Upkeep upkeep) {
  const std::vector<std::string> environment = process::own_environment();
  const std::filesystem::path home = variable("HOME");
  std::error_code gone;
  mcp::DelegationOptions options;
  options.version = DRAGOMAN_VERSION;
  options.upkeep = upkeep;
  options.local.working_dir = std::filesystem::current_path(gone).string();
  options.local.roots = settings.value("mcp.roots").texts;
  for (const agent::AgentRow& row : agent::agents()) {
    if (row.has_program()) continue;
    options.local.programs.emplace(row.name, settings.value("mcp." + std::string(row.name)).texts);
  }
  options.local.private_directory = store.fleet ? config::state_directory(environment)
                                                : std::filesystem::path(store.path).parent_path();
  options.cloud.working_dir = options.local.working_dir;
  options.cloud.roots = options.local.roots;
  options.cloud.home = home;
  if (const std::string& file = settings.text("mcp.environments"); !file.empty())
    options.cloud.environment_files.emplace_back(file);
  if (const auto directory = config::config_directory(environment); !directory.empty())
    options.cloud.environment_files.push_back(directory / "environments.json");
  if (!home.empty())
    options.cloud.environment_files.push_back(home / ".config/mcp-delegator/environments.json");
  std::vector<std::unique_ptr<mcp::CloudBackend>> backends;
  backends.push_back(mcp::make_codex_cloud({environment}));
  const auto state = config::state_directory(environment);
  backends.push_back(mcp::make_fleet_backend(
      {[files = options.cloud.environment_files, home] {
         return mcp::read_environments(files, home);
       },
       state.empty() ? std::string() : (std::filesystem::path(state) / "fleet").string()}));
  return std::make_unique<mcp::DelegationTools>(service, std::move(options), std::move(backends));
}

}  // namespace dragoman::cli
