// SPDX-License-Identifier: Apache-2.0
// The tables of Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte": each
// pair of neighbouring bytes has a class of faults in common, or it has none. One look-up for each
// half of the first byte and one for the upper half of the second; what all three share is wrong.
#pragma once

#include <array>
#include <cstdint>

namespace dragoman::utf8_faults {

// Classes of faults, a bit each.
inline constexpr std::uint8_t kTooShort = 1U << 0U;      // a lead without its continuation
inline constexpr std::uint8_t kTooLong = 1U << 1U;       // a continuation behind ASCII
inline constexpr std::uint8_t kOverlong3 = 1U << 2U;     // E0 80…9F
inline constexpr std::uint8_t kTooLarge = 1U << 3U;      // F4 90…, F5…
inline constexpr std::uint8_t kSurrogate = 1U << 4U;     // ED A0…
inline constexpr std::uint8_t kOverlong2 = 1U << 5U;     // C0, C1
inline constexpr std::uint8_t kTooLarge1000 = 1U << 6U;  // F5… 80…8F
inline constexpr std::uint8_t kOverlong4 = 1U << 6U;     // F0 80…8F
inline constexpr std::uint8_t kTwoConts = 1U << 7U;

inline constexpr std::uint8_t kCarry = kTooShort | kTooLong | kTwoConts;
inline constexpr std::uint8_t kLarge = kCarry | kTooLarge | kTooLarge1000;
inline constexpr std::uint8_t kCont = kTooLong | kOverlong2 | kTwoConts;

using Halves = std::array<std::uint8_t, 16>;

inline constexpr Halves kFirstHigh = {kTooLong,
                                      kTooLong,
                                      kTooLong,
                                      kTooLong,
                                      kTooLong,
                                      kTooLong,
                                      kTooLong,
                                      kTooLong,
                                      kTwoConts,
                                      kTwoConts,
                                      kTwoConts,
                                      kTwoConts,
                                      kTooShort | kOverlong2,
                                      kTooShort,
                                      kTooShort | kOverlong3 | kSurrogate,
                                      kTooShort | kTooLarge | kTooLarge1000 | kOverlong4};
inline constexpr Halves kFirstLow = {kCarry | kOverlong3 | kOverlong2 | kOverlong4,
                                     kCarry | kOverlong2,
                                     kCarry,
                                     kCarry,
                                     kCarry | kTooLarge,
                                     kLarge,
                                     kLarge,
                                     kLarge,
                                     kLarge,
                                     kLarge,
                                     kLarge,
                                     kLarge,
                                     kLarge,
                                     kLarge | kSurrogate,
                                     kLarge,
                                     kLarge};
inline constexpr Halves kSecondHigh = {kTooShort,
                                       kTooShort,
                                       kTooShort,
                                       kTooShort,
                                       kTooShort,
                                       kTooShort,
                                       kTooShort,
                                       kTooShort,
                                       kCont | kOverlong3 | kTooLarge1000 | kOverlong4,
                                       kCont | kOverlong3 | kTooLarge,
                                       kCont | kSurrogate | kTooLarge,
                                       kCont | kSurrogate | kTooLarge,
                                       kTooShort,
                                       kTooShort,
                                       kTooShort,
                                       kTooShort};

// What the third and the second byte before a continuation have to be at least, so that it is the
// fourth or third byte of something: as much less as makes the upper bit say so.
inline constexpr std::uint8_t kLeadOfThree = 0xE0 - 0x80;
inline constexpr std::uint8_t kLeadOfFour = 0xF0 - 0x80;

// The largest last bytes behind which nothing is missing, N of them.
template <std::size_t N>
constexpr std::array<std::uint8_t, N> largest_ends() {
  std::array<std::uint8_t, N> most{};
  most.fill(0xFF);
  most[N - 3] = 0xEF;
  most[N - 2] = 0xDF;
  most[N - 1] = 0xBF;
  return most;
}

}  // namespace dragoman::utf8_faults
