// SPDX-License-Identifier: Apache-2.0
// Texts that only look as if they had a secret.
#pragma once

#include <string>
#include <vector>

namespace dragoman::redact {

[[nodiscard]] std::vector<std::string> harmless_texts();

}  // namespace dragoman::redact
