// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/event/origin.hpp"

namespace dragoman::web {

// The name of what the bytes are compressed with, by how they begin; empty: with nothing known. No
// capture begins so.
[[nodiscard]] std::string_view compression_of(std::string_view bytes);

// A capture as a JSON document: {"dialect":…,"events":[…],"verdict":{…},"stats":{…}}. Events beyond
// what a page can show are counted, not listed.
[[nodiscard]] std::string parsed_document(std::string_view capture, std::optional<Dialect> dialect);

}  // namespace dragoman::web
