// SPDX-License-Identifier: Apache-2.0
// The reader for plain text, whatever markers are in it.
#pragma once

#include <memory>

#include "dragoman/dialect/reader.hpp"

namespace dragoman {

// `label` is what the stream is called until it turns out to be more than plain text.
[[nodiscard]] std::unique_ptr<Reader> make_text_reader(Dialect label, ReaderOptions options);

}  // namespace dragoman
