// SPDX-License-Identifier: Apache-2.0
// What a box offers, as the protocol writes it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/mcp/tool.hpp"

namespace dragoman::mcp {

// A page of `size` elements that begins where `cursor` says.
struct Page {
  std::size_t first = 0;
  std::size_t last = 0;  // behind it
  std::string next;      // the cursor of the next page; empty: this is the last
};
// Absent: the cursor is none of ours. The empty cursor is the beginning.
[[nodiscard]] std::optional<Page> page_of(std::string_view cursor, std::size_t size);

// One element each.
void append_tool(std::string& out, const ToolSpec& tool, Era era);
void append_resource(std::string& out, const ResourceSpec& resource);
void append_template(std::string& out, const ResourceSpec& resource);
void append_prompt(std::string& out, const PromptSpec& prompt);

// {"name":…,"title":…,"version":…}
[[nodiscard]] std::string implementation(const ServerInfo& info);
[[nodiscard]] std::string capabilities(const Abilities& abilities, Era era,
                                       std::string_view version);

// "content":[…],… of a tool's result
void append_tool_result(std::string& out, const ToolResult& result);
// {"key":{"method":…,"params":…},…}
void append_input_requests(std::string& out, const std::vector<InputRequest>& requests);

// The members of a task: "taskId":…,"status":…
void append_task(std::string& out, const TaskView& task, Era era);

// 2026-11-15T10:05:22.123Z
[[nodiscard]] std::string iso_time(std::int64_t milliseconds);

}  // namespace dragoman::mcp
