// SPDX-License-Identifier: Apache-2.0
#include "dragoman/record/clean_event.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "dragoman/event/keep.hpp"
#include "dragoman/event/text_lines.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::record {
namespace {

using RulesPtr = std::shared_ptr<const redact::Rules>;

template <typename T>
concept PlainValue = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Number>;
template <typename T, typename Visitor>
concept ObjectValue = requires(T& object, Visitor& visitor) {
  T::fields(object, visitor);
};

// Where the string ends that begins behind the quote at `at`; the JSON is well formed.
std::size_t closing_quote(std::string_view json, std::size_t at) {
  for (std::size_t end = at + 1; end < json.size(); ++end) {
    if (json[end] == '\\') {
      ++end;
    } else if (json[end] == '"') {
      return end;
    }
  }
  return json.size();
}

// Finds out whether a string holds a secret and, on its second way through, replaces those that do.
class StringCleaner {
 public:
  StringCleaner(const RulesPtr& rules, Arena* arena) : rules_(rules), arena_(arena) {}

  template <typename T>
  void operator()(std::string_view /*key*/, T& field) {
    clean(field);
  }
  template <typename T>
  void required(std::string_view /*key*/, std::span<const T>& items) {
    clean(items);
  }
  void map(std::string_view /*key*/, std::span<const Field>& items) { clean(items); }

  void clean(std::string_view& text) {
    if (is_clean(text)) return;
    if (arena_ != nullptr) text = arena_->copy(redact::redacted(text, rules_));
  }
  void clean(json::Text& text) {
    if (!text.escaped) return clean(text.bytes);
    if (!redact::may_hold_secret(text.bytes, *rules_)) return;
    const std::string plain = text.str();
    if (is_clean(plain) || arena_ == nullptr) return;
    text = json::Text(arena_->copy(redact::redacted(plain, rules_)));
  }
  void clean(Raw& raw) {
    if (raw.absent() || !redact::may_hold_secret(raw.json, *rules_)) return;
    std::string out;
    bool same = true;
    for (std::size_t at = 0; at < raw.json.size();) {
      const std::size_t quote = std::min(raw.json.find('"', at), raw.json.size());
      out.append(raw.json.substr(at, quote - at));
      if (quote == raw.json.size()) break;
      const std::size_t end = closing_quote(raw.json, quote);
      const std::string plain = json::Text(raw.json.substr(quote + 1, end - quote - 1), true).str();
      if (is_clean(plain)) {
        out.append(raw.json.substr(quote, end + 1 - quote));
      } else {
        same = false;
        json::append_string(out, redact::redacted(plain, rules_));
      }
      at = end + 1;
    }
    if (!same && arena_ != nullptr) raw.json = arena_->copy(out);
  }
  void clean(Extra& extra) {
    clean(extra.key);
    clean(extra.value);
  }
  template <typename T>
  void clean(std::span<const T>& items) {
    for (const T& item : items) {
      // On the second way the items are a copy of ours.
      if (arena_ != nullptr) {
        clean(const_cast<T&>(item));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
      } else {
        T seen = item;
        clean(seen);
      }
    }
  }
  template <ObjectValue<StringCleaner> T>
  void clean(T& object) {
    T::fields(object, *this);
  }
  template <PlainValue T>
  void clean(T& /*value*/) {}
  template <typename T>
  void clean(std::optional<T>& value) {
    if (value.has_value()) clean(*value);
  }

  void clean_event(Event& event) {
    std::visit([this](auto& payload) { payload.fields(payload, *this); }, event.payload);
    clean(event.origin.parent);
    clean(event.extra);
  }

  [[nodiscard]] bool found() const { return found_; }

 private:
  bool is_clean(std::string_view text) {
    if (!redact::may_hold_secret(text, *rules_) || redact::redacted(text, rules_) == text)
      return true;
    found_ = true;
    return false;
  }

  const RulesPtr& rules_;
  Arena* arena_;  // null: only look
  bool found_ = false;
};

}  // namespace

CleanEvent::CleanEvent(const Event& event, const RulesPtr& rules) : original_(event) {
  // These are the bytes themselves.
  if (plain_text(event) != nullptr) return;
  Event seen = event;
  StringCleaner look(rules, nullptr);
  look.clean_event(seen);
  if (!look.found()) return;
  is_copy_ = true;
  copy_ = keep(event, arena_);
  StringCleaner(rules, &arena_).clean_event(copy_);
}

}  // namespace dragoman::record
