// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/environment_templates.hpp"

#include <algorithm>

#include "dragoman/json/writer.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::string_view kScriptHead = R"sh(#!/usr/bin/env bash
set -euo pipefail
)sh";

// The token goes into a file that only git reads and only we may open: never into a URL, which
// would show it in every remote, and not into a variable, which the agent does not have.
constexpr std::string_view kGit = R"sh(
git config --global user.name "${GIT_USER_NAME:-Codex Agent}"
git config --global user.email "${GIT_USER_EMAIL:-codex@example.com}"

if [ -n "${GITHUB_TOKEN:-}" ]; then
  credentials="${XDG_CONFIG_HOME:-$HOME/.config}/codex/github-credentials"
  mkdir -p "$(dirname "$credentials")"
  (umask 077 && touch "$credentials")
  git config --global credential.https://github.com.helper "store --file=$credentials"
  printf 'protocol=https\nhost=github.com\nusername=x-access-token\npassword=%s\n\n' \
    "$GITHUB_TOKEN" | git credential-store --file="$credentials" store
else
  echo "warning: GITHUB_TOKEN is not set, git cannot push" >&2
fi
)sh";

constexpr std::string_view kGh = R"sh(
install_gh() {
  if command -v gh > /dev/null; then
    return 0
  fi
  if command -v apt-get > /dev/null && apt-get install -y gh > /dev/null 2>&1; then
    return 0
  fi
  local machine version archive
  case "$(uname -m)" in
    x86_64) machine=amd64 ;;
    aarch64) machine=arm64 ;;
    *) return 1 ;;
  esac
  version=2.62.0
  archive="gh_${version}_linux_${machine}.tar.gz"
  curl -fsSL --retry 3 -o "/tmp/$archive" \
    "https://github.com/cli/cli/releases/download/v${version}/$archive" || return 1
  mkdir -p "$HOME/.local/bin"
  tar -xzf "/tmp/$archive" -C /tmp || return 1
  cp "/tmp/${archive%.tar.gz}/bin/gh" "$HOME/.local/bin/gh"
}
if install_gh; then
  export PATH="$HOME/.local/bin:$PATH"
  if [ -n "${GITHUB_TOKEN:-}" ]; then
    printf '%s\n' "$GITHUB_TOKEN" |
      env -u GITHUB_TOKEN -u GH_TOKEN gh auth login --hostname github.com --with-token ||
      echo "warning: gh cannot log in" >&2
  fi
else
  echo "warning: gh is not installed, pull requests have to be opened by hand" >&2
fi
)sh";

constexpr std::string_view kNode = R"sh(
if [ -f pnpm-lock.yaml ]; then
  corepack enable
  pnpm install --frozen-lockfile
elif [ -f yarn.lock ]; then
  corepack enable
  yarn install --frozen-lockfile
elif [ -f package-lock.json ]; then
  npm ci
elif [ -f package.json ]; then
  npm install
fi
)sh";

constexpr std::string_view kPython = R"sh(
if [ ! -d .venv ]; then
  python3 -m venv .venv
fi
# shellcheck disable=SC1091 # it is made above
. .venv/bin/activate
if [ -f requirements.txt ]; then
  pip install -r requirements.txt
fi
if [ -f requirements-dev.txt ]; then
  pip install -r requirements-dev.txt
fi
if [ -f pyproject.toml ]; then
  pip install -e .
fi
)sh";

constexpr std::string_view kGo = R"sh(
if [ -f go.mod ]; then
  go mod download
fi
)sh";

constexpr std::string_view kRust = R"sh(
if [ -f Cargo.toml ]; then
  cargo fetch
fi
)sh";

std::string summary(std::string_view tool) {
  std::string text = "\necho \"ready: $(git config --global user.name)";
  if (!tool.empty()) {
    text += ", $(";
    text += tool;
    text += " 2> /dev/null | head -n 1 || true)";
  }
  return text + "\"\n";
}

EnvironmentTemplate for_stack(std::string id, std::string name, std::vector<std::string> types,
                              std::string_view install, std::string_view version,
                              std::pair<std::string, std::string> variable) {
  EnvironmentTemplate made;
  made.id = std::move(id);
  made.description =
      "GitHub repository with " + name + ": git and gh with a token, dependencies installed";
  made.name = std::move(name);
  made.repo_types = std::move(types);
  made.setup_script = std::string(kScriptHead) + std::string(kGit) + std::string(kGh) +
                      std::string(install) + summary(version);
  made.maintenance_script =
      std::string(kScriptHead) + std::string(kGit) + std::string(install) + summary(version);
  made.required_secrets = {"GITHUB_TOKEN"};
  made.variables = {{"GIT_USER_NAME", "Codex Agent"},
                    {"GIT_USER_EMAIL", "codex@example.com"},
                    std::move(variable)};
  made.instructions =
      "Create an environment for the repository. Add the secret GITHUB_TOKEN (a fine-grained token "
      "for this repository alone), the variables, the setup script and the maintenance script. "
      "_codex_cloud_github_setup writes the whole guide.";
  return made;
}

EnvironmentTemplate basic() {
  EnvironmentTemplate made;
  made.id = "basic-codex-cloud";
  made.name = "Basic";
  made.description = "Any repository, without access to GitHub";
  made.repo_types = {"any"};
  const std::string script = std::string(kScriptHead) + "\necho \"ready: $(pwd)\"\n";
  made.setup_script = script;
  made.maintenance_script = script;
  made.instructions =
      "Create an environment for the repository with these scripts. The agent can "
      "read and change files; it cannot push.";
  return made;
}

}  // namespace

std::span<const EnvironmentTemplate> environment_templates() {
  static const std::vector<EnvironmentTemplate> kAll = {
      for_stack("github-node-typescript", "Node.js and TypeScript", {"node", "typescript"}, kNode,
                "node --version", {"NODE_ENV", "development"}),
      for_stack("github-python", "Python", {"python"}, kPython, "python3 --version",
                {"PYTHONUNBUFFERED", "1"}),
      for_stack("github-go", "Go", {"go"}, kGo, "go version", {"GO111MODULE", "on"}),
      for_stack("github-rust", "Rust", {"rust"}, kRust, "cargo --version", {"RUST_BACKTRACE", "1"}),
      basic(),
  };
  return kAll;
}

const EnvironmentTemplate* find_environment_template(std::string_view id) {
  const auto all = environment_templates();
  const auto found = std::ranges::find(all, id, &EnvironmentTemplate::id);
  return found == all.end() ? nullptr : &*found;
}

const EnvironmentTemplate* template_for_stack(std::string_view stack) {
  const auto all = environment_templates();
  const auto found = std::ranges::find_if(
      all, [&](const EnvironmentTemplate& each) { return each.repo_types.front() == stack; });
  return found == all.end() ? nullptr : &*found;
}

std::string template_json(const EnvironmentTemplate& of) {
  std::string out;
  json::Writer w(out);
  w.begin_object().name("name").string(of.name).name("description").string(of.description);
  w.name("repoTypes").begin_array();
  for (const auto& type : of.repo_types) w.string(type);
  w.end_array();
  w.name("setupScript").string(of.setup_script);
  w.name("maintenanceScript").string(of.maintenance_script);
  w.name("requiredSecrets").begin_array();
  for (const auto& secret : of.required_secrets) w.string(secret);
  w.end_array();
  w.name("environmentVariables").begin_object();
  for (const auto& [name, value] : of.variables) w.key(name).string(value);
  w.end_object();
  w.name("instructions").string(of.instructions);
  w.end_object();
  return out;
}

}  // namespace dragoman::mcp
