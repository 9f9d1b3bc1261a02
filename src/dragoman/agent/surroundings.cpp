// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/surroundings.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "dragoman/process/command.hpp"

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

bool inside_marker(std::string_view name) {
  return name == "CLAUDECODE" || name == "CLAUDE_CODE_ENTRYPOINT" ||
         name.starts_with("CLAUDE_CODE_SSE_") || name.starts_with("CLAUDE_CODE_SESSION") ||
         name.starts_with("CODEX_SANDBOX") || name.starts_with("CODEX_THREAD");
}

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

Result<std::string> locate_program(std::string_view name,
                                   const std::vector<std::string>& environment) {
  DRAGOMAN_TRY(std::string found, process::find_program(std::string(name), environment));
  if (name != "codex") return found;
  std::string native = native_codex(found);
  return native.empty() ? found : native;
}

std::vector<std::string> variables_for(const Agent& agent, const std::vector<std::string>& ours) {
  std::vector<std::string> names;
  for (const std::string& variable : ours) {
    const std::string name = variable.substr(0, variable.find('='));
    const auto wanted = agent.variables();
    const bool meant = std::any_of(wanted.begin(), wanted.end(), [&](std::string_view word) {
      return word.ends_with('_') ? name.starts_with(word) : name == word;
    });
    if (meant && !inside_marker(name)) names.push_back(name);
  }
  return names;
}

}  // namespace dragoman::agent
