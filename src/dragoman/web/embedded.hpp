// SPDX-License-Identifier: Apache-2.0
// What is compiled into the program for the server; see dragoman_embed() in cmake/Embed.cmake.
#pragma once

#include <span>

#include "dragoman/base/embedded.hpp"

namespace dragoman {

[[nodiscard]] std::span<const EmbeddedFile> embedded_web();  // openapi.json, recordings of the demo
// The dashboard as Vite built it, with .br and .gz beside the files that are worth it. Empty: it
// was not built.
[[nodiscard]] std::span<const EmbeddedFile> embedded_ui();

}  // namespace dragoman
