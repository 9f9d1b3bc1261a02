// SPDX-License-Identifier: Apache-2.0
// A broker with one surface on a store of its own.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "dragoman/surface/broker.hpp"
#include "tests/log/engines.hpp"
#include "tests/surface/support.hpp"

namespace dragoman::surface {

class BrokerPlace : public testing::Test {
 protected:
  void start(const SurfaceSettings& surface) {
    settings_.surfaces = {surface};
    broker_ =
        std::make_unique<Broker>(service_, BrokerOptions{settings_, {}, std::chrono::seconds(2)});
  }
  // Returns what the surfaces call it.
  std::string open(const ask::QuestionRecord& asked) {
    EXPECT_TRUE(service_.desk().open(asked));
    return question_ref(question(asked.id));
  }
  std::string open(const std::string& id) { return open(test::a_question("T-local-1", id)); }
  ask::QuestionRecord question(const std::string& id) {
    return test::value_of(service_.desk().find("T-local-1/" + id));
  }

  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  task::Service service_{*log_, {2, [] { return Result<void>(); }}};
  Settings settings_;
  std::unique_ptr<Broker> broker_;
};

}  // namespace dragoman::surface
