// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/watchdog.hpp"

#include <gtest/gtest.h>

namespace dragoman::process {
namespace {

using namespace std::chrono_literals;
using Level = Watchdog::Alarm::Level;

const Watchdog::Time kStart{1000h};

Watchdog::Alarm warning(Limit limit, std::chrono::milliseconds after,
                        std::chrono::milliseconds elapsed, std::chrono::milliseconds silent) {
  return {Level::warning, limit, after, elapsed, silent};
}
Watchdog::Alarm timeout(Limit limit, std::chrono::milliseconds after,
                        std::chrono::milliseconds elapsed, std::chrono::milliseconds silent) {
  return {Level::timeout, limit, after, elapsed, silent};
}

TEST(Watchdog, WarnsAndThenEndsASilentRunNeverEarly) {
  Watchdog dog({}, kStart);
  EXPECT_EQ(dog.next(), kStart + 270s);
  EXPECT_EQ(dog.check(kStart + 270s - 1ns), std::nullopt);
  EXPECT_EQ(dog.check(kStart + 270s), warning(Limit::idle, 300s, 270s, 270s));
  EXPECT_EQ(dog.check(kStart + 271s), std::nullopt) << "once";
  EXPECT_EQ(dog.next(), kStart + 300s);
  EXPECT_EQ(dog.check(kStart + 300s - 1ns), std::nullopt);
  EXPECT_EQ(dog.check(kStart + 300s), timeout(Limit::idle, 300s, 300s, 300s));
  EXPECT_EQ(dog.next(), std::nullopt);
  EXPECT_EQ(dog.check(kStart + 5000s), std::nullopt) << "it is over";
}

TEST(Watchdog, OutputBreaksTheSilenceButNotTheHardLimit) {
  Watchdog dog({}, kStart);
  for (auto t = 0s; t < 1150s; t += 100s) dog.output(kStart + t);
  EXPECT_EQ(dog.next(), kStart + 1170s);
  EXPECT_EQ(dog.check(kStart + 1170s), warning(Limit::hard, 1200s, 1170s, 70s));
  dog.output(kStart + 1199s);
  EXPECT_EQ(dog.check(kStart + 1200s), timeout(Limit::hard, 1200s, 1200s, 1s));
}

TEST(Watchdog, WarnsAgainInALaterSilence) {
  Watchdog dog({}, kStart);
  EXPECT_TRUE(dog.check(kStart + 280s).has_value());
  dog.output(kStart + 290s);
  EXPECT_EQ(dog.check(kStart + 300s), std::nullopt);
  EXPECT_EQ(dog.check(kStart + 560s), warning(Limit::idle, 300s, 560s, 270s));
}

TEST(Watchdog, AfterTheResultTheRunHasLittleTime) {
  Watchdog dog({.after_result = 30s, .warning = 10s}, kStart);
  dog.arm(kStart + 50s);
  dog.arm(kStart + 60s);  // the clock runs on from the first time
  EXPECT_EQ(dog.next(), kStart + 70s);
  dog.disarm();
  EXPECT_EQ(dog.check(kStart + 90s), std::nullopt) << "it took up work again";
  dog.arm(kStart + 100s);
  EXPECT_EQ(dog.check(kStart + 120s), warning(Limit::after_result, 30s, 120s, 120s));
  EXPECT_EQ(dog.check(kStart + 130s), timeout(Limit::after_result, 30s, 130s, 130s));
}

TEST(Watchdog, ZeroSwitchesALimitOff) {
  Watchdog dog({.idle = 0ms, .hard = 0ms, .after_result = 0ms}, kStart);
  dog.arm(kStart);
  EXPECT_EQ(dog.next(), std::nullopt);
  EXPECT_EQ(dog.check(kStart + 100h), std::nullopt);
}

TEST(Watchdog, AWarningLongerThanTheLimitIsNone) {
  Watchdog dog({.idle = 20s, .hard = 0ms, .warning = 30s}, kStart);
  EXPECT_EQ(dog.next(), kStart + 20s);
  EXPECT_EQ(dog.check(kStart + 20s), timeout(Limit::idle, 20s, 20s, 20s));
}

TEST(Watchdog, StandsStillWhileAPersonIsAsked) {
  Watchdog dog({.idle = 100s, .hard = 200s, .warning = 0s}, kStart);
  dog.pause(kStart + 90s);
  EXPECT_EQ(dog.next(), std::nullopt);
  EXPECT_EQ(dog.check(kStart + 5000s), std::nullopt);
  dog.resume(kStart + 5090s);
  EXPECT_EQ(dog.check(kStart + 5189s), std::nullopt);
  EXPECT_EQ(dog.check(kStart + 5190s), timeout(Limit::idle, 100s, 5190s, 100s));
}

TEST(Watchdog, TheHardLimitDoesNotCountThePause) {
  Watchdog dog({.idle = 0s, .hard = 200s, .warning = 0s}, kStart);
  dog.pause(kStart + 100s);
  dog.resume(kStart + 1000s);
  EXPECT_EQ(dog.check(kStart + 1099s), std::nullopt);
  EXPECT_EQ(dog.check(kStart + 1100s)->limit, Limit::hard);
}

}  // namespace
}  // namespace dragoman::process
