// SPDX-License-Identifier: Apache-2.0
// The events of a recording, read back where a reader of a dialect is expected.
#pragma once

#include <memory>

#include "dragoman/dialect/reader.hpp"

namespace dragoman::cli {

// Canonical lines to the events that they are. Lines that are none are passed over, as the half
// line is that a crash leaves. `dialect`: that of the run.
[[nodiscard]] std::unique_ptr<Reader> make_event_line_reader(Dialect dialect);

}  // namespace dragoman::cli
