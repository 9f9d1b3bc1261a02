// SPDX-License-Identifier: Apache-2.0
// Where the real agents are, and the model they talk to.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {

inline std::filesystem::path agents() {
  const char* const other = std::getenv("DRAGOMAN_AGENTS_DIR");
  return other != nullptr ? std::filesystem::path(other)
                          : source_dir() / "tests/agents/node_modules";
}

// The model server, for as long as the tests run.
class Model {
 public:
  Model()
      : server_("/usr/bin/env",
                {.arguments = {"node", (source_dir() / "tests/agents/model_server.mjs").string(),
                               (dir_.path() / "port").string()},
                 .environment = {"PATH=/usr/local/bin:/usr/bin:/bin"}}) {
    EXPECT_TRUE(eventually([&] {
      return std::filesystem::exists(dir_.path() / "port") &&
             !read_file(dir_.path() / "port").empty();
    }));
    port_ = read_file(dir_.path() / "port");
    port_.erase(port_.find_last_not_of('\n') + 1);
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + port_; }

 private:
  TempDir dir_;
  Running server_;
  std::string port_;
};

}  // namespace dragoman::test
