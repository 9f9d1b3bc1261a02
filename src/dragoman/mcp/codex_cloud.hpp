// SPDX-License-Identifier: Apache-2.0
// Backend codex-cloud: the `codex cloud` command line, which needs a ChatGPT login.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/mcp/cloud_backend.hpp"

namespace dragoman::mcp {

struct CodexCloudOptions {
  std::vector<std::string> environment;  // NAME=value: ours; codex gets what it needs of it
  // Between two looks of a wait: from the first, doubling up to the second.
  std::chrono::milliseconds first_pause{std::chrono::seconds(5)};
  std::chrono::milliseconds last_pause{std::chrono::seconds(30)};
};

[[nodiscard]] std::unique_ptr<CloudBackend> make_codex_cloud(CodexCloudOptions options);

}  // namespace dragoman::mcp
