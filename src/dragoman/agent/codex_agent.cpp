// SPDX-License-Identifier: Apache-2.0
// Codex: one turn each start, the prompt on stdin, JSON lines out. It never asks by itself; what it
// wants to know it says in markers, and hears with the next turn of its thread.
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "dragoman/agent/protocols.hpp"

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

// Options of `exec` stand before the word resume, which has fewer of its own.
Result<Launch> launch_codex(const AgentRow& agent, const Request& request, std::string_view session,
                            std::span<const Answered> answers, const Locate& locate) {
  DRAGOMAN_TRY(std::string program, locate(agent.program));
  Launch out{{std::move(program), "exec", "--json"}, words_for(request, answers)};
  add_option(out.argv, "--model", request.model);
  add_option(out.argv, "--sandbox", request.sandbox);
  add_option(out.argv, "--output-schema", request.output_schema);
  out.argv.insert(out.argv.end(), request.words.begin(), request.words.end());
  add_option(out.argv, "resume", session);
  out.argv.emplace_back("-");
  return out;
}

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
