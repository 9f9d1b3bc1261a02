// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/rate_policy.hpp"

#include <gtest/gtest.h>

namespace dragoman::http {
namespace {

constexpr std::int64_t kNow = 5'000'000;
constexpr std::int64_t kWall = 1'700'000'000'000;

std::int64_t wait_after(RatePolicy& policy, const ClientResponse& response,
                        Access access = Access::read) {
  policy.seen(response, kNow, kWall);
  return policy.not_before(access) - kNow;
}

TEST(RatePolicy, WaitsAsLongAsTheServerSays) {
  const std::vector<std::pair<ClientResponse, std::int64_t>> rows = {
      {{429, {{"Retry-After", "7"}}, ""}, 7000},
      {{429, {{"retry-after", "1.5"}}, ""}, 1500},
      {{429, {{"Retry-After", "999999999"}}, ""}, 316224000000},
      {{429, {{"Retry-After", "99999999999999999999"}}, ""}, 316224000000},
      {{429,
        {{"Date", "Tue, 14 Nov 2023 22:13:00 GMT"},
         {"Retry-After", "Tue, 14 Nov 2023 22:15:00 GMT"}},
        ""},
       120000},
      {{429, {{"Retry-After", "Tue, 14 Nov 2023 22:15:20 GMT"}}, ""}, 120000},
      {{403, {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1700000100"}}, ""}, 101000},
      {{403,
        {{"Date", "Tue, 14 Nov 2023 22:13:10 GMT"},
         {"X-RateLimit-Remaining", "0"},
         {"X-RateLimit-Reset", "1700000100"}},
        ""},
       111000},
      {{200, {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1700000010"}}, ""}, 11000},
      {{429,
        {{"Retry-After", "2"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset-After", "9.25"}},
        R"({"retry_after": 9.5})"},
       9500},
  };
  for (const auto& [response, wait] : rows) {
    RatePolicy policy(github_rates());
    EXPECT_EQ(wait_after(policy, response), wait) << response.status << response.fields[0].second;
  }
}

TEST(RatePolicy, WaitsLongerEachTimeWhereNothingIsSaid) {
  for (const char* useless : {"", "0", "-1", "soon"}) {
    RatePolicy policy(github_rates());
    ClientResponse response{403, {}, "You have exceeded a secondary rate limit."};
    if (*useless != '\0') response.fields.emplace_back("Retry-After", useless);
    EXPECT_EQ(wait_after(policy, response), 60'000) << useless;
    EXPECT_EQ(wait_after(policy, response), 120'000) << useless;
    EXPECT_EQ(wait_after(policy, response), 240'000) << useless;
    EXPECT_EQ(wait_after(policy, {200, {}, ""}), 240'000) << "a demand is not taken back";
  }
}

TEST(RatePolicy, KeepsTheLimitsThatAreKnown) {
  RatePolicy policy(github_rates());
  policy.sent(Access::write, kNow);
  EXPECT_EQ(policy.not_before(Access::write), kNow + 1000);
  EXPECT_EQ(policy.not_before(Access::read), 0);
  for (int i = 1; i < 80; ++i) policy.sent(Access::write, kNow + i * 10);
  EXPECT_EQ(policy.not_before(Access::write), kNow + 60'000);
  for (int i = 80; i < 500; ++i) policy.sent(Access::write, kNow + i * 1000);
  EXPECT_EQ(policy.not_before(Access::write), kNow + 3'600'000);
}

TEST(RatePolicy, TellsARefusalFromALimit) {
  const RatePolicy github(github_rates());
  EXPECT_TRUE(github.throttles({429, {}, ""}));
  EXPECT_TRUE(github.throttles({403, {{"Retry-After", "1"}}, ""}));
  EXPECT_TRUE(github.throttles({403, {}, "secondary rate limit"}));
  EXPECT_FALSE(github.throttles({403, {}, "Resource not accessible by integration"}));
  EXPECT_FALSE(RatePolicy(discord_rates()).throttles({403, {{"Retry-After", "1"}}, ""}));
}

TEST(RatePolicy, RemembersWhatWasDemandedBeforeARestart) {
  RatePolicy policy(discord_rates());
  policy.hold_until(kNow + 500);
  policy.hold_until(kNow + 100);
  EXPECT_EQ(policy.not_before(Access::read), kNow + 500);
  EXPECT_EQ(policy.held_until(), kNow + 500);
}

}  // namespace
}  // namespace dragoman::http
