// SPDX-License-Identifier: Apache-2.0
// What a run is called.
//
// "r-" and eight letters is its one id: of every command, file, address and record. The Delegator's
// tools say "T-local-" and the same letters. Runs from before these ids keep the long "T-local-…"
// that they were given.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman {

inline constexpr std::string_view kRunIdPrefix = "r-";
inline constexpr std::string_view kTaskIdPrefix = "T-local-";
inline constexpr std::size_t kRunIdLetters = 8;  // 40 bits: another one is drawn where one is taken
inline constexpr std::string_view kRunIdAlphabet = "abcdefghijklmnopqrstuvwxyz234567";

[[nodiscard]] bool is_run_id(std::string_view text);   // r-k3vqm2xa
[[nodiscard]] bool is_task_id(std::string_view text);  // T-local-… or T-cloud-…, of any length

// What the Delegator's tools call the run: T-local-k3vqm2xa for r-k3vqm2xa, else the id itself.
[[nodiscard]] std::string task_id_of(std::string_view run);
// The id of the run that is called so: r-k3vqm2xa for T-local-k3vqm2xa, else the words themselves.
[[nodiscard]] std::string run_id_of(std::string_view task_id);
// The run whose directory has this name: its id, with a number behind it for a later attempt.
// Empty: the name is no id.
[[nodiscard]] std::string run_id_in(std::string_view directory_name);

}  // namespace dragoman
