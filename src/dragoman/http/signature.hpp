// SPDX-License-Identifier: Apache-2.0
// Proof that a request comes from whom it says. All comparing takes the same time, whatever is
// wrong.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"

namespace dragoman::http {

[[nodiscard]] std::string hmac_sha256_hex(std::string_view secret, std::string_view message);

[[nodiscard]] bool same_secret(std::string_view given, std::string_view expected);

// Key and signature in lower-case hex.
[[nodiscard]] bool verify_ed25519(std::string_view public_key_hex, std::string_view signature_hex,
                                  std::string_view message);

// `seed`: the 32 bytes of a private key. The results are bytes.
[[nodiscard]] Result<std::string> ed25519_public_key(std::string_view seed);
[[nodiscard]] Result<std::string> sign_ed25519(std::string_view seed, std::string_view message);

// Empty where something is not lower-case hex, or half a byte is left over.
[[nodiscard]] std::string from_hex(std::string_view hex);
[[nodiscard]] std::string to_hex(std::string_view bytes);

}  // namespace dragoman::http
