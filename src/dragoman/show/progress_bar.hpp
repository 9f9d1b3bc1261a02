// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::show {

// "[████████░░░░░░░░░░░░]": full only at 100, empty only below one cell.
[[nodiscard]] std::string progress_bar(double percent, std::size_t cells);

// What stands where there is no bar: a filled, half, empty circle and its like.
[[nodiscard]] std::string_view status_sign(std::string_view status);

}  // namespace dragoman::show
