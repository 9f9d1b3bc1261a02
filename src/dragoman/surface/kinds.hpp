// SPDX-License-Identifier: Apache-2.0
// The surfaces that there are, each made by its own file.
#pragma once

#include <memory>

#include "dragoman/surface/surface.hpp"

namespace dragoman::surface {

std::unique_ptr<Surface> make_github(const SurfaceSettings& settings, Surroundings surroundings);
std::unique_ptr<Surface> make_discord(const SurfaceSettings& settings, Surroundings surroundings);
std::unique_ptr<Surface> make_slack(const SurfaceSettings& settings, Surroundings surroundings);
std::unique_ptr<Surface> make_openclaw(const SurfaceSettings& settings, Surroundings surroundings);
std::unique_ptr<Surface> make_command(const SurfaceSettings& settings, Surroundings surroundings);
std::unique_ptr<Surface> make_desktop(const SurfaceSettings& settings, Surroundings surroundings);

}  // namespace dragoman::surface
