// SPDX-License-Identifier: Apache-2.0
// The payload of a marker as nearly all are: the documented keys in the documented order, each with
// a scalar of the documented type, on one line and with nothing odd in it. Included behind a
// map_payload(), inside an anonymous namespace and perhaps a region compiled for one kind of
// processor: nothing of it may be shared by the linker.

// What the byte behind a backslash stands for; 0: not one of the short escapes.
constexpr std::array<char, 256> make_escapes() {
  std::array<char, 256> table{};
  table['"'] = '"';
  table['\\'] = '\\';
  table['/'] = '/';
  table['b'] = '\b';
  table['f'] = '\f';
  table['n'] = '\n';
  table['r'] = '\r';
  table['t'] = '\t';
  return table;
}
constexpr std::array<char, 256> kEscapes = make_escapes();

// Where nothing is found any more.
constexpr std::array<char, 64> kNowhere{};

template <std::size_t N>
[[gnu::always_inline]] inline bool starts_with(const char* p, const char (&word)[N]) {
  return std::memcmp(p, word, N - 1) == 0;
}

// Copies at least `size` bytes in steps that cost no call. kStep bytes behind them can be read, and
// written.
constexpr std::size_t kStep = 32;
[[gnu::always_inline]] inline void copy_steps(char* to, const char* from, std::size_t size) {
  std::memcpy(to, from, kStep);
  for (std::size_t done = kStep; done < size; done += kStep)
    std::memcpy(to + done, from + done, kStep);
}

// A string with backslashes that begin an escape at `starts`. Without data() when there is another
// escape than the short ones.
[[gnu::noinline]] std::string_view decode_short_escapes(std::string_view text, json::Bits128 starts,
                                                        Arena& arena) {
  char* const begin = arena.allocate(text.size() + 2 * kStep);
  char* to = begin;
  const char* from = text.data();
  for (; starts.any(); starts.drop_first()) {
    const char* const backslash = text.data() + starts.first();
    copy_steps(to, from, static_cast<std::size_t>(backslash - from));
    to += backslash - from;
    *to = kEscapes[static_cast<unsigned char>(backslash[1])];
    if (*to++ == 0) return {};
    from = backslash + 2;
  }
  const auto rest = static_cast<std::size_t>(text.data() + text.size() - from);
  copy_steps(to, from, rest);
  return {begin, static_cast<std::size_t>(to - begin) + rest};
}

// The value of `count` digits, eight or fewer, in `text`, the first one lowest.
inline std::int64_t value_of_digits(std::uint64_t text, std::size_t count) {
  text <<= 64 - 8 * count;  // the bytes that come in stand for leading zeros
  text = (text & 0x0F0F0F0F0F0F0F0FU) * 2561 >> 8U;
  text = (text & 0x00FF00FF00FF00FFU) * 6553601 >> 16U;
  return static_cast<std::int64_t>((text & 0x0000FFFF0000FFFFU) * 42949672960001 >> 32U);
}

// How many digits stand at the start of the eight bytes.
inline std::size_t count_digits(std::uint64_t text) {
  const std::uint64_t halves = text ^ 0x3030303030303030U;  // digits are 0…9 now
  const std::uint64_t others = ((halves + 0x7676767676767676U) | halves) & 0x8080808080808080U;
  return static_cast<std::size_t>(std::countr_zero(others)) / 8;
}

struct Integer {
  const char* end = nullptr;  // null: there is none
  std::int64_t value = 0;
};

// At most 18 digits. More than that, fractions and exponents are rare.
[[gnu::noinline]] Integer read_long_integer(const char* p) {
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* const digits = p;
  std::int64_t number = 0;
  while (*p >= '0' && *p <= '9' && p - digits < 18) number = number * 10 + (*p++ - '0');
  if (p == digits || (*digits == '0' && p - digits > 1)) return {};
  return {p, negative ? -number : number};
}

// How long a number is cannot be guessed, so a short one is read without a loop.
[[gnu::always_inline]] inline Integer read_integer(const char* p) {
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t text = 0;
    std::memcpy(&text, p, sizeof text);
    const std::size_t count = count_digits(text);
    if (count > 0 && count < sizeof text && (*p != '0' || count == 1)) {
      return {p + count, value_of_digits(text, count)};
    }
  }
  return read_long_integer(p);
}

// A string that begins or ends where the payload's map does not reach.
struct FarText {
  std::size_t length = 0;  // to the closing quote
  json::Bits128 escapes;
  bool odd = false;
  bool foreign = false;
  bool found = false;
};
[[gnu::noinline]] FarText read_far_text(const char* begin) {
  const PayloadMap map = map_payload(begin);
  if (!map.quotes.any()) return {};
  const std::size_t length = map.quotes.first();
  return {length, map.escapes.before(length), map.odd.first() < length,
          map.foreign.first() < length, true};
}

