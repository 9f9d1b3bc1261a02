// SPDX-License-Identifier: Apache-2.0
#include "bench/support/rivals.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <simdjson.h>

namespace dragoman::bench {
namespace {

constexpr std::string_view kOpener = "<!-- WXCODE:";
constexpr std::string_view kCloser = "} -->";
constexpr std::size_t kDistance = 5;  // from `<` to `W`

#if defined(__x86_64__)
// The first `<` with a `W` at its distance, or null.
__attribute__((target("avx2"))) const char* find_pair(const char* at, const char* end) {
  const __m256i open = _mm256_set1_epi8('<');
  const __m256i letter = _mm256_set1_epi8('W');
  for (; end - at >= static_cast<std::ptrdiff_t>(32 + kDistance); at += 32) {
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + kDistance));
    const __m256i both =
        _mm256_and_si256(_mm256_cmpeq_epi8(first, open), _mm256_cmpeq_epi8(second, letter));
    const auto bits = static_cast<unsigned>(_mm256_movemask_epi8(both));
    if (bits != 0) return at + std::countr_zero(bits);
  }
  for (; end - at > static_cast<std::ptrdiff_t>(kDistance); ++at) {
    if (at[0] == '<' && at[kDistance] == 'W') return at;
  }
  return nullptr;
}
#else
const char* find_pair(const char* at, const char* end) {
  const std::string_view text(at, static_cast<std::size_t>(end - at));
  const std::size_t found = text.find(kOpener);
  return found == std::string_view::npos ? nullptr : at + found;
}
#endif

// Reads every member, as an extractor that fills a struct has to, and shows each to `keep`.
template <typename Keep>
std::size_t read_payload(simdjson::ondemand::parser& parser, std::string_view json,
                         std::size_t room, Keep&& keep) {
  simdjson::ondemand::document document;
  if (parser.iterate(simdjson::padded_string_view(json.data(), json.size(), room)).get(document))
    return 0;
  simdjson::ondemand::object object;
  if (document.get_object().get(object)) return 0;
  std::size_t taken = 0;
  for (auto field : object) {
    std::string_view key;
    if (field.unescaped_key().get(key)) return 0;
    simdjson::ondemand::json_type type{};
    if (field.value().type().get(type)) return 0;
    std::string_view text;
    double number = 0;
    bool flag = false;
    if (type == simdjson::ondemand::json_type::string) {
      if (field.value().get_string().get(text)) return 0;
    } else if (type == simdjson::ondemand::json_type::number) {
      if (field.value().get_double().get(number)) return 0;
    } else if (type == simdjson::ondemand::json_type::boolean) {
      if (field.value().get_bool().get(flag)) return 0;
    }
    keep(key, text, number, flag);
    taken += key.size() + text.size() + static_cast<std::size_t>(number) + (flag ? 1 : 0);
  }
  return taken;
}

// Calls `found` with each marker, its payload and how many bytes from the payload on can be read.
template <typename Found>
void each_marker(std::string_view input, Found&& found) {
  const char* const end = input.data() + input.size();
  for (const char* at = find_pair(input.data(), end); at != nullptr; at = find_pair(at + 1, end)) {
    const std::string_view rest(at, static_cast<std::size_t>(end - at));
    if (!rest.starts_with(kOpener)) continue;
    const std::size_t colon = rest.find(':', kOpener.size());
    const std::size_t close = rest.find(kCloser, colon);
    if (close == std::string_view::npos) break;
    found(rest.substr(0, close + kCloser.size()), rest.substr(colon + 1, close - colon),
          rest.size() - colon - 1 + kPadding);
    at += close;
  }
}

struct Marker {
  static constexpr std::array<std::string_view, 11> kTexts = {
      "status", "message", "tool",     "description", "command",   "output",
      "args",   "title",   "priority", "code",        "suggestion"};
  static constexpr std::array<std::string_view, 3> kNumbers = {"progress", "phase", "duration_ms"};

  std::string_view type;
  std::array<std::string_view, kTexts.size()> texts;
  std::array<double, kNumbers.size()> numbers;
  bool flag = false;  // success or recoverable

  void keep(std::string_view key, std::string_view text, double number, bool is_true) {
    const auto place_in = [key](const auto& keys) {
      return static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
    };
    if (const std::size_t place = place_in(kTexts); place < kTexts.size()) {
      texts[place] = text;
    } else if (const std::size_t other = place_in(kNumbers); other < kNumbers.size()) {
      numbers[other] = number;
    } else {
      flag |= is_true;
    }
  }
};

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_text(std::string_view text, std::uint64_t line) = 0;
  virtual void on_marker(const Marker& marker, std::uint64_t line) = 0;
};

class Counter final : public Listener {
 public:
  void on_text(std::string_view text, std::uint64_t line) override { told += text.size() + line; }
  void on_marker(const Marker& marker, std::uint64_t line) override {
    told += marker.type.size() + line;
    ++markers;
  }
  std::uint64_t told = 0;
  std::size_t markers = 0;
};

// Keeps the listener unknown to the compiler, as that of a library is.
Listener* hidden(Listener* listener) {
  asm volatile("" : "+r"(listener));
  return listener;
}

}  // namespace

std::size_t scan_with_memchr(std::string_view input) {
  return std::memchr(input.data(), 1, input.size()) == nullptr ? 0 : 1;
}

std::size_t count_lines(std::string_view input) {
  std::size_t lines = 0;
  const char* at = input.data();
  const char* const end = at + input.size();
  while (at != end) {
    const void* newline = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    if (newline == nullptr) break;
    at = static_cast<const char*>(newline) + 1;
    ++lines;
  }
  return lines;
}

std::size_t read_markers_with_simdjson(std::string_view input) {
  simdjson::ondemand::parser parser;
  std::size_t found = 0;
  each_marker(input, [&](std::string_view /*whole*/, std::string_view json, std::size_t room) {
    found += read_payload(parser, json, room, [](auto&&...) {}) == 0 ? 0 : 1;
  });
  return found;
}

std::size_t tell_markers_with_simdjson(std::string_view input) {
  simdjson::ondemand::parser parser;
  Counter counter;
  Listener* const out = hidden(&counter);
  const char* behind = input.data();  // the last marker
  std::uint64_t line = 1;
  const auto tell_text = [&](const char* to) {
    const std::string_view text(behind, static_cast<std::size_t>(to - behind));
    if (text.empty() || !simdjson::validate_utf8(text.data(), text.size())) return;
    out->on_text(text, line);
    line += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  };
  each_marker(input, [&](std::string_view whole, std::string_view json, std::size_t room) {
    tell_text(whole.data());
    Marker marker{};
    marker.type = whole.substr(kOpener.size(), 6);
    read_payload(parser, json, room, [&](auto&&... member) { marker.keep(member...); });
    out->on_marker(marker, line);
    behind = whole.data() + whole.size();
  });
  tell_text(input.data() + input.size());
  return counter.markers;
}

std::size_t read_types_with_simdjson(std::string_view input) {
  simdjson::ondemand::parser parser;
  std::size_t letters = 0;
  for (std::size_t at = 0; at < input.size();) {
    const std::size_t newline = std::min(input.find('\n', at), input.size());
    const std::size_t room = input.size() - at + kPadding;
    simdjson::ondemand::document document;
    std::string_view type;
    if (!parser.iterate(simdjson::padded_string_view(input.data() + at, newline - at, room))
             .get(document) &&
        !document["type"].get_string().get(type)) {
      letters += type.size();
    }
    at = newline + 1;
  }
  return letters;
}

}  // namespace dragoman::bench
