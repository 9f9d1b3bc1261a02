// SPDX-License-Identifier: Apache-2.0
// The one place where a broker is started: by serve, by the runner of tasks, and by a run that
// names its surfaces.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/cli/command.hpp"
#include "dragoman/config/config.hpp"
#include "dragoman/surface/broker.hpp"
#include "dragoman/surface/settings.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::cli {

// What the configuration says about surfaces, with its secrets.
[[nodiscard]] Result<surface::Settings> surface_settings(const config::Config& config);

// Every name must be that of a surface.
[[nodiscard]] Result<void> check_surfaces(const surface::Settings& settings,
                                          const std::vector<std::string>& names);

// Null where no surface is configured and no policy answers: there is nothing to do.
[[nodiscard]] std::unique_ptr<surface::Broker> start_broker(task::Service& service,
                                                            surface::Settings settings,
                                                            std::vector<std::string> only = {});

// For programs that work for whoever comes: what is configured. A mistake in the tables of surfaces
// costs them, with a warning, and nothing else.
[[nodiscard]] Result<surface::Settings> configured_surfaces(const Invocation& invocation,
                                                            Console& console);
[[nodiscard]] std::unique_ptr<surface::Broker> start_configured_broker(task::Service& service,
                                                                       const Invocation& invocation,
                                                                       Console& console);

// A broker with a store of its own, beside a run. Null: no surface was named.
class RunSurfaces {
 public:
  [[nodiscard]] static Result<std::unique_ptr<RunSurfaces>> open(
      const std::string& store, const surface::Settings& settings,
      const std::vector<std::string>& names);
  RunSurfaces(std::unique_ptr<Log> log, surface::Settings settings, std::vector<std::string> names);

  // Waits a while for the last messages to say how it ended.
  void settle() { broker_->settle(std::chrono::seconds(15)); }

 private:
  std::unique_ptr<Log> log_;
  task::Service service_;
  std::unique_ptr<surface::Broker> broker_;
};

}  // namespace dragoman::cli
