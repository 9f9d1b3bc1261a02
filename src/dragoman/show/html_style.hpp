// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dragoman::show {

// The style sheet of the page: the classes and colours of the WXCODE specification, light and dark,
// for screens from a phone up and for paper.
[[nodiscard]] std::string_view html_style();

// The Content-Security-Policy that allows this style sheet and nothing else at all.
[[nodiscard]] std::string html_policy();

}  // namespace dragoman::show
