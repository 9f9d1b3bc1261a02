// SPDX-License-Identifier: Apache-2.0
// The commands, one file each.
#pragma once

#include "dragoman/cli/command.hpp"

namespace dragoman::cli {

[[nodiscard]] CommandSpec parse_command();
[[nodiscard]] CommandSpec emit_command();
[[nodiscard]] CommandSpec check_command();
[[nodiscard]] CommandSpec convert_command();
[[nodiscard]] CommandSpec show_command();
[[nodiscard]] CommandSpec run_command();
[[nodiscard]] CommandSpec replay_command();
[[nodiscard]] CommandSpec verdict_command();
[[nodiscard]] CommandSpec task_command();
[[nodiscard]] CommandSpec send_command();
[[nodiscard]] CommandSpec interrupt_command();
[[nodiscard]] CommandSpec worker_command();
[[nodiscard]] CommandSpec ask_command();
[[nodiscard]] CommandSpec answer_command();
[[nodiscard]] CommandSpec serve_command();
[[nodiscard]] CommandSpec mcp_command();
[[nodiscard]] CommandSpec schema_command();
[[nodiscard]] CommandSpec commands_command();
[[nodiscard]] CommandSpec prompt_command();
[[nodiscard]] CommandSpec completion_command();
[[nodiscard]] CommandSpec doctor_command();
[[nodiscard]] CommandSpec help_command();

[[nodiscard]] std::vector<std::string_view> kind_names();
// The commands of the WXCODE catalogue.
[[nodiscard]] std::vector<std::string_view> catalog_names();

}  // namespace dragoman::cli
