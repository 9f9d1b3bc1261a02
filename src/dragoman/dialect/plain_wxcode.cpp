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

template <std::size_t N>
bool is(const char* p, const char (&word)[N]) {
  return std::memcmp(p, word, N - 1) == 0;
}

// A missing required field is worth a finding.
bool given(std::string_view text) { return text.data() != nullptr; }

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

// `reads` is known where this is compiled, and there is one jump for each marker: which of the six
// it is cannot be guessed.
template <typename T, std::size_t N>
[[gnu::always_inline]] inline Event* PlainWxcode::read_as(bool (PlainWxcode::*reads)(T&, const To&),
                                                          const char* at, const char (&type)[N],
                                                          const char* end, const To& to) {
  if (!is(at, type)) return nullptr;
  payload_.start(at + N - 1, end, to.arena);
  Event& event = to.events[static_cast<std::size_t>(T::kKind)];
  return (this->*reads)(kept<T>(event.payload), to) ? &event : nullptr;
}

Event* PlainWxcode::read(const char* at, const char* end, const To& to) {
  constexpr std::ptrdiff_t kLongestOpener = 32;
  if (end - at < kLongestOpener + PlainPayload::kRoom ||
      std::memcmp(at, kWxcodeOpener.data(), kWxcodeOpener.size()) != 0) {
    return nullptr;
  }
  const char* const type = at + kWxcodeOpener.size();
  switch (type[0] + type[4]) {
    case 'S' + 'U':
      return read_as(&PlainWxcode::read_status, type, "STATUS:", end, to);
    case 'T' + ':':
      return read_as(&PlainWxcode::read_tool, type, "TOOL:", end, to);
    case 'T' + '_':
      return read_as(&PlainWxcode::read_result, type, "TOOL_RESULT:", end, to);
    case 'N' + '_':
      return read_as(&PlainWxcode::read_next, type, "NEXT_ACTION:", end, to);
    case 'E' + 'R':
      return read_as(&PlainWxcode::read_error, type, "ERROR:", end, to);
    case 'H' + 'E':
      return read_as(&PlainWxcode::read_header, type, "HEADER:", end, to);
    default:
      return nullptr;
  }
}

// The payload keeps more than this many bytes of distance to the end.
bool PlainWxcode::ends() { return payload_.finish() && is(payload_.end(), " -->"); }

bool PlainWxcode::read_header(CommandStarted& header, const To& to) {
  header.command = payload_.text(R"({"command":)");
  header.args = payload_.text(R"(,"args":)");
  const bool has_args = payload_.has_key();
  header.title = payload_.text(R"(,"title":)");
  header.phase = payload_.number(R"(,"phase":)");
  header.plan = payload_.text(R"(,"plan":)");
  if (!ends() || !has_args || !given(header.command) || !given(header.title)) return false;
  to.tools.clear();  // a new block
  return true;
}

bool PlainWxcode::read_tool(ToolStarted& tool, const To& to) {
  tool.tool = payload_.text(R"({"tool":)");
  tool.description = payload_.text(R"(,"description":)");
  tool.command = payload_.text(R"(,"command":)");
  tool.file = payload_.text(R"(,"file":)");
  tool.mcp_tool = payload_.text(R"(,"mcp_tool":)");
  if (!ends() || !given(tool.tool) || !given(tool.description)) return false;
  tool.id = tool_id(to.offset, to.arena);
  to.tools.add(tool.tool, tool.id);
  return true;
}

bool PlainWxcode::read_result(ToolFinished& result, const To& to) {
  constexpr std::size_t kLongestOutput = 200;  // bytes: below it no one has to count characters
  result.tool = payload_.text(R"({"tool":)");
  const std::optional<bool> success = payload_.flag(R"(,"success":)");
  result.output = payload_.text(R"(,"output":)");
  result.error = payload_.text(R"(,"error":)");
  result.duration_ms = payload_.number(R"(,"duration_ms":)");
  if (!ends() || !given(result.tool) || !success.has_value() ||
      result.output.bytes.size() > kLongestOutput ||
      (result.duration_ms.has_value() && result.duration_ms->integer < 0)) {
    return false;
  }
  result.outcome = *success ? Outcome::ok : Outcome::failed;
  result.id = to.tools.close(result.tool, to.arena);
  return true;
}

bool PlainWxcode::read_status(Status& status, const To& /*to*/) {
  status.status = payload_.text(R"({"status":)");
  status.message = payload_.text(R"(,"message":)");
  status.progress = payload_.number(R"(,"progress":)");
  status.phase = payload_.number(R"(,"phase":)");
  status.plan = payload_.text(R"(,"plan":)");
  status.task = payload_.text(R"(,"task":)");
  return ends() && given(status.message.bytes) && kStatuses.has(status.status) &&
         (!status.progress.has_value() ||
          (status.progress->integer >= 0 && status.progress->integer <= 100));
}

bool PlainWxcode::read_next(NextAction& next, const To& /*to*/) {
  next.command = payload_.text(R"({"command":)");
  next.args = payload_.text(R"(,"args":)");
  next.description = payload_.text(R"(,"description":)");
  next.priority = payload_.text(R"(,"priority":)");
  return ends() && given(next.command) && given(next.description) && kPriorities.has(next.priority);
}

bool PlainWxcode::read_error(Failure& failure, const To& /*to*/) {
  failure.code = payload_.text(R"({"code":)");
  failure.message = payload_.text(R"(,"message":)");
  const std::optional<bool> recoverable = payload_.flag(R"(,"recoverable":)");
  failure.suggestion = payload_.text(R"(,"suggestion":)");
  if (!ends() || !given(failure.code) || !given(failure.message.bytes) ||
      !recoverable.has_value()) {
    return false;
  }
  failure.recoverable = *recoverable ? Recoverable::true_ : Recoverable::false_;
  return true;
}

}  // namespace dragoman
