// SPDX-License-Identifier: Apache-2.0
// A place where the real Claude Code and Codex run against our own model on loopback. They are
// installed by `npm ci --prefix tests/agents`; without them tests say so and are skipped, except
// where DRAGOMAN_NO_SKIP is set, as in CI.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/e2e/model.hpp"
#include "tests/e2e/run_support.hpp"

namespace dragoman::test {

inline constexpr const char* kNoRealAgents =
    "the agents are not installed: npm ci --prefix tests/agents";

[[nodiscard]] inline bool have_real_agents() {
  const bool there = std::filesystem::exists(agents() / ".bin/claude");
  EXPECT_TRUE(there || std::getenv("DRAGOMAN_NO_SKIP") == nullptr) << kNoRealAgents;
  return there;
}

// Whatever is started in the place finds both, and they find the model.
inline void give_real_agents(RunPlace& place, const std::string& model_url) {
  for (const std::string name : {"claude", "codex"}) {
    std::filesystem::create_symlink(std::filesystem::canonical(agents() / ".bin" / name),
                                    place.bin() / name);
  }
  place.more_environment = {"ANTHROPIC_BASE_URL=" + model_url,
                            "ANTHROPIC_API_KEY=nothing",
                            "DISABLE_TELEMETRY=1",
                            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
                            "CLAUDE_CODE_MAX_RETRIES=1",
                            "IS_SANDBOX=1",
                            "MODEL_KEY=nothing",
                            "SHELL=/bin/bash",
                            "CODEX_HOME=" + (place.root() / "codex").string()};
  std::filesystem::create_directories(place.root() / "codex");
  write_file(
      place.root() / "codex/config.toml",
      "model = \"gpt-5.5\"\nmodel_provider = \"test\"\n[model_providers.test]\nname = \"test\"\n"
      "base_url = \"" +
          model_url +
          "/v1\"\nwire_api = \"responses\"\n"
          "env_key = \"MODEL_KEY\"\nrequest_max_retries = 1\nstream_max_retries = 1\n"
          "[features]\nplugins = false\n[analytics]\nenabled = false\n");
}

}  // namespace dragoman::test
