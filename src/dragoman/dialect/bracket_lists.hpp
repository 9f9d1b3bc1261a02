// SPDX-License-Identifier: Apache-2.0
// Bracket markers whose lines are lists, and those that are one line with a little grammar.
#pragma once

#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/bracket_block.hpp"
#include "dragoman/dialect/finding.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

// "- path (created|modified|deleted|…) note", claimed by the agent.
[[nodiscard]] Payload read_files(const BracketBlock& block, Arena& arena, Findings& findings);
// "type=context7 library="react" query="useEffect cleanup""
[[nodiscard]] Payload read_need_context(std::string_view content, Arena& arena, Findings& findings);
// "passed=45 failed=2" or "45 passed, 2 failed", then "- name (passed|failed|skipped) note"
// Other pairs are added to `extra`.
[[nodiscard]] Payload read_tests(const BracketBlock& block, Arena& arena, Findings& findings,
                                 std::vector<Extra>& extra);
// "- path:line[:col]: [error|warning|info] message [rule]"
[[nodiscard]] Payload read_lint(const BracketBlock& block, Arena& arena);
// "name[@version] [(manager)] [- reason]"
[[nodiscard]] Payload read_dependencies(const BracketBlock& block, Arena& arena,
                                        Findings& findings);
// "[WXCODE:TAG] value"
[[nodiscard]] Payload read_tag(std::string_view tag, std::string_view value, Arena& arena,
                               Findings& findings);

}  // namespace dragoman
