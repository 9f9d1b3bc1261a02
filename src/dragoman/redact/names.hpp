// SPDX-License-Identifier: Apache-2.0
// What a name says about the value that it is given to.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman::redact {

enum class NameSays : std::uint8_t {
  nothing,
  key,       // a key of something: secret if it looks random
  secret,    // token, secret, api_key
  password,  // chosen by people: need not look random
  aws,       // the secret half of a key of AWS
};

// DB_PASSWORD, apiKey, x-api-key, spring.datasource.password: read by its words. PRIMARY_KEY,
// TOKEN_TYPE and KEY_PATH say nothing.
[[nodiscard]] NameSays what_name_says(std::string_view name);

}  // namespace dragoman::redact
