// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/keep.hpp"

#include <type_traits>

namespace dragoman {
namespace {

template <typename T>
concept PlainField = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <typename T, typename Visitor>
concept ObjectField = requires(T& object, Visitor& visitor) {
  T::fields(object, visitor);
};

// Moves every view into the arena, in place.
class FieldKeeper {
 public:
  explicit FieldKeeper(Arena& arena) : arena_(arena) {}

  template <typename T>
  void operator()(std::string_view /*key*/, T& field) {
    own(field);
  }
  template <typename T>
  void required(std::string_view /*key*/, std::span<const T>& items) {
    own(items);
  }
  void map(std::string_view /*key*/, std::span<const Field>& items) { own(items); }

  void own(std::string_view& s) {
    if (s.data() != nullptr) s = arena_.copy(s);
  }
  void own(json::Text& t) { own(t.bytes); }
  void own(Raw& r) { own(r.json); }
  void own(Extra& e) {
    own(e.key);
    own(e.value);
  }
  template <typename T>
  void own(std::span<const T>& items) {
    if (items.empty()) return;
    // The copy is ours to change; the span only promises its readers that they may not.
    const std::span<const T> copied = arena_.copy(items);
    auto* const first =
        const_cast<T*>(copied.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    for (std::size_t i = 0; i < copied.size(); ++i) own(first[i]);
    items = copied;
  }
  template <ObjectField<FieldKeeper> T>
  void own(T& object) {
    T::fields(object, *this);
  }
  template <PlainField T>
  void own(T& /*value*/) {}
  template <typename T>
  void own(std::optional<T>& value) {
    if constexpr (ObjectField<T, FieldKeeper>) {
      if (value.has_value()) own(*value);
    }  // numbers and flags own nothing
  }

 private:
  Arena& arena_;
};

}  // namespace

Event keep(const Event& event, Arena& arena) {
  Event kept = event;
  FieldKeeper keeper(arena);
  std::visit([&keeper](auto& payload) { payload.fields(payload, keeper); }, kept.payload);
  keeper.own(kept.origin.parent);
  keeper.own(kept.extra);
  return kept;
}

Wants keep(const Wants& wants, Arena& arena) {
  Wants kept = wants;
  FieldKeeper(arena).own(kept);
  return kept;
}

}  // namespace dragoman
