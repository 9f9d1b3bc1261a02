// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <fmt/format.h>

#include "dragoman/dialect/claude_reader.hpp"
#include "dragoman/dialect/field_table.hpp"

namespace dragoman {
namespace {

std::span<const std::string_view> strings_of(const json::Value& list, Arena& arena) {
  if (!list.is(json::Kind::array)) return {};
  std::vector<std::string_view> items;
  json::Cursor cursor(list.raw);
  for (json::Elements elements(cursor); elements.next();) {
    const std::string_view item = string_of(cursor.take(), arena);
    if (item.data() != nullptr) items.push_back(item);
  }
  return arena.copy(std::span<const std::string_view>(items));
}

struct RawServer {
  json::Value name;
  json::Value status;
};
constexpr FieldTable kServer({
    Slot<RawServer>{"name", &RawServer::name},
    {"status", &RawServer::status},
});

std::span<const McpServer> servers_of(const json::Value& list, Arena& arena) {
  if (!list.is(json::Kind::array)) return {};
  std::vector<McpServer> servers;
  json::Cursor cursor(list.raw);
  for (json::Elements elements(cursor); elements.next();) {
    RawServer raw;
    read_object(cursor.take().raw, kServer, raw);
    servers.push_back({string_of(raw.name, arena), string_of(raw.status, arena)});
  }
  return arena.copy(std::span<const McpServer>(servers));
}

}  // namespace

// The last id a line named is the session, with one exception: a failed result before any init
// repeats the id it was asked for, which may never have existed.
void ClaudeReader::note_session(std::string_view type, LineEvents& events) {
  const bool transcript = line_.session_id_camel.is(json::Kind::string);
  const std::string_view id = string(transcript ? line_.session_id_camel : line_.session_id);
  if (id.empty() || type == "conversation_reset") return;
  if (type == "result" && line_.is_error.is_true() && !had_init_) return;
  if (last_session_ != id) last_session_ = id;
  if (line_.cwd.is(json::Kind::string)) cwd_ = string(line_.cwd);
  if (last_session_ == session_) return;
  // Lines that come before init name the session too, but only init says everything about it.
  if (transcript || type == "result") announce_session(id, events);
}

void ClaudeReader::announce_session(std::string_view id, LineEvents& events) {
  SessionStarted started;
  started.session_id = arena_.copy(id);
  if (!line_.cwd.absent()) started.cwd = string(line_.cwd);
  if (!line_.version.absent()) started.version = string(line_.version);
  if (line_.model.is(json::Kind::string)) started.model = string(line_.model);
  started.tools = strings_of(line_.tools, arena_);
  started.mcp_servers = servers_of(line_.mcp_servers, arena_);
  session_ = id;
  last_session_ = session_;
  events.emit(started, Channel::system);
}

// Comes again with every turn; the session starts only once.
void ClaudeReader::read_init(LineEvents& events) {
  if (had_init_) activity("turn_started", {}, events);
  had_init_ = true;
  earlier_answer_.swap(answer_);
  earlier_answer_known_ = answer_known_;
  answer_.clear();
  answer_id_.clear();
  answer_known_ = answer_lost_ = false;
  const std::string_view id = string(line_.session_id);
  if (!id.empty() && id == session_) return;
  announce_session(id, events);
  for (const McpServer& server : servers_of(line_.mcp_servers, arena_)) {
    if (server.status != "failed") continue;
    events.finding("mcp_server", Level::warning,
                   arena_.copy(fmt::format("MCP server {} failed to start", server.name)));
  }
  if (line_.mcp_server_errors.is(json::Kind::array) && line_.mcp_server_errors.raw != "[]") {
    events.finding("mcp_server", Level::warning, line_.mcp_server_errors.raw);
  }
}

}  // namespace dragoman
