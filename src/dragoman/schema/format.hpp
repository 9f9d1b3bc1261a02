// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dragoman::schema {

// Whether `text` may stand where a schema says "format": `format`. Only date-time (RFC 3339),
// uuid (RFC 4122) and regex (ECMA-262) are looked at; every other format allows everything.
[[nodiscard]] bool has_format(std::string_view format, std::string_view text);

}  // namespace dragoman::schema
