// SPDX-License-Identifier: Apache-2.0
// What `nsc` and `openssl` make for a cluster that lets not everybody in.
#pragma once

#include <filesystem>
#include <string>

namespace dragoman::test {

// An operator, an account with JetStream, and a user of it, made for one test.
struct NatsAccount {
  std::string configuration;  // of the servers: operator, accounts
  std::string credentials;    // the text of the user's file
};
[[nodiscard]] NatsAccount make_nats_account();

// In `directory`: ca.pem; server.pem and server.key for localhost; elsewhere.pem and elsewhere.key
// for another host; client.pem and client.key; and other.pem, which signed none of them.
[[nodiscard]] bool make_certificates(const std::filesystem::path& directory);

}  // namespace dragoman::test
