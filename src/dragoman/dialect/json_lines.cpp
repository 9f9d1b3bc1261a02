// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/json_lines.hpp"

#include <string>

#include <fmt/format.h>

namespace dragoman {
namespace {

// Where the first byte that is no white space stands; npos in a blank line.
std::size_t first_ink(std::string_view text, std::size_t from = 0) {
  return text.find_first_not_of(" \t\r\n", from);
}

std::string_view fault_reason(const Line& line, json::Fault fault) {
  if (fault == json::Fault::too_deep) return "too_deep";
  if (fault == json::Fault::truncated && !line.terminated) return "truncated_tail";
  return "bad_json";
}

}  // namespace

// An array counts only when it holds objects: "[WARN] disk is full" is no broken JSON.
bool JsonLines::is_json(const Line& line, LineEvents& events) {
  if (line.oversize) {
    events.emit(Oversize{line.bytes, line.head, line.tail}, Channel::system);
    return false;
  }
  const std::string_view content = line.content;
  const std::size_t start = first_ink(content);
  if (start == std::string_view::npos) return false;
  if (content[start] == '{') return true;
  if (content[start] == '[') {
    const std::size_t inside = first_ink(content, start + 1);
    if (inside != std::string_view::npos && content[inside] == '{') return true;
  }
  events.emit(DisplayText{json::Text(content), std::nullopt}, Channel::noise);
  events.finding("noise", Level::info, "a line that is no JSON", Channel::noise);
  return false;
}

LineEvents JsonLines::behind_the_end(EventSink& out) const {
  Line end;
  end.offset = splitter_.offset();
  end.number = splitter_.lines() == 0 ? 1 : splitter_.lines();
  return {out, dialect_, stream_, end, form_level()};
}

void JsonLines::report_fault(const Line& line, const json::Cursor& cursor, LineEvents& events,
                             Arena& arena) {
  const std::string detail =
      fmt::format("{} at byte {}", json::name(cursor.fault()), cursor.fault_at());
  Malformed malformed;
  malformed.raw = line.content;
  malformed.reason = fault_reason(line, cursor.fault());
  malformed.detail = arena.copy(detail);
  events.emit(malformed, Channel::system);
}

void JsonLines::report_unknown(const Line& line, std::string_view json, std::string_view type,
                               LineEvents& events, Arena& arena) {
  json::Cursor cursor(json, json::Cursor::Scalars::exact);
  const json::Value whole = cursor.take();
  if (!cursor.finish()) {
    report_fault(line, cursor, events, arena);
    return;
  }
  events.emit(Unknown{type, Raw{whole.raw}}, Channel::system);
}

}  // namespace dragoman
