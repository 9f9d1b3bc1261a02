// SPDX-License-Identifier: Apache-2.0
// Certificates that `openssl` makes for one test.
#pragma once

#include <filesystem>

namespace dragoman::test {

// In `directory`: ca.pem; server.pem and server.key for localhost; elsewhere.pem and elsewhere.key
// for another host; client.pem and client.key; and other.pem, which signed none of them.
[[nodiscard]] bool make_certificates(const std::filesystem::path& directory);

}  // namespace dragoman::test
