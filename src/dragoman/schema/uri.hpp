// SPDX-License-Identifier: Apache-2.0
// URI references as RFC 3986 resolves them; schemas name each other with these.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::schema {

// A reference cut at its first '#'. The fragment is as written, percent escapes and all.
struct SplitReference {
  std::string_view uri;
  std::string_view fragment;
};
[[nodiscard]] SplitReference split_fragment(std::string_view reference);

// What `reference` (without a fragment) means at `base`. A base without a scheme is allowed and
// treated as the path it is: "dragoman/event/v1" and "status/v1" make "dragoman/event/status/v1".
[[nodiscard]] std::string resolve(std::string_view base, std::string_view reference);

// Percent escapes decoded; a broken escape stays as it is.
[[nodiscard]] std::string percent_decoded(std::string_view text);

}  // namespace dragoman::schema
