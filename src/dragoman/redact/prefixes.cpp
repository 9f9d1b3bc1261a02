// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/prefixes.hpp"

#include <bit>

#include "dragoman/base/processor.hpp"

namespace dragoman::redact {
namespace kernels {

const char* find_scalar(const Prefixes::Tables& tables, const char* from, const char* const end) {
  const auto at = [&](std::size_t position, const char* p) -> std::uint8_t {
    return p < end ? tables.byte[position][static_cast<unsigned char>(*p)] : std::uint8_t{0xFF};
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

// How much of all text a bucket would let through: the product over the positions of the low
// nibbles times the high nibbles.
double Prefixes::width_with(std::size_t bucket, std::string_view beginning) const {
  const unsigned bit = 1U << bucket;
  double width = 1;
  for (std::size_t position = 0; position < kLength; ++position) {
    unsigned low = 0;
    unsigned high = 0;
    for (unsigned nibble = 0; nibble < 16; ++nibble) {
      if ((tables_.low[position][nibble] & bit) != 0) low |= 1U << nibble;
      if ((tables_.high[position][nibble] & bit) != 0) high |= 1U << nibble;
    }
    if (!beginning.empty()) {
      low |= 1U << (static_cast<unsigned char>(beginning[position]) & 15U);
      high |= 1U << (static_cast<unsigned char>(beginning[position]) >> 4U);
    }
    width *= std::popcount(low) * std::popcount(high);
  }
  return width;
}

void Prefixes::add(Beginning beginning) {
  const std::string_view bytes(beginning.data(), beginning.size());
  std::size_t best = 0;
  double least = -1;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const double growth = width_with(bucket, bytes) - width_with(bucket, {});
    if (least < 0 || growth < least) {
      least = growth;
      best = bucket;
    }
  }
  const auto bit = static_cast<std::uint8_t>(1U << best);
  for (std::size_t position = 0; position < kLength; ++position) {
    const auto byte = static_cast<unsigned char>(beginning[position]);
    tables_.byte[position][byte] |= bit;
    tables_.low[position][byte & 15U] |= bit;
    tables_.high[position][byte >> 4U] |= bit;
  }
  const std::uint32_t hash = Tables::hash(beginning.data());
  tables_.known[hash >> 6U] |= std::uint64_t{1} << (hash & 63U);
}

const char* Prefixes::find(const char* from, const char* end) const {
  static const Find chosen = choose();
  return chosen(tables_, from, end);
}

}  // namespace dragoman::redact
