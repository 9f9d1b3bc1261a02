// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "dragoman/base/ascii.hpp"
#include "dragoman/redact/names.hpp"

namespace dragoman::process {
namespace {

// What programs need to find themselves, their user, their language, their terminal and the
// network. No name here is one that carries a secret, except proxies with credentials in their
// address.
constexpr std::array<std::string_view, 44> kAllowed = {
    "COLORTERM",
    "COLUMNS",
    "CURL_CA_BUNDLE",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "EDITOR",
    "HOME",
    "HOSTNAME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LANGUAGE",
    "LINES",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NO_COLOR",
    "NO_PROXY",
    "NVM_DIR",
    "PATH",
    "PWD",
    "REQUESTS_CA_BUNDLE",
    "SHELL",
    "SSH_AUTH_SOCK",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TEMP",
    "TERM",
    "TERM_PROGRAM",
    "TMP",
    "TMPDIR",
    "TRACEPARENT",
    "TZ",
    "USER",
    "VISUAL",
    "WAYLAND_DISPLAY",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "http_proxy",
    "https_proxy",
};

bool is_allowed(std::string_view name) {
  return std::find(kAllowed.begin(), kAllowed.end(), name) != kAllowed.end() ||
         name == "no_proxy" || name.starts_with("LC_");
}

// An agent that is started by another one must not take itself for a part of it.
bool is_of_another_agent(std::string_view name) {
  return name.starts_with("CLAUDECODE") || name.starts_with("CLAUDE_CODE_ENTRYPOINT") ||
         name.starts_with("CLAUDE_CODE_SSE_PORT") || name.starts_with("CODEX_SANDBOX") ||
         name == "CODEX_THREAD_ID";
}

std::string_view name_in(std::string_view line) { return line.substr(0, line.find('=')); }

// Wider than what is looked for in texts: a variable that is kept to ourselves for nothing costs
// nothing.
bool hints_at_secret(std::string_view name) {
  constexpr std::array<std::string_view, 9> kWords = {"KEY",  "TOKEN",   "SECRET",  "PASS",  "_PWD",
                                                      "AUTH", "PRIVATE", "WEBHOOK", "COOKIE"};
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(), ascii::upper);
  if (upper.starts_with("SSH_AUTH_SOCK") || upper.starts_with("XAUTHORITY")) return false;
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

// A path to a secret is none. Base64 may begin with a slash too, but it leads nowhere.
bool names_a_file(const std::string& value) {
  return value.starts_with('/') && ::access(value.c_str(), F_OK) == 0;
}

}  // namespace

bool says_secret(std::string_view name) {
  if (name == "PWD" || name == "OLDPWD" || name.starts_with("SSH_AUTH_SOCK")) return false;
  return redact::what_name_says(name) != redact::NameSays::nothing;
}

std::string_view name(EnvironmentPolicy policy) {
  switch (policy) {
    case EnvironmentPolicy::clean:
      return "clean";
    case EnvironmentPolicy::allow_list:
      return "allow-list";
    case EnvironmentPolicy::inherit:
      return "inherit";
  }
  return {};
}

std::optional<EnvironmentPolicy> environment_policy_named(std::string_view wanted) {
  for (const auto policy :
       {EnvironmentPolicy::clean, EnvironmentPolicy::allow_list, EnvironmentPolicy::inherit}) {
    if (name(policy) == wanted) return policy;
  }
  return std::nullopt;
}

std::vector<std::string> make_environment(EnvironmentPolicy policy,
                                          const std::vector<std::string>& ours,
                                          const std::vector<std::string>& named) {
  std::map<std::string, std::string, std::less<>> chosen;  // name -> line
  std::map<std::string_view, std::string_view> present;
  for (const std::string& line : ours) {
    const std::string_view name = name_in(line);
    if (name.empty() || name.size() == line.size()) continue;
    present.emplace(name, line);
    const bool taken = policy == EnvironmentPolicy::inherit      ? !is_of_another_agent(name)
                       : policy == EnvironmentPolicy::allow_list ? is_allowed(name)
                                                                 : false;
    if (taken) chosen.emplace(name, line);
  }
  for (const std::string& word : named) {
    const std::string_view name = name_in(word);
    if (name.empty()) continue;
    if (name.size() != word.size()) {
      chosen.insert_or_assign(std::string(name), word);
    } else if (const auto found = present.find(name); found != present.end()) {
      chosen.insert_or_assign(std::string(name), std::string(found->second));
    }
  }
  std::vector<std::string> lines;
  lines.reserve(chosen.size());
  for (auto& [name, line] : chosen) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> names_of(const std::vector<std::string>& environment) {
  std::vector<std::string> names;
  names.reserve(environment.size());
  for (const std::string& line : environment) names.emplace_back(name_in(line));
  return names;
}

bool is_secret_line(std::string_view line) {
  const std::string_view name = name_in(line);
  if (says_secret(name) || hints_at_secret(name)) return true;
  // https://user:word@host
  const std::string_view value = line.substr(name.size());
  const std::size_t scheme = value.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view host = value.substr(scheme + 3);
  return host.substr(0, host.find('/')).find('@') != std::string_view::npos;
}

std::vector<std::string> secret_values(const std::vector<std::string>& environment) {
  constexpr std::size_t kShortest = 8;
  std::vector<std::string> values;
  for (const std::string& line : environment) {
    const std::string_view name = name_in(line);
    if (name.size() == line.size() || !says_secret(name)) continue;
    std::string value = line.substr(name.size() + 1);
    if (value.size() >= kShortest && !names_a_file(value)) values.push_back(std::move(value));
  }
  return values;
}

}  // namespace dragoman::process
