// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/number.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/json/writer.hpp"
#include "tests/support/random.hpp"

namespace dragoman::json {
namespace {

std::string written(const Number& number) {
  std::string out;
  append_number(out, number);
  return out;
}

TEST(Number, IntegersAreExactToTheEdgesOfInt64) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t n : {kMin, kMin + 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
                               std::int64_t{9007199254740993}, kMax - 1, kMax}) {
    const ParsedNumber parsed = parse_number(std::to_string(n));
    EXPECT_EQ(parsed.fault, NumberFault::none);
    EXPECT_EQ(parsed.value, Number::of(n));
    EXPECT_EQ(parsed.value.whole(), n);
    EXPECT_EQ(written(parsed.value), std::to_string(n));
  }
}

TEST(Number, MinusZeroIsZero) {
  EXPECT_EQ(parse_number("-0").value, Number::of(std::int64_t{0}));
  EXPECT_EQ(written(parse_number("-0").value), "0");
  EXPECT_EQ(written(parse_number("-0.0").value), "0");
  EXPECT_EQ(written(parse_number("-0e5").value), "0");
}

TEST(Number, WhatNoMachineNumberHoldsIsOutOfRange) {
  const std::string digits(400, '9');
  for (const std::string& text :
       {std::string("9223372036854775808"), std::string("-9223372036854775809"),
        std::string("18446744073709551615"), std::string(5000, '1'), "-" + std::string(5000, '1'),
        std::string("1e400"), std::string("-1e400"), std::string("1e309"), std::string("0.1e400"),
        std::string("0.001E+400"), digits + "e-5", digits + ".5",
        std::string("0.5e999999999999999999999"), std::string("123e9999999999999999999999")}) {
    EXPECT_EQ(parse_number(text).fault, NumberFault::range) << text.substr(0, 40);
    EXPECT_TRUE(is_number(text));
  }
}

TEST(Number, WhatIsTooSmallToTellFromZeroIsZero) {
  const std::string zeros(400, '0');
  for (const std::string& text :
       {std::string("1e-400"), std::string("-1e-400"), std::string("1E-99999999999999999999999"),
        "0." + zeros + "1", "0." + zeros + "1e5", std::string("0e400"), std::string("0.0e9999"),
        std::string("-0.000e-400"), "10" + zeros + "e-9999"}) {
    const ParsedNumber parsed = parse_number(text);
    EXPECT_EQ(parsed.fault, NumberFault::none) << text.substr(0, 40);
    EXPECT_EQ(parsed.value.real, 0.0) << text.substr(0, 40);
    EXPECT_EQ(written(parsed.value), "0");
  }
}

TEST(Number, LongSpellingsOfOrdinaryNumbersAreRead) {
  EXPECT_EQ(parse_number("1" + std::string(400, '0') + "e-400").value.real, 1.0);
  EXPECT_EQ(parse_number("0." + std::string(399, '0') + "1e400").value.real, 1.0);
  EXPECT_EQ(parse_number("1." + std::string(5000, '0')).value.real, 1.0);
  EXPECT_EQ(parse_number("5e-324").value.real, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parse_number("1.7976931348623157e308").value.real, std::numeric_limits<double>::max());
}

TEST(Number, OtherSpellingsAreNoNumbers) {
  for (const std::string_view text :
       {"",      "-",   "+1",  "01",   "-01",   "00",    "1.",       ".5",        "1.e5",
        "1e",    "1e+", "1E-", "0x10", "1_000", "NaN",   "Infinity", "-Infinity", "1.5.2",
        "1e5.5", " 1",  "1 ",  "--1",  "1-",    "1e1e1", "١"}) {
    EXPECT_FALSE(is_number(text)) << text;
    EXPECT_EQ(parse_number(text).fault, NumberFault::spelling) << text;
  }
}

TEST(Number, WholeIsOnlyWhatNamesOneInteger) {
  EXPECT_EQ(parse_number("3.0").value.whole(), 3);
  EXPECT_EQ(parse_number("3e0").value.whole(), 3);
  EXPECT_EQ(parse_number("-12e2").value.whole(), -1200);
  EXPECT_EQ(parse_number("62.5").value.whole(), std::nullopt);
  EXPECT_EQ(parse_number("1e300").value.whole(), std::nullopt);
  EXPECT_EQ(Number::of(std::nan("")).whole(), std::nullopt);
  EXPECT_EQ(Number::of(HUGE_VAL).whole(), std::nullopt);
}

TEST(Number, DoublesAreWrittenSoThatTheyReadBackTheSame) {
  test::Random random(5);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t bits = random.next();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const std::string text = written(Number::of(value));
    ASSERT_TRUE(is_number(text)) << text;
    ASSERT_EQ(parse_number(text).value.real, value) << text;
  }
}

TEST(Number, WhatJsonHasNoWordForIsNull) {
  EXPECT_EQ(written(Number::of(std::nan(""))), "null");
  EXPECT_EQ(written(Number::of(-HUGE_VAL)), "null");
}

}  // namespace
}  // namespace dragoman::json
