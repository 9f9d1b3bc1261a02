// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/wxcode_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/command_catalog.hpp"
#include "dragoman/json/duplicate_keys.hpp"
#include "dragoman/json/number.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

using json::Value;

// Takes typed fields out of a payload and remembers which were wanted and missing.
class Fields {
 public:
  Fields(const WxcodeMarker& marker, Arena& arena, Findings& findings, WxcodeScratch& scratch)
      : arena_(arena), findings_(findings), members_(scratch.fields), missing_(scratch.missing) {
    members_.clear();
    missing_.clear();
    for (const auto& member : marker.members) {
      const std::string_view key =
          marker.payload.substr(member.key_begin, member.key_end - member.key_begin);
      add(member.key_escaped ? json::decode({key, true}, arena) : key, member, marker.payload);
    }
  }

  std::string_view text(std::string_view key, bool required = false) {
    Entry* entry = claim(key, required);
    if (entry == nullptr) return {};
    if (entry->value.kind != json::Kind::string) return give_back(*entry, "a string");
    const std::string_view inside = entry->value.raw.substr(1, entry->value.raw.size() - 2);
    const std::string_view decoded =
        entry->value.escaped ? json::decode({inside, true}, arena_) : inside;
    note_template(key, decoded);
    return decoded;
  }

  std::optional<Number> number(std::string_view key) {
    Entry* entry = claim(key, false);
    if (entry == nullptr) return std::nullopt;
    std::string_view spelled = entry->value.raw;
    if (entry->value.kind == json::Kind::string) {
      spelled = json::decode(entry->value.text(), arena_);
      const json::ParsedNumber parsed = json::parse_number(spelled);
      if (parsed.fault == json::NumberFault::none) {
        findings_.add("field_type", fmt::format("{} is a string; a number was expected", key));
        return parsed.value;
      }
    }
    if (entry->value.kind != json::Kind::number) {
      give_back(*entry, "a number");
      return std::nullopt;
    }
    return json::parse_number(spelled).value;
  }

  std::optional<bool> flag(std::string_view key) {
    Entry* entry = claim(key, true);
    if (entry == nullptr) return std::nullopt;
    if (entry->value.raw == R"("true")" || entry->value.raw == R"("false")") {
      findings_.add("field_type", fmt::format("{} is a string; true or false was expected", key));
      return entry->value.raw == R"("true")";
    }
    if (entry->value.kind != json::Kind::boolean) {
      give_back(*entry, "true or false");
      return std::nullopt;
    }
    return entry->value.is_true();
  }

  // HEADER's args: must be there, may be null.
  std::string_view nullable_text(std::string_view key) {
    const bool there = find(key) != nullptr;
    const std::string_view value = text(key);
    if (!there) missing_.push_back(key);
    return value;
  }

  void finish(std::vector<Extra>& extra) {
    extra.clear();
    for (const Entry& entry : members_) {
      if (!entry.claimed && entry.value.kind != json::Kind::null_) {
        extra.push_back({entry.key, Raw{entry.value.raw}});
      }
    }
    if (!missing_.empty()) {
      findings_.add("missing_field",
                    fmt::format("required and missing: {}", fmt::join(missing_, ", ")));
    }
  }

 private:
  using Entry = WxcodeField;

  void add(std::string_view key, const json::ObjectScanner::Member& member,
           std::string_view payload) {
    Entry* earlier = nullptr;
    if (members_.size() < kFewMembers) {
      earlier = find(key);
    } else {
      if (!seen_.has_value()) {
        seen_.emplace();
        for (const Entry& entry : members_) seen_->insert(entry.key);
      }
      if (!seen_->insert(key).second) earlier = find(key);
    }
    Entry& entry = earlier == nullptr ? members_.emplace_back() : *earlier;
    entry.key = key;
    // Member by member: copying a value whole stalls on its two small ones.
    entry.value.kind = member.kind;
    entry.value.escaped = member.value_escaped;
    entry.value.raw = payload.substr(member.value_begin, member.value_end - member.value_begin);
    const bool nested = member.kind == json::Kind::object || member.kind == json::Kind::array;
    if (nested && json::has_duplicate_keys(entry.value.raw)) {
      note_duplicate(fmt::format("a key inside {} is there twice", key));
    }
    if (earlier != nullptr) note_duplicate(fmt::format("{} is there twice", key));  // the last wins
  }

  void note_duplicate(std::string_view message) {
    if (!duplicate_noted_) findings_.add("duplicate_key", message);
    duplicate_noted_ = true;
  }

