// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dragoman/event/json.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman {
namespace {

template <typename T>
concept EnumField = std::is_enum_v<T>;
template <typename T, typename Visitor>
concept ObjectField = requires(T& object, Visitor& visitor) {
  T::fields(object, visitor);
};

struct RawMember {
  std::string_view key;
  json::Value value;
};

// Reads the members of one object into a list; fields then pick what they know.
std::vector<RawMember> members_of(std::string_view text, Arena& arena) {
  std::vector<RawMember> found;
  json::Cursor cursor(text, json::Cursor::Scalars::exact);
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const std::string_view kept = arena.copy(key);
    const json::Value value = cursor.take();
    const auto earlier =
        std::find_if(found.begin(), found.end(), [&](const RawMember& m) { return m.key == kept; });
    if (earlier != found.end()) {
      earlier->value = value;  // the last of two equal keys counts
    } else {
      found.push_back({kept, value});
    }
  }
  return found;
}

// Fills each field from the member of its name. The first value of a wrong type is the error.
class FieldReader {
 public:
  FieldReader(std::string_view object, Arena& arena)
      : arena_(arena), members_(members_of(object, arena)) {}

  template <typename T>
  void operator()(std::string_view key, T& field) {
    const json::Value value = claim(key);
    if (value.absent() || value.kind == json::Kind::null_) return;
    if (!get(value, field) && wrong_.empty()) wrong_ = key;
  }
  template <typename T>
  void required(std::string_view key, std::span<const T>& items) {
    (*this)(key, items);
  }
  void map(std::string_view key, std::span<const Field>& items) {
    const json::Value value = claim(key);
    if (value.absent()) return;
    std::vector<Field> fields;
    for (const RawMember& member : members_of(value.raw, arena_)) {
      std::string_view text;
      if (!get(member.value, text)) wrong_ = key;
      fields.push_back({member.key, text});
    }
    items = arena_.copy(std::span<const Field>(fields));
  }

  [[nodiscard]] std::string_view wrong() const { return wrong_; }
  [[nodiscard]] std::span<const Extra> unclaimed() {
    std::vector<Extra> extra;
    for (const RawMember& member : members_) {
      if (!member.key.empty() || !member.value.absent())
        extra.push_back({member.key, Raw{member.value.raw}});
    }
    return arena_.copy(std::span<const Extra>(extra));
  }
  json::Value claim(std::string_view key) {
    const auto it = std::find_if(members_.begin(), members_.end(),
                                 [&](const RawMember& m) { return m.key == key; });
    if (it == members_.end()) return {};
    const json::Value value = it->value;
    members_.erase(it);
    return value;
  }

 private:
  bool get(const json::Value& v, std::string_view& out) {
    if (v.kind != json::Kind::string) return false;
    out = json::decode(v.text(), arena_);
    return true;
  }
  bool get(const json::Value& v, json::Text& out) {
    if (v.kind != json::Kind::string) return false;
    out = v.text();
    return true;
  }
  bool get(const json::Value& v, Raw& out) {
    out = Raw{v.raw};
    return true;
  }
  bool get(const json::Value& v, bool& out) {
    if (v.kind != json::Kind::boolean) return false;
    out = v.is_true();
    return true;
  }
  bool get(const json::Value& v, Number& out) {
    if (v.kind != json::Kind::number) return false;
    const json::ParsedNumber parsed = json::parse_number(v.raw);
    out = parsed.value;
    return parsed.fault == json::NumberFault::none;
  }
  bool get(const json::Value& v, double& out) {
    Number number;
    if (!get(v, number)) return false;
    out = number.real;
    return true;
  }
  bool get(const json::Value& v, std::int64_t& out) {
    Number number;
    if (!get(v, number) || !number.whole().has_value()) return false;
    out = *number.whole();
    return true;
  }
  bool get(const json::Value& v, std::uint64_t& out) {
    std::int64_t number = 0;
    if (!get(v, number) || number < 0) return false;
    out = static_cast<std::uint64_t>(number);
    return true;
  }
  bool get(const json::Value& v, Recoverable& out) {
    if (v.kind == json::Kind::boolean) {
      out = v.is_true() ? Recoverable::true_ : Recoverable::false_;
      return true;
    }
    std::string_view text;
    return get(v, text) && set_from_name(out, text);
  }
  template <EnumField T>
  bool get(const json::Value& v, T& out) {
    std::string_view text;
    return get(v, text) && set_from_name(out, text);
  }
  template <typename T>
  bool get(const json::Value& v, std::optional<T>& out) {
    T value{};
    if (!get(v, value)) return false;
    out = value;
    return true;
  }
  template <typename T>
  bool get(const json::Value& v, std::span<const T>& out) {
    if (v.kind != json::Kind::array) return false;
    std::vector<T> items;
    json::Cursor cursor(v.raw, json::Cursor::Scalars::exact);
    for (json::Elements elements(cursor); elements.next();) {
      T item{};
      if (!get(cursor.take(), item)) return false;
      items.push_back(item);
    }
    out = arena_.copy(std::span<const T>(items));
    return true;
  }
  template <ObjectField<FieldReader> T>
  bool get(const json::Value& v, T& out) {
    if (v.kind != json::Kind::object) return false;
    FieldReader inner(v.raw, arena_);
    T::fields(out, inner);
    return inner.wrong().empty();
  }

