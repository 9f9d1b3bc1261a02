// SPDX-License-Identifier: Apache-2.0
// What `nsc` makes for a cluster that lets not everybody in.
#pragma once

#include <string>

namespace dragoman::test {

// An operator, an account with JetStream, and a user of it, made for one test.
struct NatsAccount {
  std::string configuration;  // of the servers: operator, accounts
  std::string credentials;    // the text of the user's file
};
[[nodiscard]] NatsAccount make_nats_account();

}  // namespace dragoman::test
