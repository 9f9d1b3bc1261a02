// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dragoman/event/empty_payload.hpp"
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
  bool claimed = false;
};

// Gives the first of equal keys the value of the last, which is the one that counts, and takes the
// others out. Sorting keeps hostile input with very many keys cheap.
void drop_duplicates(std::vector<RawMember>& members) {
  if (members.size() < 2) return;
  std::vector<std::size_t> order(members.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&members](std::size_t a, std::size_t b) {
    return members[a].key < members[b].key;
  });
  for (std::size_t first = 0, next = 1; next < order.size(); ++next) {
    if (members[order[next]].key != members[order[first]].key) {
      first = next;
      continue;
    }
    members[order[first]].value = members[order[next]].value;
    members[order[next]].claimed = true;
  }
  std::erase_if(members, [](const RawMember& member) { return member.claimed; });
}

// Reads the members of one object into a list; fields then pick what they know.
std::vector<RawMember> members_of(std::string_view object, Arena& arena) {
  std::vector<RawMember> found;
  json::Cursor cursor(object, json::Cursor::Scalars::exact);
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const std::string_view kept = arena.copy(key);  // it may be a decoded one
    found.push_back({kept, cursor.take()});
  }
  drop_duplicates(found);
  return found;
}

const std::vector<RawMember> kNoMembers;

// Fields that are written whether or not somebody set them; the others may be absent.
template <typename T>
concept AlwaysThere = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// Fills each field from the member of its name. What does not fit stays unclaimed and is kept as it
// is where the field may be absent: an agent's odd value goes through. Where it may not, it is an
// error.
class FieldReader {
 public:
  FieldReader(std::string_view object, Arena& arena)
      : arena_(arena), members_(members_of(object, arena)) {}

  template <typename T>
  void operator()(std::string_view key, T& field) {
    fill(key, field, AlwaysThere<T>);
  }
  template <typename T>
  void required(std::string_view key, std::span<const T>& items) {
    fill(key, items, true);
  }
  void map(std::string_view key, std::span<const Field>& items) {
    RawMember* const member = find(key);
    if (member == nullptr) return;
    bool fits = member->value.kind == json::Kind::object;
    std::vector<Field> fields;
    for (const RawMember& entry : fits ? members_of(member->value.raw, arena_) : kNoMembers) {
      std::string_view text;
      fits = fits && get(entry.value, text);
      fields.push_back({entry.key, text});
    }
    member->claimed = fits || member->value.kind == json::Kind::null_;
    if (fits) items = arena_.copy(std::span<const Field>(fields));
    if (!member->claimed) note_misfit(key, false);
  }

  // The first field that cannot be as it was given, and the first that merely is not.
  [[nodiscard]] std::string_view wrong() const { return wrong_; }
  [[nodiscard]] std::string_view misfit() const { return misfit_; }
  [[nodiscard]] std::span<const Extra> unclaimed() const {
    std::vector<Extra> extra;
    for (const RawMember& member : members_) {
      if (!member.claimed) extra.push_back({member.key, Raw{member.value.raw}});
    }
    return arena_.copy(std::span<const Extra>(extra));
  }
  [[nodiscard]] RawMember* find(std::string_view key) {
    const auto it = std::find_if(members_.begin(), members_.end(),
                                 [&](const RawMember& m) { return m.key == key; });
    return it == members_.end() ? nullptr : &*it;
  }

 private:
  template <typename T>
  void fill(std::string_view key, T& field, bool always_there) {
    RawMember* const member = find(key);
    if (member == nullptr) return;
    member->claimed = member->value.kind == json::Kind::null_ && !std::is_same_v<T, Raw>;
    if (member->claimed) return;  // the same as absent
    T value{};
    member->claimed = get(member->value, value);
    if (member->claimed) {
      field = value;
    } else {
      note_misfit(key, always_there);
    }
  }

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
    const char* const end = v.raw.data() + v.raw.size();
    if (const auto [stop, code] = std::from_chars(v.raw.data(), end, out);
        v.kind == json::Kind::number && code == std::errc{} && stop == end) {
      return true;  // also beyond int64
    }
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
    return inner.misfit().empty();  // there is no place to keep what does not fit
  }

  void note_misfit(std::string_view key, bool wrong) {
    if (misfit_.empty()) misfit_ = key;
    if (wrong && wrong_.empty()) wrong_ = key;
  }

  Arena& arena_;
  std::vector<RawMember> members_;
  std::string_view wrong_;
  std::string_view misfit_;
};

template <typename Enum>
bool get_named(std::string_view text, std::optional<Enum> (*find)(std::string_view), Enum& out) {
  const std::optional<Enum> found = find(text);
  if (!found.has_value()) return false;
  out = *found;
  return true;
}

// Fills the origin; returns the name of the first field that is wrong.
std::string_view wrong_in_origin(std::string_view object, Arena& arena, Origin& origin) {
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
  if (!fields.misfit().empty()) return fields.misfit();
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

bool is_object(const Raw& raw) { return raw.json[0] == '{'; }

Result<void> read_origin(const Raw& raw, Arena& arena, Origin& origin) {
  if (raw.absent()) return {};
  if (!is_object(raw)) return invalid("event: origin has the wrong type");
  const std::string_view wrong = wrong_in_origin(raw.json, arena, origin);
  if (!wrong.empty()) return invalid(fmt::format("event: origin.{} is not known", wrong));
  return {};
}

Result<void> read_data(const Raw& raw, Arena& arena, Event& event) {
  if (raw.absent()) return {};
  if (!is_object(raw)) return invalid("event: data has the wrong type");
  FieldReader fields(raw.json, arena);
  std::visit([&fields](auto& payload) { payload.fields(payload, fields); }, event.payload);
  if (!fields.wrong().empty())
    return invalid(fmt::format("event: data.{} has the wrong type", fields.wrong()));
  if (RawMember* partial = fields.find("partial"); partial != nullptr) {
    event.partial = partial->claimed = partial->value.is_true();
  }
  event.extra = fields.unclaimed();
  return {};
}

}  // namespace

std::optional<Wants> read_wants(std::string_view json, Arena& arena) {
  json::Cursor whole(json, json::Cursor::Scalars::exact);
  if (!whole.next_is(json::Kind::object)) return std::nullopt;
  whole.take();
  if (!whole.finish()) return std::nullopt;
  FieldReader fields(json, arena);
  Wants wants;
  Wants::fields(wants, fields);
  return wants;
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
  if (!fields.misfit().empty())
    return invalid(fmt::format("event: {} has the wrong type", fields.misfit()));
  const std::optional<Kind> kind = kind_named(kind_text);
  if (!kind.has_value()) return invalid(fmt::format("event: unknown kind '{}'", kind_text));
  event.payload = empty_payload(*kind);
  if (ts.data() != nullptr) {
    event.ts = parse_timestamp(ts);
    if (!event.ts.has_value()) return invalid(fmt::format("event: ts '{}' is not a timestamp", ts));
  }
  DRAGOMAN_CHECK(read_data(data, arena, event));
  DRAGOMAN_CHECK(read_origin(origin, arena, event.origin));
  return event;
}

}  // namespace dragoman
