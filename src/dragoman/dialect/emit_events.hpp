// SPDX-License-Identifier: Apache-2.0
// Events from checked arguments: commands, questions and what bracket markers say.
#pragma once

#include "dragoman/dialect/emit_arguments.hpp"

namespace dragoman {

[[nodiscard]] Result<Payload> emit_header(const EmitArguments& a);
[[nodiscard]] Result<Payload> emit_next_action(const EmitArguments& a);
[[nodiscard]] Result<Payload> emit_question(const EmitArguments& a);
[[nodiscard]] Result<Payload> emit_progress(const EmitArguments& a);
[[nodiscard]] Result<Payload> emit_blocked(const EmitArguments& a);
[[nodiscard]] Result<Payload> emit_files_modified(const EmitArguments& a);
[[nodiscard]] Result<Payload> emit_complete(const EmitArguments& a);
[[nodiscard]] Result<Payload> emit_need_context(const EmitArguments& a);
[[nodiscard]] Result<Payload> emit_test_results(const EmitArguments& a);
[[nodiscard]] Result<Payload> emit_lint_warnings(const EmitArguments& a);
[[nodiscard]] Result<Payload> emit_dependency(const EmitArguments& a);
[[nodiscard]] Result<Payload> emit_commit(const EmitArguments& a);

}  // namespace dragoman
