// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/claude_delta.hpp"

#include <cstring>

#include "dragoman/base/utf8.hpp"
#include "dragoman/json/scan.hpp"
#include "dragoman/json/short_string.hpp"

namespace dragoman {
namespace {

using json::Kind;
using json::Value;

constexpr std::string_view kHead =
    R"({"type":"stream_event","event":{"type":"content_block_delta","index":)";
constexpr std::string_view kDelta = R"(,"delta":{"type":"text_delta","text":)";

// A value in a fixed part of the line.
struct Fixed {
  std::size_t at;
  std::size_t size;

  consteval Fixed(std::string_view part, std::string_view value)
      : at(part.find(value)), size(value.size()) {}
  [[nodiscard]] Value in(const char* part) const {
    return {Kind::string, false, {part + at, size}};
  }
};
constexpr Fixed kLineType(kHead, R"("stream_event")");
constexpr Fixed kEventType(kHead, R"("content_block_delta")");
constexpr Fixed kDeltaType(kDelta, R"("text_delta")");

// Goes through the line from left to right. Each step says whether what it wants is there.
class Steps {
 public:
  explicit Steps(std::string_view text) : p_(text.data()), end_(p_ + text.size()) {}

  [[nodiscard]] const char* at() const { return p_; }

  [[gnu::always_inline]] bool word(std::string_view word) {
    if (static_cast<std::size_t>(end_ - p_) < word.size() ||
        std::memcmp(p_, word.data(), word.size()) != 0) {
      return false;
    }
    p_ += word.size();
    return true;
  }
  bool small_number(Value& value) {
    constexpr std::ptrdiff_t kMostDigits = 9;
    const char* const from = p_;
    while (p_ != end_ && *p_ >= '0' && *p_ <= '9' && p_ - from < kMostDigits) ++p_;
    if (p_ == from || (*from == '0' && p_ - from > 1)) return false;
    set(value, Kind::number, false, from);
    return true;
  }
  // An id: ASCII, and nothing to decode.
  bool id(Value& value) {
    if (p_ == end_ || *p_ != '"') return false;
    const char* const from = p_;
    const char* const close = json::close_quote_nearby(p_ + 1, end_);
    if (close == nullptr) return false;
    p_ = close + 1;
    set(value, Kind::string, false, from);
    return true;
  }
  bool text(Value& value) {
    if (id(value)) return true;
    if (p_ == end_ || *p_ != '"') return false;
    const char* const from = p_;
    const json::StringEnd end = json::scan_string(p_ + 1, end_);
    if (end.stop != json::StringEnd::Stop::closed || end.lone_surrogate) return false;
    if (end.non_ascii && end.utf8 != json::StringEnd::Utf8::good &&
        !utf8::valid({from + 1, static_cast<std::size_t>(end.at - from - 1)})) {
      return false;
    }
    p_ = end.at + 1;
    set(value, Kind::string, end.escaped, from);
    return true;
  }
  bool null(Value& value) {
    const char* const from = p_;
    if (!word("null")) return false;
    set(value, Kind::null_, false, from);
    return true;
  }

 private:
  void set(Value& value, Kind kind, bool escaped, const char* from) const {
    value.kind = kind;
    value.escaped = escaped;
    value.raw = {from, static_cast<std::size_t>(p_ - from)};
  }

  const char* p_;
  const char* end_;
};

}  // namespace

std::size_t read_plain_delta(std::string_view text, ClaudeLine& line) {
  Steps steps(text);
  if (!steps.word(kHead)) return 0;
  line.event = {Kind::object, false, "{}"};
  ClaudeFragment& fragment = line.fragment;
  if (!steps.small_number(fragment.index)) return 0;
  const char* const delta = steps.at();
  if (!steps.word(kDelta) || !steps.text(fragment.text) || !steps.word("}}")) return 0;
  fragment.type = kEventType.in(text.data());
  fragment.delta_type = kDeltaType.in(delta);

  const auto field = [&line](Value& value) -> Value& {
    return *(line.set[line.set_count++] = &value);
  };
  field(line.type) = kLineType.in(text.data());
  const bool read =
      steps.word(R"(,"session_id":)") && steps.id(field(line.session_id)) &&
      steps.word(R"(,"parent_tool_use_id":)") &&
      (steps.null(field(line.parent_tool_use_id)) || steps.id(line.parent_tool_use_id)) &&
      steps.word(R"(,"uuid":)") && steps.id(field(line.uuid));
  if (!read) return 0;
  if (steps.word(R"(,"api_message_id":)") && !steps.id(field(line.api_message_id))) return 0;
  if (!steps.word("}\n")) return 0;
  return static_cast<std::size_t>(steps.at() - text.data()) - 1;
}

}  // namespace dragoman
