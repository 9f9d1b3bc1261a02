// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/lists.hpp"

#include <charconv>
#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/compose.hpp"
#include "dragoman/mcp/protocol.hpp"

namespace dragoman::mcp {
namespace {

using json::Writer;

void put(Writer& w, std::string_view key, const std::string& value) {
  if (!value.empty()) w.key(key).string(value);
}

void put_resource(Writer& w, const ResourceSpec& resource, std::string_view uri) {
  w.begin_object().key(uri).string(resource.uri).name("name").string(resource.name);
  put(w, "title", resource.title);
  put(w, "description", resource.description);
  put(w, "mimeType", resource.mime_type);
  w.end_object();
}

}  // namespace

std::optional<Page> page_of(std::string_view cursor, std::size_t size) {
  Page page;
  if (!cursor.empty()) {
    if (cursor.front() != 'p') return std::nullopt;
    const auto [end, failed] =
        std::from_chars(cursor.data() + 1, cursor.data() + cursor.size(), page.first, 36);
    if (failed != std::errc() || end != cursor.data() + cursor.size()) return std::nullopt;
    if (page.first == 0 || page.first % kPageSize != 0) return std::nullopt;
    // A list may have become shorter since the cursor was given out: the page is then empty.
    page.first = std::min(page.first, size);
  }
  page.last = std::min(size, page.first + kPageSize);
  if (page.last < size) {
    char text[16];
    const auto end = std::to_chars(std::begin(text), std::end(text), page.last, 36);
    page.next.assign(1, 'p').append(std::begin(text), end.ptr);
  }
  return page;
}

void append_tool(std::string& out, const ToolSpec& tool, Era era) {
  Writer w(out);
  w.begin_object().name("name").string(tool.name);
  put(w, "title", tool.title);
  put(w, "description", tool.description);
  w.name("inputSchema").raw({tool.input_schema});
  if (!tool.output_schema.empty()) w.name("outputSchema").raw({tool.output_schema});
  if (!tool.annotations.empty()) w.name("annotations").raw({tool.annotations});
  if (era == Era::legacy && tool.task_support != TaskSupport::forbidden) {
    w.name("execution").begin_object().name("taskSupport");
    w.word(tool.task_support == TaskSupport::required ? "required" : "optional").end_object();
  }
  w.end_object();
}

void append_resource(std::string& out, const ResourceSpec& resource) {
  Writer w(out);
  put_resource(w, resource, "uri");
}

void append_template(std::string& out, const ResourceSpec& resource) {
  Writer w(out);
  put_resource(w, resource, "uriTemplate");
}

void append_prompt(std::string& out, const PromptSpec& prompt) {
  Writer w(out);
  w.begin_object().name("name").string(prompt.name);
  put(w, "title", prompt.title);
  put(w, "description", prompt.description);
  w.name("arguments").begin_array();
  for (const PromptArgument& argument : prompt.arguments) {
    w.begin_object().name("name").string(argument.name);
    put(w, "description", argument.description);
    w.name("required").boolean(argument.required).end_object();
  }
  w.end_array().end_object();
}

std::string implementation(const ServerInfo& info) {
  std::string out;
  Writer w(out);
  w.begin_object().name("name").string(info.name);
  put(w, "title", info.title);
  w.name("version").string(info.version).end_object();
  return out;
}

std::string capabilities(const Abilities& abilities, Era era, std::string_view version) {
  std::string out;
  Writer w(out);
  const auto list = [&](bool subscribe) {
    w.begin_object();
    if (subscribe) w.name("subscribe").boolean(true);
    if (abilities.lists_change) w.name("listChanged").boolean(true);
    w.end_object();
  };
  const auto empty = [&] { w.begin_object().end_object(); };
  w.begin_object().name("tools");
  list(false);
  if (abilities.resources) {
    w.name("resources");
    list(abilities.changes);
  }
  if (abilities.prompts) {
    w.name("prompts");
    list(false);
  }
  if (abilities.completions) {
    w.name("completions");
    empty();
  }
  w.name("logging");
  empty();
  if (abilities.tasks && era == Era::modern) {
    w.name("extensions").begin_object().key(kTasksExtension);
    empty();
    w.end_object();
  } else if (abilities.tasks && version == kLatestLegacy) {
    w.name("tasks").begin_object();
    if (abilities.task_list) {
      w.name("list");
      empty();
    }
    w.name("cancel");
    empty();
    w.name("requests").begin_object().name("tools").begin_object().name("call");
    empty();
    w.end_object().end_object().end_object();
  }
  w.end_object();
  return out;
}

void append_tool_result(std::string& out, const ToolResult& result) {
  out.append(R"("content":[)");
  if (!result.text.empty()) {
    out.append(R"({"type":"text","text":)");
    json::append_string(out, std::string_view(result.text));
    out.push_back('}');
  }
  if (!result.content.empty()) {
    if (!result.text.empty()) out.push_back(',');
    out.append(result.content);
  }
  out.push_back(']');
  if (!result.structured.empty()) {
    out.append(R"(,"structuredContent":)").append(result.structured);
  }
  if (result.is_error) out.append(R"(,"isError":true)");
}

void append_input_requests(std::string& out, const std::vector<InputRequest>& requests) {
  Writer w(out);
  w.begin_object();
  for (const InputRequest& request : requests) {
    w.key(request.key).begin_object().name("method").string(request.method);
    w.name("params").raw({request.params.empty() ? std::string_view("{}") : request.params});
    w.end_object();
  }
  w.end_object();
}

void append_task(std::string& out, const TaskView& task, Era era) {
  const bool modern = era == Era::modern;
  out.append(R"("taskId":)");
  json::append_string(out, std::string_view(task.id));
  out.append(R"(,"status":")").append(name(task.status)).push_back('"');
  if (!task.message.empty()) {
    out.append(R"(,"statusMessage":)");
    json::append_string(out, std::string_view(task.message));
  }
  out.append(R"(,"createdAt":")").append(iso_time(task.created_at));
  out.append(R"(","lastUpdatedAt":")").append(iso_time(task.updated_at));
  out.append(modern ? R"(","ttlMs":)" : R"(","ttl":)");
  out.append(task.ttl_ms ? std::to_string(*task.ttl_ms) : "null");
  out.append(modern ? R"(,"pollIntervalMs":)" : R"(,"pollInterval":)");
  out.append(std::to_string(task.poll_ms));
}

std::string iso_time(std::int64_t milliseconds) {
  const auto second = std::chrono::sys_seconds(std::chrono::seconds(milliseconds / 1000));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", second, milliseconds % 1000);
}

}  // namespace dragoman::mcp
