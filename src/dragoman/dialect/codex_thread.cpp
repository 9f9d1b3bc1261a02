// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/dialect/codex_reader.hpp"

namespace dragoman {

// Whose line it is: the server sends those of every thread through one pipe. A line that names no
// thread is the session's own.
void CodexReader::attribute(const Value& thread, LineEvents& events) {
  const std::string_view id = string(thread);
  if (id.empty() || id == thread_) return;
  if (thread_.empty()) {
    thread_ = id;
  } else {
    other_thread_ = id;
    events.set_parent(arena_.copy(subagent(id).parent));
  }
}

// What a call or an item is called in events. Each thread names its own, so two of them may use one
// id; those of the session are told as they are.
std::string_view CodexReader::id_of(const Value& id) {
  const std::string_view plain = id.is(json::Kind::number) ? id.raw : string(id);
  if (other_thread_.empty() || plain.empty()) return plain;
  return arena_.copy(fmt::format("{}@{}", plain, other_thread_));
}

// The same for a call, which needs an id: one without is named by us, and its end goes with the
// first call of that tool that waits for one.
std::string_view CodexReader::call_id(const Value& id, std::string_view tool, Phase phase,
                                      const LineEvents& events) {
  if (const std::string_view given = id_of(id); !given.empty()) return given;
  if (phase == Phase::completed) {
    for (const RunningTool* open : tools_.all()) {
      const bool ours = open->id.starts_with("tool-") && open->tool == tool;
      if (ours && open->parent == events.origin().parent) return arena_.copy(open->id);
    }
  }
  return arena_.copy(fmt::format("tool-{}", ++unnamed_tools_));
}

// Whether a thread that begins is the session or the next one, and not that of an agent which the
// session started. The server says which call a thread came from only when that call is over, so
// we go by what runs meanwhile.
bool CodexReader::is_session(std::string_view thread) {
  if (thread_.empty() || thread == thread_) return true;
  const Subagent* const known = find_subagent(thread);
  const bool started_by_a_call = known != nullptr && known->parent != thread;
  return !in_turn_ && !started_by_a_call && spawning_call().empty();
}

void CodexReader::begin_subagent(std::string_view thread, std::string_view line,
                                 LineEvents& events) {
  events.set_parent(arena_.copy(subagent(thread).parent));
  activity(line, {}, events);
}

// Other calls, such as the one that waits for an agent, begin no thread.
bool CodexReader::spawns_agent(const CodexItem& call) {
  return string(call.tool).substr(0, 5) == "spawn";
}

// A call that starts an agent names the agent's thread.
void CodexReader::name_subagents(const CodexItem& call) {
  if (!spawns_agent(call) || !call.receivers.is(json::Kind::array)) return;
  json::Cursor cursor(call.receivers.raw);
  for (json::Elements elements(cursor); elements.next();) {
    const std::string_view thread = string(cursor.take());
    if (thread.empty() || thread == thread_) continue;
    const auto known = std::ranges::find(subagents_, thread, &Subagent::thread);
    if (known == subagents_.end()) {
      remember_subagent(thread, id_of(call.id));
    } else if (known->parent == thread) {  // it spoke before its call named it
      known->parent = id_of(call.id);
      for (RunningTool* tool : tools_.all()) {
        if (tool->parent == thread) tool->parent = known->parent;
      }
    }
  }
}

const CodexReader::Subagent& CodexReader::subagent(std::string_view thread) {
  const Subagent* const known = find_subagent(thread);
  return known != nullptr ? *known : remember_subagent(thread, spawning_call());
}

const CodexReader::Subagent* CodexReader::find_subagent(std::string_view thread) const {
  const auto at = std::ranges::find(subagents_, thread, &Subagent::thread);
  return at != subagents_.end() ? &*at : nullptr;
}

const CodexReader::Subagent& CodexReader::remember_subagent(std::string_view thread,
                                                            std::string_view call) {
  constexpr std::size_t kMostSubagents = 256;
  const std::string_view parent = call.empty() || has_thread(call) ? thread : call;
  Subagent added{std::string(thread), std::string(parent)};
  if (subagents_.size() >= kMostSubagents) subagents_.erase(subagents_.begin());
  return subagents_.emplace_back(std::move(added));
}

// The one call that may have started a thread nobody announced; empty when there are several.
std::string_view CodexReader::spawning_call() {
  std::string_view call;
  for (const RunningTool* tool : tools_.all()) {
    if (!tool->spawns || has_thread(tool->id)) continue;
    if (!call.empty()) return {};
    call = tool->id;
  }
  return call;
}

bool CodexReader::has_thread(std::string_view call) const {
  return std::ranges::find(subagents_, call, &Subagent::parent) != subagents_.end();
}

void CodexReader::count_item(const LineEvents& events) {
  had_item_ = had_item_ || (in_turn_ && !is_subagents(events));
}

}  // namespace dragoman