  Entry* find(std::string_view key) {
    for (Entry& entry : members_) {
      // The first byte tells most keys apart without a call.
      if (entry.key.size() == key.size() && (key.empty() || entry.key[0] == key[0]) &&
          entry.key == key) {
        return &entry;
      }
    }
    return nullptr;
  }

  // The entry when it has a value; null counts as absent.
  Entry* claim(std::string_view key, bool required) {
    Entry* entry = find(key);
    if (entry != nullptr && entry->value.kind != json::Kind::null_) {
      entry->claimed = true;
      return entry;
    }
    if (required) missing_.push_back(key);
    return nullptr;
  }

  // The value is not what was wanted: it is kept raw.
  std::string_view give_back(Entry& entry, std::string_view wanted) {
    entry.claimed = false;
    findings_.add("field_type", fmt::format("{} is not {}", entry.key, wanted));
    return {};
  }

  void note_template(std::string_view key, std::string_view value) {
    const bool braces = value.size() > 2 && value.front() == '{' && value.back() == '}' &&
                        value.find_first_of(" \"") == std::string_view::npos;
    if (braces || value.find("$ARGUMENTS") != std::string_view::npos) {
      findings_.add("template",
                    fmt::format("{} looks like a template that was not filled in", key));
    }
  }

  static constexpr std::size_t kFewMembers = 32;
  Arena& arena_;
  Findings& findings_;
  std::vector<Entry>& members_;
  // Only for payloads with very many members.
  std::optional<std::unordered_set<std::string_view>> seen_;
  std::vector<std::string_view>& missing_;
  bool duplicate_noted_ = false;
};

void check_value(Findings& findings, std::string_view key, std::string_view value,
                 std::initializer_list<std::string_view> known) {
  if (value.data() == nullptr || std::find(known.begin(), known.end(), value) != known.end())
    return;
  findings.add("unknown_value", fmt::format("{} '{}' is none of: {}", key, utf8::prefix(value, 40),
                                            fmt::join(known.begin(), known.end(), ", ")));
}

Payload read_header(Fields& fields) {
  CommandStarted header;
  header.command = fields.text("command", true);
  header.args = fields.nullable_text("args");
  header.title = fields.text("title", true);
  header.phase = fields.number("phase");
  header.plan = fields.text("plan");
  return header;
}

Payload read_tool(Fields& fields, const WxcodeMarker& marker, Arena& arena) {
  ToolStarted tool;
  tool.id = tool_id(marker.place, arena);
  tool.tool = fields.text("tool", true);
  tool.description = fields.text("description", true);
  tool.command = fields.text("command");
  tool.file = fields.text("file");
  tool.mcp_tool = fields.text("mcp_tool");
  return tool;
}

Payload read_tool_result(Fields& fields, Findings& findings) {
  constexpr std::size_t kLongestOutput = 200;
  ToolFinished result;
  result.tool = fields.text("tool", true);
  const std::optional<bool> success = fields.flag("success");
  const std::string_view output = fields.text("output");
  const std::string_view error = fields.text("error");
  result.output = output;
  result.error = error;
  result.duration_ms = fields.number("duration_ms");
  if (result.duration_ms.has_value() && result.duration_ms->real < 0) {
    findings.add("field_type", "duration_ms is less than nothing and was left out");
    result.duration_ms.reset();
  }
  if (success.has_value()) {
    result.outcome = *success ? Outcome::ok : Outcome::failed;
  } else {  // not said to have succeeded is not success
    result.outcome = error.data() != nullptr ? Outcome::failed : Outcome::abandoned;
  }
  if (output.size() > kLongestOutput && utf8::count(output) > kLongestOutput) {
    findings.add("output_too_long",
                 fmt::format("output has {} characters; 200 are allowed", utf8::count(output)));
  }
  return result;
}

Payload read_status(Fields& fields, Findings& findings) {
  Status status;
  status.status = fields.text("status", true);
  status.message = fields.text("message", true);
  status.progress = fields.number("progress");
  status.phase = fields.number("phase");
  status.plan = fields.text("plan");
  status.task = fields.text("task");
  check_value(findings, "status", status.status,
              {"pending", "in_progress", "completed", "failed", "paused"});
  if (status.progress.has_value() && (status.progress->real < 0 || status.progress->real > 100)) {
    std::string given = "progress ";
    json::append_number(given, *status.progress);
    findings.add("progress_range", given + " is outside 0..100");
    status.progress = Number::of(std::int64_t{status.progress->real < 0 ? 0 : 100});
  }
  return status;
}

