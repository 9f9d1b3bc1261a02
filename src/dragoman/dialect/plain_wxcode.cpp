// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/plain_wxcode.hpp"

#include <charconv>
#include <cstring>

#include "dragoman/dialect/comment_opener.hpp"

namespace dragoman {
namespace {

using enum PlainKind;

constexpr PlainKeys kHeader({{"command"}, {"args"}, {"title"}, {"phase", number}, {"plan"}});
constexpr PlainKeys kTool({{"tool"}, {"description"}, {"command"}, {"file"}, {"mcp_tool"}});
constexpr PlainKeys kToolResult(
    {{"tool"}, {"success", flag}, {"output"}, {"error"}, {"duration_ms", number}});
constexpr PlainKeys kStatus(
    {{"status"}, {"message"}, {"progress", number}, {"phase", number}, {"plan"}, {"task"}});
constexpr PlainKeys kNextAction({{"command"}, {"args"}, {"description"}, {"priority"}});
constexpr PlainKeys kError({{"code"}, {"message"}, {"recoverable", flag}, {"suggestion"}});

// The slots that have to be there: a missing one is worth a finding.
constexpr unsigned slots(std::initializer_list<unsigned> list) {
  unsigned bits = 0;
  for (const unsigned slot : list) bits |= 1U << slot;
  return bits;
}
bool all(unsigned wanted, unsigned there) { return (wanted & ~there) == 0; }

template <std::size_t N>
bool is(const char* p, const char (&word)[N]) {
  return std::memcmp(p, word, N - 1) == 0;
}

bool is_known_status(std::string_view status) {
  switch (status.size()) {
    case 6:
      return is(status.data(), "failed") || is(status.data(), "paused");
    case 7:
      return is(status.data(), "pending");
    case 9:
      return is(status.data(), "completed");
    case 11:
      return is(status.data(), "in_progress");
    default:
      return false;
  }
}

bool is_known_priority(std::string_view priority) {
  return priority == "required" || priority == "recommended" || priority == "optional";
}

std::string_view tool_id(std::uint64_t offset, Arena& arena) {
  constexpr std::size_t kLongest = 3 + 20;
  char* const id = arena.allocate(kLongest);
  std::memcpy(id, "wx-", 3);
  const char* const end = std::to_chars(id + 3, id + kLongest, offset).ptr;
  return {id, static_cast<std::size_t>(end - id)};
}

}  // namespace

bool PlainWxcode::read(const char* at, const char* end, Arena& arena) {
  constexpr std::ptrdiff_t kShortest = 64;  // what is compared below lies within
  if (end - at < kShortest || std::memcmp(at, kWxcodeOpener.data(), kWxcodeOpener.size()) != 0)
    return false;
  const char* const type = at + kWxcodeOpener.size();
  if (is(type, "STATUS:")) return read_payload(Type::status, type + 7, end, arena);
  if (is(type, "TOOL:")) return read_payload(Type::tool, type + 5, end, arena);
  if (is(type, "TOOL_RESULT:")) return read_payload(Type::tool_result, type + 12, end, arena);
  if (is(type, "NEXT_ACTION:")) return read_payload(Type::next_action, type + 12, end, arena);
  if (is(type, "ERROR:")) return read_payload(Type::error, type + 6, end, arena);
  if (is(type, "HEADER:")) return read_payload(Type::header, type + 7, end, arena);
  return false;
}

bool PlainWxcode::read_payload(Type type, const char* at, const char* end, Arena& arena) {
  constexpr std::size_t kLongestOutput = 200;  // bytes: below it no one has to count characters
  if (*at != '{') return false;
  bool fine = false;
  switch (type) {
    case Type::header:
      fine = payload_.read(at, end, kHeader, arena) && all(slots({0, 2}), payload_.given()) &&
             all(slots({1}), payload_.seen());
      break;
    case Type::tool:
      fine = payload_.read(at, end, kTool, arena) && all(slots({0, 1}), payload_.given());
      break;
    case Type::tool_result:
      fine = payload_.read(at, end, kToolResult, arena) && all(slots({0, 1}), payload_.given()) &&
             payload_.text(2).size() <= kLongestOutput;
      break;
    case Type::status:
      fine = payload_.read(at, end, kStatus, arena) && all(slots({0, 1}), payload_.given()) &&
             is_known_status(payload_[0].text) &&
             (!payload_.has(2) || (payload_[2].number >= 0 && payload_[2].number <= 100));
      break;
    case Type::next_action:
      fine = payload_.read(at, end, kNextAction, arena) &&
             all(slots({0, 2, 3}), payload_.given()) && is_known_priority(payload_[3].text);
      break;
    case Type::error:
      fine = payload_.read(at, end, kError, arena) && all(slots({0, 1, 2}), payload_.given());
      break;
  }
  // The payload keeps more than this many bytes of distance to the end.
  if (!fine || !is(payload_.end(), " -->")) return false;
  type_ = type;
  end_ = payload_.end() + 4;
  return true;
}

void PlainWxcode::fill(Payload& payload, std::uint64_t offset, OpenTools& tools,
                       Arena& arena) const {
  switch (type_) {
    case Type::header:
      tools.clear();  // a new block
      return fill_header(payload.emplace<CommandStarted>());
    case Type::tool:
      return fill_tool(payload.emplace<ToolStarted>(), offset, tools, arena);
    case Type::tool_result:
      return fill_tool_result(payload.emplace<ToolFinished>(), tools, arena);
    case Type::status:
      return fill_status(payload.emplace<Status>());
    case Type::next_action:
      return fill_next_action(payload.emplace<NextAction>());
    case Type::error:
      return fill_error(payload.emplace<Failure>());
  }
}

std::optional<Number> PlainWxcode::number(std::size_t slot) const {
  if (!payload_.has(slot)) return std::nullopt;
  return Number::of(payload_[slot].number);
}

void PlainWxcode::fill_header(CommandStarted& header) const {
  header.command = payload_[0].text;
  header.args = payload_.text(1);
  header.title = payload_[2].text;
  header.phase = number(3);
  header.plan = payload_.text(4);
}

void PlainWxcode::fill_tool(ToolStarted& tool, std::uint64_t offset, OpenTools& tools,
                            Arena& arena) const {
  tool.id = tool_id(offset, arena);
  tool.tool = payload_[0].text;
  tool.description = payload_[1].text;
  tool.command = payload_.text(2);
  tool.file = payload_.text(3);
  tool.mcp_tool = payload_.text(4);
  tools.add(tool.tool, tool.id);
}

void PlainWxcode::fill_tool_result(ToolFinished& result, OpenTools& tools, Arena& arena) const {
  result.tool = payload_[0].text;
  result.outcome = payload_[1].flag ? Outcome::ok : Outcome::failed;
  result.output = payload_.text(2);
  result.error = payload_.text(3);
  result.duration_ms = number(4);
  if (const std::string id = tools.close(result.tool); !id.empty()) result.id = arena.copy(id);
}

void PlainWxcode::fill_status(Status& status) const {
  status.status = payload_[0].text;
  status.message = payload_[1].text;
  status.progress = number(2);
  status.phase = number(3);
  status.plan = payload_.text(4);
  status.task = payload_.text(5);
}

void PlainWxcode::fill_next_action(NextAction& next) const {
  next.command = payload_[0].text;
  next.args = payload_.text(1);
  next.description = payload_[2].text;
  next.priority = payload_[3].text;
}

void PlainWxcode::fill_error(Failure& failure) const {
  failure.code = payload_[0].text;
  failure.message = payload_[1].text;
  failure.recoverable = payload_[2].flag ? Recoverable::true_ : Recoverable::false_;
  failure.suggestion = payload_.text(3);
}

}  // namespace dragoman
