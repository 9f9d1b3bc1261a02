// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/empty_texts.hpp"

#include <utility>

#include "dragoman/base/ascii.hpp"

namespace dragoman::check {
namespace {

// Gathers the names of what is empty.
class Empty {
 public:
  explicit Empty(Dialect dialect) : absent_counts_(dialect == Dialect::markers) {}

  Empty& text(std::string_view field, std::string_view value) {
    const bool there = value.data() != nullptr || absent_counts_;
    if (there && ascii::is_blank(value))
      fields_ += (fields_.empty() ? "" : ", ") + std::string(field);
    return *this;
  }
  // Only short texts are worth decoding: a long one is not empty.
  Empty& text(std::string_view field, const json::Text& value) {
    if (value.absent()) return text(field, std::string_view());
    return value.bytes.size() > kLongestBlank ? *this : text(field, std::string_view(value.str()));
  }

  [[nodiscard]] std::string fields() { return std::move(fields_); }

 private:
  static constexpr std::size_t kLongestBlank = 256;
  bool absent_counts_;
  std::string fields_;
};

bool is_marker(Dialect dialect) {
  return dialect == Dialect::wxcode || dialect == Dialect::question || dialect == Dialect::markers;
}

}  // namespace

std::string empty_texts(const Event& event) {
  if (!is_marker(event.origin.dialect)) return {};
  Empty empty(event.origin.dialect);
  if (const auto* p = event.as<CommandStarted>())
    return empty.text("command", p->command).text("title", p->title).fields();
  if (const auto* p = event.as<ToolStarted>())
    return empty.text("tool", p->tool).text("description", p->description).fields();
  if (const auto* p = event.as<ToolFinished>()) return empty.text("tool", p->tool).fields();
  if (const auto* p = event.as<Status>()) return empty.text("message", p->message).fields();
  if (const auto* p = event.as<NextAction>())
    return empty.text("command", p->command).text("description", p->description).fields();
  if (const auto* p = event.as<Failure>())
    return empty.text("code", p->code).text("message", p->message).fields();
  if (const auto* p = event.as<Question>()) return empty.text("question", p->text).fields();
  if (const auto* p = event.as<Blocked>()) return empty.text("reason", p->reason).fields();
  if (const auto* p = event.as<ContextRequest>()) return empty.text("query", p->query).fields();
  if (const auto* p = event.as<CommitSuggestion>())
    return empty.text("subject", p->subject).fields();
  if (const auto* p = event.as<DependencyNeeded>(); p != nullptr && p->items.empty())
    return empty.text("name", std::string_view()).fields();
  return {};
}

std::string_view hint_for_empty_text(Dialect dialect) {
  return dialect == Dialect::markers ? "write the value behind the bracket, on the same line"
                                     : "give the field a value";
}

}  // namespace dragoman::check
