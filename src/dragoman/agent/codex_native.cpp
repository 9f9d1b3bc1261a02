// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/codex_native.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace dragoman::agent {
namespace {

namespace fs = std::filesystem;

struct Platform {
  std::string_view machine;
  std::string_view package;
  std::string_view target;
};
constexpr std::array<Platform, 2> kPlatforms = {
    Platform{"x86_64", "codex-linux-x64", "x86_64-unknown-linux-musl"},
    {"aarch64", "codex-linux-arm64", "aarch64-unknown-linux-musl"}};

bool executable(const fs::path& path) { return ::access(path.c_str(), X_OK) == 0; }

}  // namespace

std::string native_codex(const std::string& path) {
  std::error_code failed;
  const fs::path wrapper = fs::canonical(path, failed);
  if (failed || wrapper.extension() != ".js") return {};
  const fs::path package = wrapper.parent_path().parent_path();  // …/@openai/codex
  utsname machine = {};
  ::uname(&machine);
  for (const Platform& platform : kPlatforms) {
    if (platform.machine != machine.machine) continue;
    for (const fs::path& root :
         {package.parent_path() / platform.package / "vendor",
          package / "node_modules/@openai" / platform.package / "vendor", package / "vendor"}) {
      const fs::path native = root / platform.target / "bin/codex";
      if (executable(native)) return native.string();
    }
  }
  return {};
}

}  // namespace dragoman::agent
