// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/surfaces.hpp"

#include <fmt/format.h>

#include "dragoman/cli/launch_options.hpp"
#include "dragoman/log/open_log.hpp"
#include "dragoman/process/environment.hpp"

namespace dragoman::cli {

Result<surface::Settings> surface_settings(const config::Config& config) {
  return surface::read_settings(config, process::own_environment());
}

Result<void> check_surfaces(const surface::Settings& settings,
                            const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (settings.find(name) != nullptr) continue;
    std::string known;
    for (const auto& surface : settings.surfaces) known += " " + surface.name;
    return Error{ErrorCode::validation,
                 known.empty() ? fmt::format("no surface is configured, so none is called {}: add "
                                             "[surface.{}] to your config.toml",
                                             name, name)
                               : fmt::format("no surface is called {}; there are{}", name, known),
                 "bad_value"};
  }
  return {};
}

std::unique_ptr<surface::Broker> start_broker(task::Service& service, surface::Settings settings,
                                              std::vector<std::string> only) {
  if (settings.surfaces.empty() && settings.policy.default_answer.empty()) return nullptr;
  return std::make_unique<surface::Broker>(
      service, surface::BrokerOptions{std::move(settings), std::move(only)});
}

Result<surface::Settings> configured_surfaces(const Invocation& invocation, Console& console) {
  DRAGOMAN_TRY(const auto config, load_settings(invocation, console));
  return surface_settings(config);
}

std::unique_ptr<surface::Broker> start_configured_broker(task::Service& service,
                                                         const Invocation& invocation,
                                                         Console& console) {
  auto settings = configured_surfaces(invocation, console);
  if (settings) return start_broker(service, *std::move(settings));
  console.warn(printable(settings.error().message));
  return nullptr;
}

RunSurfaces::RunSurfaces(std::unique_ptr<Log> log, surface::Settings settings,
                         std::vector<std::string> names)
    : log_(std::move(log)),
      service_(*log_, {1, [] { return Result<void>(); }}),
      broker_(start_broker(service_, std::move(settings), std::move(names))) {}

Result<std::unique_ptr<RunSurfaces>> RunSurfaces::open(const std::string& store,
                                                       const surface::Settings& settings,
                                                       const std::vector<std::string>& names) {
  if (names.empty()) return std::unique_ptr<RunSurfaces>();
  DRAGOMAN_TRY(auto log, open_log(store, ""));
  return std::make_unique<RunSurfaces>(std::move(log), settings, names);
}

}  // namespace dragoman::cli
