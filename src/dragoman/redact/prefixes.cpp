// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/prefixes.hpp"

#include <bit>
#include <utility>

#include "dragoman/base/processor.hpp"

namespace dragoman::redact {
namespace kernels {

const char* find_scalar(const Prefixes::Tables& tables, const char* from, const char* const end) {
  const auto at = [&](std::size_t position, const char* p) -> std::uint16_t {
    return p < end ? tables.byte[position][static_cast<unsigned char>(*p)] : std::uint16_t{0xFFFF};
  };
  for (const char* p = from; p < end; ++p) {
    if ((at(0, p) & at(1, p + 1) & at(2, p + 2)) == 0) continue;
    if (end - p < 3 || tables.may_be_known(p)) return p;
  }
  return end;
}

}  // namespace kernels

namespace {

using Find = const char* (*)(const Prefixes::Tables&, const char*, const char*);

Find choose() {
#if defined(__x86_64__)
  if (processor::has_avx2()) {
    return kernels::find_avx2;
  }
#endif
  return kernels::find_scalar;
}

}  // namespace

namespace {

// How often bytes are seen in prose and code, in hundredths, by high and low nibble.
constexpr std::array<std::array<std::uint16_t, 16>, 16> kSeen = [] {
  std::array<std::array<std::uint16_t, 16>, 16> seen{};
  for (auto& row : seen) row.fill(5);
  seen[2] = {2200, 10, 120, 15, 10, 5, 40, 40, 160, 160, 60, 15, 130, 110, 170, 80};
  seen[3] = {90, 80, 60, 45, 40, 40, 40, 35, 40, 35, 220, 170, 70, 110, 110, 10};
  seen[4] = {5, 70, 40, 70, 60, 100, 50, 30, 35, 80, 10, 25, 60, 50, 70, 60};
  seen[5] = {60, 10, 80, 90, 100, 40, 30, 30, 20, 20, 10, 30, 15, 30, 5, 180};
  seen[6] = {10, 480, 130, 260, 280, 900, 170, 150, 220, 560, 20, 60, 350, 190, 530, 500};
  seen[7] = {200, 15, 500, 530, 700, 220, 80, 70, 50, 120, 20, 60, 20, 60, 5, 2};
  return seen;
}();

}  // namespace

namespace {

unsigned how_often(std::uint16_t high, std::uint16_t low) {
  unsigned often = 0;
  for (unsigned highs = high; highs != 0; highs &= highs - 1) {
    const auto& row = kSeen[static_cast<std::size_t>(std::countr_zero(highs))];
    for (unsigned lows = low; lows != 0; lows &= lows - 1)
      often += row[static_cast<std::size_t>(std::countr_zero(lows))];
  }
  return often;
}

}  // namespace

void Prefixes::Bucket::take(Beginning beginning) {
  for (std::size_t position = 0; position < kLength; ++position) {
    const auto byte = static_cast<unsigned char>(beginning[position]);
    low[position] = static_cast<std::uint16_t>(low[position] | 1U << (byte & 15U));
    high[position] = static_cast<std::uint16_t>(high[position] | 1U << (byte >> 4U));
  }
}

void Prefixes::Bucket::count(const Bucket& before) {
  for (std::size_t position = 0; position < kLength; ++position) {
    if (low[position] == before.low[position] && high[position] == before.high[position]) continue;
    seen[position] = how_often(high[position], low[position]);
  }
}

// How much of a text the bucket lets through: all that fits at each position.
double Prefixes::Bucket::width() const { return static_cast<double>(seen[0]) * seen[1] * seen[2]; }

// The bucket that it widens least, which is widened.
std::size_t Prefixes::put(Buckets& buckets, Beginning beginning) {
  std::size_t best = 0;
  double least = -1;
  Bucket widened;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    Bucket wider = buckets[i];
    wider.take(beginning);
    if (wider == buckets[i]) return i;  // none is better
    wider.count(buckets[i]);
    const double growth = wider.width() - buckets[i].width();
    if (least >= 0 && growth >= least) continue;
    least = growth;
    best = i;
    widened = wider;
  }
  buckets[best] = widened;
  return best;
}

// Each is put where it fits best, and again when the others have their places: the first ones could
// not know who comes.
void Prefixes::look_for(const std::vector<Beginning>& beginnings) {
  constexpr int kRounds = 3;
  constexpr std::size_t kNowhere = kBuckets;
  Buckets buckets;
  std::vector<std::size_t> bucket_of(beginnings.size(), kNowhere);
  bool moved = true;
  for (int round = 0; round < kRounds && moved; ++round) {
    moved = false;
    for (std::size_t i = 0; i < beginnings.size(); ++i) {
      const std::size_t old = std::exchange(bucket_of[i], kNowhere);
      if (old != kNowhere) {
        buckets[old] = {};
        for (std::size_t j = 0; j < beginnings.size(); ++j) {
          if (bucket_of[j] == old) buckets[old].take(beginnings[j]);
        }
        buckets[old].count({});
      }
      bucket_of[i] = put(buckets, beginnings[i]);
      moved = moved || bucket_of[i] != old;
    }
  }
  for (std::size_t i = 0; i < beginnings.size(); ++i) tables_.enter(beginnings[i], bucket_of[i]);
}

void Prefixes::Tables::enter(Beginning beginning, std::size_t bucket) {
  Half& half = halves[bucket / 8];
  const auto bit = static_cast<std::uint8_t>(1U << bucket % 8);
  for (std::size_t position = 0; position < kLength; ++position) {
    const auto of = static_cast<unsigned char>(beginning[position]);
    std::uint16_t& buckets = byte[position][of];
    buckets = static_cast<std::uint16_t>(buckets | 1U << bucket);
    half.low[position][of & 15U] |= bit;
    half.high[position][of >> 4U] |= bit;
  }
  const std::uint32_t number = hash(beginning.data());
  known[number >> 6U] |= std::uint64_t{1} << (number & 63U);
}

const char* Prefixes::find(const char* from, const char* end) const {
  static const Find chosen = choose();
  return chosen(tables_, from, end);
}

}  // namespace dragoman::redact
