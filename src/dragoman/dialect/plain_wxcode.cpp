// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/plain_wxcode.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "dragoman/dialect/comment_opener.hpp"
#include "dragoman/dialect/kept_payload.hpp"

namespace dragoman {
namespace {

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

// The length and first byte of a word choose the only one of the known words that it can be; then
// there is one comparison to guess, which nearly always says yes.
template <std::size_t N>
class Words {
 public:
  explicit constexpr Words(const std::string_view (&words)[N]) {
    for (const std::string_view word : words) by_length_[word.size()][bucket(word)] = word;
  }
  [[nodiscard]] constexpr bool has(std::string_view text) const {
    if (text.empty() || text.size() >= kLongest) return false;
    return by_length_[text.size()][bucket(text)] == text;
  }

 private:
  static constexpr std::size_t kLongest = 16;
  static constexpr std::size_t kBuckets = 8;
  static constexpr std::size_t bucket(std::string_view word) {
    return static_cast<unsigned char>(word[0]) % kBuckets;
  }
  std::array<std::array<std::string_view, kBuckets>, kLongest> by_length_{};
};
constexpr Words kStatuses({std::string_view("pending"), "in_progress", "completed", "failed",
                           "paused"});
constexpr Words kPriorities({std::string_view("required"), "recommended", "optional"});
static_assert(kStatuses.has("failed") && kStatuses.has("paused"));
static_assert(kPriorities.has("required") && kPriorities.has("optional"));

std::string_view tool_id(std::uint64_t offset, Arena& arena) {
  constexpr std::string_view kPrefix = "wx-";
  constexpr std::size_t kLongest = kPrefix.size() + 20;
  char* const id = arena.allocate(kLongest);
  char* const digits = std::copy(kPrefix.begin(), kPrefix.end(), id);
  const char* const end = std::to_chars(digits, id + kLongest, offset).ptr;
  return {id, static_cast<std::size_t>(end - id)};
}

}  // namespace

bool PlainWxcode::read(const char* at, const char* end, Arena& arena) {
  constexpr std::ptrdiff_t kLongestOpener = 32;
  if (end - at < kLongestOpener + PlainPayload::kRoom ||
      std::memcmp(at, kWxcodeOpener.data(), kWxcodeOpener.size()) != 0) {
    return false;
  }
  const char* const type = at + kWxcodeOpener.size();
  // One jump: which of them it is cannot be guessed.
  switch (type[0] + type[4]) {
    case 'S' + 'U':
      return is(type, "STATUS:") && take(Type::status, type + 7, arena) && read_status();
    case 'T' + ':':
      return is(type, "TOOL:") && take(Type::tool, type + 5, arena) && read_tool();
    case 'T' + '_':
      return is(type, "TOOL_RESULT:") && take(Type::tool_result, type + 12, arena) && read_result();
    case 'N' + '_':
      return is(type, "NEXT_ACTION:") && take(Type::next_action, type + 12, arena) && read_next();
    case 'E' + 'R':
      return is(type, "ERROR:") && take(Type::error, type + 6, arena) && read_error();
    case 'H' + 'E':
      return is(type, "HEADER:") && take(Type::header, type + 7, arena) && read_header();
    default:
      return false;
  }
}

bool PlainWxcode::take(Type type, const char* at, Arena& arena) {
  type_ = type;
  payload_.start(at, arena);
  return true;
}

// The payload keeps more than this many bytes of distance to the end.
bool PlainWxcode::ends() const { return is(payload_.end(), " -->"); }

bool PlainWxcode::read_header() {
  payload_.text(0, R"({"command":)");
  payload_.text(1, R"(,"args":)");
  payload_.text(2, R"(,"title":)");
  payload_.number(3, R"(,"phase":)");
  payload_.text(4, R"(,"plan":)");
  return payload_.finish() && ends() && all(slots({0, 2}), payload_.given()) &&
         all(slots({1}), payload_.seen());
}

bool PlainWxcode::read_tool() {
  payload_.text(0, R"({"tool":)");
  payload_.text(1, R"(,"description":)");
  payload_.text(2, R"(,"command":)");
  payload_.text(3, R"(,"file":)");
  payload_.text(4, R"(,"mcp_tool":)");
  return payload_.finish() && ends() && all(slots({0, 1}), payload_.given());
}

bool PlainWxcode::read_result() {
  constexpr std::size_t kLongestOutput = 200;  // bytes: below it no one has to count characters
  payload_.text(0, R"({"tool":)");
  payload_.flag(1, R"(,"success":)");
  payload_.text(2, R"(,"output":)");
  payload_.text(3, R"(,"error":)");
  payload_.number(4, R"(,"duration_ms":)");
  return payload_.finish() && ends() && all(slots({0, 1}), payload_.given()) &&
         payload_.text(2).size() <= kLongestOutput;
}

bool PlainWxcode::read_status() {
  payload_.text(0, R"({"status":)");
  payload_.text(1, R"(,"message":)");
  payload_.number(2, R"(,"progress":)");
  payload_.number(3, R"(,"phase":)");
  payload_.text(4, R"(,"plan":)");
  payload_.text(5, R"(,"task":)");
  return payload_.finish() && ends() && all(slots({0, 1}), payload_.given()) &&
         kStatuses.has(payload_.text(0)) &&
         (!payload_.has(2) || (payload_.number(2) >= 0 && payload_.number(2) <= 100));
}

bool PlainWxcode::read_next() {
  payload_.text(0, R"({"command":)");
  payload_.text(1, R"(,"args":)");
  payload_.text(2, R"(,"description":)");
  payload_.text(3, R"(,"priority":)");
  return payload_.finish() && ends() && all(slots({0, 2, 3}), payload_.given()) &&
         kPriorities.has(payload_.text(3));
}

bool PlainWxcode::read_error() {
  payload_.text(0, R"({"code":)");
  payload_.text(1, R"(,"message":)");
  payload_.flag(2, R"(,"recoverable":)");
  payload_.text(3, R"(,"suggestion":)");
  return payload_.finish() && ends() && all(slots({0, 1, 2}), payload_.given());
}

Kind PlainWxcode::kind() const {
  switch (type_) {
    case Type::header:
      return Kind::command_started;
    case Type::tool:
      return Kind::tool_started;
    case Type::tool_result:
      return Kind::tool_finished;
    case Type::status:
      return Kind::status;
    case Type::next_action:
      return Kind::next_action;
    case Type::error:
      return Kind::failure;
  }
  return Kind::unknown;
}

void PlainWxcode::fill(Payload& payload, std::uint64_t offset, OpenTools& tools,
                       Arena& arena) const {
  switch (type_) {
    case Type::header:
      tools.clear();  // a new block
      return fill_header(kept<CommandStarted>(payload));
    case Type::tool:
      return fill_tool(kept<ToolStarted>(payload), offset, tools, arena);
    case Type::tool_result:
      return fill_tool_result(kept<ToolFinished>(payload), tools, arena);
    case Type::status:
      return fill_status(kept<Status>(payload));
    case Type::next_action:
      return fill_next_action(kept<NextAction>(payload));
    case Type::error:
      return fill_error(kept<Failure>(payload));
  }
}

std::optional<Number> PlainWxcode::number(std::size_t slot) const {
  if (!payload_.has(slot)) return std::nullopt;
  return Number::of(payload_.number(slot));
}

void PlainWxcode::fill_header(CommandStarted& header) const {
  header.command = payload_.text(0);
  header.args = payload_.text(1);
  header.title = payload_.text(2);
  header.phase = number(3);
  header.plan = payload_.text(4);
}

void PlainWxcode::fill_tool(ToolStarted& tool, std::uint64_t offset, OpenTools& tools,
                            Arena& arena) const {
  tool.id = tool_id(offset, arena);
  tool.tool = payload_.text(0);
  tool.description = payload_.text(1);
  tool.command = payload_.text(2);
  tool.file = payload_.text(3);
  tool.mcp_tool = payload_.text(4);
  tools.add(tool.tool, tool.id);
}

void PlainWxcode::fill_tool_result(ToolFinished& result, OpenTools& tools, Arena& arena) const {
  result.tool = payload_.text(0);
  result.outcome = payload_.flag(1) ? Outcome::ok : Outcome::failed;
  result.output = payload_.text(2);
  result.error = payload_.text(3);
  result.duration_ms = number(4);
  const std::string id = tools.close(result.tool);
  result.id = id.empty() ? std::string_view{} : arena.copy(id);
}

void PlainWxcode::fill_status(Status& status) const {
  status.status = payload_.text(0);
  status.message = payload_.text(1);
  status.progress = number(2);
  status.phase = number(3);
  status.plan = payload_.text(4);
  status.task = payload_.text(5);
}

void PlainWxcode::fill_next_action(NextAction& next) const {
  next.command = payload_.text(0);
  next.args = payload_.text(1);
  next.description = payload_.text(2);
  next.priority = payload_.text(3);
}

void PlainWxcode::fill_error(Failure& failure) const {
  failure.code = payload_.text(0);
  failure.message = payload_.text(1);
  failure.recoverable = payload_.flag(2) ? Recoverable::true_ : Recoverable::false_;
  failure.suggestion = payload_.text(3);
}

}  // namespace dragoman
