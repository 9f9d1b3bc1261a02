// SPDX-License-Identifier: Apache-2.0
// The log that a URL names: sqlite:PATH, nats://… or tls://…
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"

namespace dragoman {

// `directory` is where a fleet's log may keep its local copy; empty: in a temporary place.
// `patience`: how long its calls wait for servers that do not answer.
[[nodiscard]] Result<std::unique_ptr<Log>> open_log(
    std::string_view url, const std::string& directory,
    std::chrono::milliseconds patience = std::chrono::seconds(10));

}  // namespace dragoman