Payload read_next_action(Fields& fields, Findings& findings) {
  NextAction next;
  next.command = fields.text("command", true);
  next.args = fields.text("args");
  next.description = fields.text("description", true);
  next.priority = fields.text("priority", true);
  check_value(findings, "priority", next.priority, {"required", "recommended", "optional"});
  if (next.priority != "required" && next.priority != "optional") next.priority = "recommended";
  return next;
}

Payload read_error(Fields& fields) {
  Failure failure;
  failure.code = fields.text("code", true);
  failure.message = fields.text("message", true);
  const std::optional<bool> recoverable = fields.flag("recoverable");
  failure.suggestion = fields.text("suggestion");
  if (recoverable.has_value()) {
    failure.recoverable = *recoverable ? Recoverable::true_ : Recoverable::false_;
  } else {
    failure.recoverable = recoverable_by_code(failure.code);
  }
  return failure;
}

}  // namespace

// "wx-1840", "wx-12.1840"
std::string_view tool_id(const MarkerPlace& place, Arena& arena) {
  constexpr std::string_view kPrefix = "wx-";
  constexpr std::size_t kLongest = kPrefix.size() + 2 * 20 + 1;
  char* const id = arena.allocate(kLongest);
  char* const last = id + kLongest;
  char* end = std::copy(kPrefix.begin(), kPrefix.end(), id);
  if (place.carrier.has_value()) {
    end = std::to_chars(end, last, *place.carrier).ptr;
    *end++ = '.';
  }
  end = std::to_chars(end, last, place.offset).ptr;
  return {id, static_cast<std::size_t>(end - id)};
}

OpenTools::Name::Name(std::string_view text) : size(text.size()) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const auto word_at = [&](std::size_t place) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + place, kWord);
    return word;
  };
  if (size > 2 * kWord) {
    bytes = quick_digest(text);
  } else if (size >= kWord) {  // with its size, two words that overlap say it all
    bytes = {word_at(0), word_at(size - kWord)};
  } else {
    for (const char c : text) bytes.low = bytes.low << 8U | static_cast<unsigned char>(c);
  }
}

void OpenTools::add(std::string_view tool, const MarkerPlace& place) {
  constexpr std::size_t kMostOpen = 256;  // results that never come must not grow us for ever
  if (open_.size() == kMostOpen) open_.erase(open_.begin());
  open_.push_back({Name(tool), place});
}

std::string_view OpenTools::close(std::string_view tool, Arena& arena) {
  const Name name(tool);
  const auto it =
      std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.tool == name; });
  if (it == open_.end()) return {};
  const std::string_view id = tool_id(it->place, arena);
  open_.erase(it);
  return id;
}

void OpenTools::pair(Payload& payload, const MarkerPlace& place, Arena& arena) {
  if (const auto* tool = std::get_if<ToolStarted>(&payload)) add(tool->tool, place);
  if (auto* result = std::get_if<ToolFinished>(&payload)) result->id = close(result->tool, arena);
  if (std::holds_alternative<CommandStarted>(payload)) clear();  // a new block
}

Payload read_wxcode(const WxcodeMarker& marker, Arena& arena, Findings& findings,
                    WxcodeScratch& scratch) {
  if (marker.lone_surrogate)
    findings.add("lone_surrogate", "half of a surrogate pair; read as U+FFFD");
  if (marker.invalid_utf8) findings.add("invalid_utf8", "bytes that are not UTF-8; read as U+FFFD");
  Fields fields(marker, arena, findings, scratch);
  const auto finished = [&](const Payload& payload) {
    fields.finish(scratch.extra);
    return payload;
  };
  if (marker.type == "STATUS") return finished(read_status(fields, findings));
  if (marker.type == "TOOL") return finished(read_tool(fields, marker, arena));
  if (marker.type == "TOOL_RESULT") return finished(read_tool_result(fields, findings));
  if (marker.type == "NEXT_ACTION") return finished(read_next_action(fields, findings));
  if (marker.type == "ERROR") return finished(read_error(fields));
  if (marker.type == "HEADER") return finished(read_header(fields));
  scratch.extra.clear();
  findings.add("unknown",
               fmt::format("WXCODE type '{}' is not known", utf8::prefix(marker.type, 40)));
  return Unknown{marker.type, Raw{marker.payload}};
}

}  // namespace dragoman
