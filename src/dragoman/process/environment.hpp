// SPDX-License-Identifier: Apache-2.0
// The environment of a child: what it needs, not what we happen to have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/process/own_environment.hpp"

namespace dragoman::process {

enum class EnvironmentPolicy : std::uint8_t {
  clean,       // only what is named
  allow_list,  // what programs need to run (PATH, HOME, LANG, TERM, proxies, …), and what is named
  inherit,     // everything of ours, except what would make an agent believe it runs in another one
};
[[nodiscard]] std::string_view name(EnvironmentPolicy policy);
[[nodiscard]] std::optional<EnvironmentPolicy> environment_policy_named(std::string_view name);

// `named` are the words of --env: NAME (the value is taken from `ours`; absent there, absent in the
// child) and NAME=value, which wins over everything. Sorted by name, each name once.
[[nodiscard]] std::vector<std::string> make_environment(EnvironmentPolicy policy,
                                                        const std::vector<std::string>& ours,
                                                        const std::vector<std::string>& named);

// The names alone: what a recording may say about an environment.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<std::string>& environment);

// Whether a variable of that name is taken for a secret.
[[nodiscard]] bool says_secret(std::string_view name);
// Whether the line carries a secret: its name says so, or it is an address with credentials.
[[nodiscard]] bool is_secret_line(std::string_view line);

// Values of at least 8 bytes whose names say that they are secret (KEY, TOKEN, SECRET, PASSWORD,
// …): what redact::Filter is given. Taken from ours and the child's. Paths of files that exist are
// left out.
[[nodiscard]] std::vector<std::string> secret_values(const std::vector<std::string>& environment);

}  // namespace dragoman::process