  Arena& arena_;
  std::vector<RawMember> members_;
  std::string_view wrong_;
};

template <std::size_t... I>
Payload empty_payload(Kind kind, std::index_sequence<I...> /*kinds*/) {
  Payload payload;
  const auto wanted = static_cast<std::size_t>(kind);
  ((I == wanted ? static_cast<void>(payload.emplace<I>()) : void()), ...);
  return payload;
}

template <typename Enum>
bool get_named(std::string_view text, std::optional<Enum> (*find)(std::string_view), Enum& out) {
  const std::optional<Enum> found = find(text);
  if (!found.has_value()) return false;
  out = *found;
  return true;
}

// Reads the origin object; returns the name of the first field that is wrong.
std::string_view read_origin(std::string_view object, Arena& arena, Origin& origin) {
  FieldReader fields(object, arena);
  std::string_view dialect = "text";
  std::string_view via;
  std::string_view stream = "stdout";
  std::string_view channel = "stdout";
  fields("dialect", dialect);
  fields("via", via);
  fields("stream", stream);
  fields("offset", origin.offset);
  fields("length", origin.length);
  fields("at", origin.at);
  fields("line", origin.line);
  fields("channel", channel);
  fields("parent", origin.parent);
  if (!fields.wrong().empty()) return fields.wrong();
  if (!get_named(dialect, dialect_named, origin.dialect)) return "dialect";
  if (!get_named(stream, stream_named, origin.stream)) return "stream";
  if (!get_named(channel, channel_named, origin.channel)) return "channel";
  if (via.data() != nullptr) {
    origin.via = dialect_named(via);
    if (!origin.via.has_value()) return "via";
  }
  return {};
}

Error invalid(std::string message) { return Error{ErrorCode::validation, std::move(message)}; }

}  // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text) {
  // 2026-11-15T10:05:22.104Z, the fraction optional
  if (text.size() < 20 || text.back() != 'Z') return std::nullopt;
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> kParts = {
      {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}}};
  std::array<int, 6> n{};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const std::string_view part = text.substr(kParts[i].first, kParts[i].second);
    const auto [stop, code] = std::from_chars(part.data(), part.data() + part.size(), n[i]);
    if (code != std::errc{} || stop != part.data() + part.size()) return std::nullopt;
  }
  const std::chrono::year_month_day day{std::chrono::year{n[0]},
                                        std::chrono::month{static_cast<unsigned>(n[1])},
                                        std::chrono::day{static_cast<unsigned>(n[2])}};
  if (!day.ok() || n[3] > 23 || n[4] > 59 || n[5] > 60) return std::nullopt;
  int milliseconds = 0;
  std::string_view fraction = text.substr(19, text.size() - 20);
  if (!fraction.empty() && fraction[0] == '.') {
    fraction = fraction.substr(1, 3);
    const auto [stop, code] =
        std::from_chars(fraction.data(), fraction.data() + fraction.size(), milliseconds);
    if (code != std::errc{} || stop != fraction.data() + fraction.size()) return std::nullopt;
    for (std::size_t digits = fraction.size(); digits < 3; ++digits) milliseconds *= 10;
  }
  return std::chrono::sys_days{day} + std::chrono::hours{n[3]} + std::chrono::minutes{n[4]} +
         std::chrono::seconds{n[5]} + std::chrono::milliseconds{milliseconds};
}

Result<Event> read_event(std::string_view line, Arena& arena) {
  json::Cursor whole(line, json::Cursor::Scalars::exact);
  if (!whole.next_is(json::Kind::object)) return invalid("event: not a JSON object");
  whole.take();
  if (!whole.finish()) {
    return invalid(
        fmt::format("event: {} at byte {}", json::name(whole.fault()), whole.fault_at()));
  }
  FieldReader fields(line, arena);
  Event event;
  std::string_view kind_text;
  std::string_view ts;
  Raw data;
  Raw origin;
  fields("seq", event.seq);
  fields("ts", ts);
  fields("kind", kind_text);
  fields("data", data);
  fields("origin", origin);
  const std::optional<Kind> kind = kind_named(kind_text);
  if (!kind.has_value()) return invalid(fmt::format("event: unknown kind '{}'", kind_text));
  if (ts.data() != nullptr) {
    event.ts = parse_timestamp(ts);
    if (!event.ts.has_value()) return invalid(fmt::format("event: ts '{}' is not a timestamp", ts));
  }
  event.payload = empty_payload(*kind, std::make_index_sequence<kKinds>{});
  if (!data.absent()) {
    FieldReader inner(data.json, arena);
    std::visit([&inner](auto& payload) { payload.fields(payload, inner); }, event.payload);
    inner("partial", event.partial);
    if (!inner.wrong().empty())
      return invalid(fmt::format("event: data.{} has the wrong type", inner.wrong()));
    event.extra = inner.unclaimed();
  }
  if (!origin.absent()) {
    const std::string_view wrong = read_origin(origin.json, arena, event.origin);
    if (!wrong.empty()) return invalid(fmt::format("event: origin.{} is not known", wrong));
  }
  if (!fields.wrong().empty())
    return invalid(fmt::format("event: {} has the wrong type", fields.wrong()));
  return event;
}

}  // namespace dragoman