// Reads the members one after the other, in the order in which they are asked for. A member that is
// not the next one counts as absent; what nobody asked for shows at the end, because the closing
// brace does not come then. Each kind of marker asks by itself, so the processor learns its order.
//
//   PlainPayload payload(at, end, arena);
//   status.status = payload.text(R"({"status":)");
//   status.progress = payload.number(R"(,"progress":)");
//   if (const char* const behind = payload.finish()) …
//
// After anything unexpected nothing more is found, and finish() is null. It lives in registers: no
// function that is not inlined may get to see it.
class PlainPayload {
 public:
  // So many bytes from the brace on must be there to be looked at.
  static constexpr std::ptrdiff_t kRoom = 2 * static_cast<std::ptrdiff_t>(json::Bits128::kBits);

  // The bytes up to `end` can be read, and there are at least kRoom of them.
  [[gnu::always_inline]] PlainPayload(const char* at, const char* end, Arena& arena)
      : map_(map_payload(at)), at_(at), p_(at), last_(end - kRoom), arena_(arena) {}

  // `lead` is all that stands before the value, from the brace or comma on. Without data() when
  // the member is null or not there. Views point into the text or the arena.
  template <std::size_t N>
  [[gnu::always_inline]] std::string_view text(const char (&lead)[N]) {
    if (!takes(lead)) return {};
    if (*p_ != '"') return take_null();
    const char* const begin = p_ + 1;
    const auto place = static_cast<std::size_t>(begin - at_);
    const std::uint64_t quotes = map_.quotes.behind(place);
    if (quotes == 0) return take_far_text(begin);
    const auto length = static_cast<std::size_t>(std::countr_zero(quotes));
    p_ = begin + length + 1;
    std::string_view value(begin, length);
    if (map_.escapes.any()) {
      const std::uint64_t inside = map_.escapes.behind(place) & ((quotes & (0 - quotes)) - 1);
      if (inside != 0) value = decoded(value, {inside, 0});
    }
    return checked(value);
  }
  template <std::size_t N>
  [[gnu::always_inline]] std::optional<Number> number(const char (&lead)[N]) {
    if (!takes(lead)) return std::nullopt;
    const Integer integer = read_integer(p_);
    if (integer.end == nullptr) {
      static_cast<void>(take_null());
      return std::nullopt;
    }
    p_ = integer.end;
    return Number::of(integer.value);
  }
  template <std::size_t N>
  [[gnu::always_inline]] std::optional<bool> flag(const char (&lead)[N]) {
    if (!takes(lead)) return std::nullopt;
    if (starts_with(p_, "true")) {
      p_ += 4;
      return true;
    }
    if (starts_with(p_, "false")) {
      p_ += 5;
      return false;
    }
    static_cast<void>(take_null());
    return std::nullopt;
  }
  // Whether the member asked for last is there, null or not.
  [[nodiscard]] bool has_key() const { return has_key_; }

  // Behind the end of the marker, when that was all and nothing about it is odd; else null.
  [[gnu::always_inline]] const char* finish() {
    if (!starts_with(p_, "} -->")) return nullptr;
    // All that the map does not cover was seen on the way, or has been compared byte by byte.
    const auto length = static_cast<std::size_t>(p_ - at_);
    const std::size_t mapped = std::min(length, json::Bits128::kBits);
    if (odd_ || map_.odd.first() < mapped) return nullptr;
    if ((foreign_ || map_.foreign.first() < mapped) && !utf8::valid({at_, length})) return nullptr;
    return p_ + 5;
  }

 private:
  template <std::size_t N>
  [[gnu::always_inline]] bool takes(const char (&lead)[N]) {
    has_key_ = starts_with(p_, lead);
    p_ += has_key_ ? N - 1 : 0;
    return has_key_;
  }
  // "{PLACEHOLDER}": a template that was not filled in, which is worth a finding.
  [[gnu::always_inline]] std::string_view checked(std::string_view value) {
    if (value.data()[0] == '{' && !value.empty() && value.back() == '}') p_ = kNowhere.data();
    return value;
  }
  [[gnu::always_inline]] std::string_view decoded(std::string_view value, json::Bits128 escapes) {
    const std::string_view text = decode_short_escapes(value, escapes, arena_);
    if (text.data() != nullptr) return text;
    p_ = kNowhere.data();
    return value;
  }
  [[gnu::always_inline]] std::string_view take_far_text(const char* begin) {
    const FarText far = begin < last_ ? read_far_text(begin) : FarText{};
    if (!far.found) {
      p_ = kNowhere.data();
      return {};
    }
    p_ = begin + far.length + 1;
    odd_ = odd_ || far.odd;
    foreign_ = foreign_ || far.foreign;
    std::string_view value(begin, far.length);
    if (far.escapes.any()) value = decoded(value, far.escapes);
    return checked(value);
  }
  [[gnu::always_inline]] std::string_view take_null() {
    p_ = starts_with(p_, "null") ? p_ + 4 : kNowhere.data();
    return {};
  }

  PayloadMap map_;
  const char* at_;
  const char* p_;
  const char* last_;  // a map of what begins before it can be made
  Arena& arena_;
  bool has_key_ = false;
  // Behind the map:
  bool odd_ = false;
  bool foreign_ = false;
};
