// SPDX-License-Identifier: Apache-2.0
// A broker with several surfaces, and what people do on them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/log/clock.hpp"
#include "dragoman/surface/hooks.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/stand_in.hpp"
#include "tests/surface/broker_place.hpp"

namespace dragoman::surface {

using namespace std::chrono_literals;
using nlohmann::json;
using test::eventually;
using test::value_of;

inline std::int64_t now_s() { return wall_ms() / 1000; }

class BrokerTest : public BrokerPlace {
 protected:
  void start(std::vector<SurfaceSettings> surfaces, Policy policy = {}) {
    settings_.surfaces = std::move(surfaces);
    settings_.policy = std::move(policy);
    hooks_ = std::make_unique<Hooks>(*log_, settings_, nullptr);
    broker_ = std::make_unique<Broker>(service_, BrokerOptions{settings_, {}, 2s});
  }
  ask::QuestionRecord open(const std::string& id = "q1") {
    EXPECT_TRUE(desk_.open(test::a_question("T-local-1", id)));
    return value_of(desk_.find("T-local-1/" + id));
  }
  ask::QuestionRecord question(const std::string& id = "q1") {
    return value_of(desk_.find("T-local-1/" + id));
  }
  bool answered(const std::string& id = "q1") {
    return eventually([&] { return question(id).state == QuestionState::answered; });
  }
  HookAnswer click_discord(const std::string& ref, int option, const std::string& id,
                           const std::string& user = "u1") {
    const std::string body = json{{"type", 3},
                                  {"id", id},
                                  {"channel_id", "77"},
                                  {"data", {{"custom_id", fmt::format("{}:{}", ref, option)}}},
                                  {"member", {{"user", {{"id", user}, {"username", "dora"}}}}}}
                                 .dump();
    return hooks_->receive("/hooks/discord", test::discord_signed(body, now_s()));
  }
  HookAnswer click_slack(const std::string& ref, int option, const std::string& time) {
    const json event = {{"type", "block_actions"},
                        {"user", {{"id", "U1"}, {"username", "sam"}}},
                        {"channel", {{"id", "C7"}}},
                        {"actions",
                         {{{"action_id", fmt::format("{}:{}", ref, option)},
                           {"value", std::to_string(option)},
                           {"action_ts", time}}}}};
    const std::string body = "payload=" + http::url_encode(event.dump());
    return hooks_->receive("/hooks/slack",
                           test::slack_signed(body, now_s(), "8f742231b10e8888abcd99yyyzzz85a5"));
  }
  std::string audit() {
    std::string all;
    for (const auto& entry : value_of(log_->read("audit", 1, 100'000))) all += entry.body + "\n";
    return all;
  }

  ask::Desk desk_{*log_};
  std::unique_ptr<Hooks> hooks_;
};

}  // namespace dragoman::surface
