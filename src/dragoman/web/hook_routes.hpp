// SPDX-License-Identifier: Apache-2.0
// Where the servers of surfaces call us.
#pragma once

#include <vector>

#include "dragoman/surface/hooks.hpp"
#include "dragoman/web/route.hpp"

namespace dragoman::web {

// They are let in without a token: each checks a signature, and there is none where nothing is
// configured to check it by. `hooks` must outlive the server.
[[nodiscard]] std::vector<RouteSpec> hook_routes(surface::Hooks& hooks);

}  // namespace dragoman::web
