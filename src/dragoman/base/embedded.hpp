// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dragoman {

// A file of the source tree compiled into the program; see dragoman_embed() in cmake/Embed.cmake.
// Both views live as long as the program.
struct EmbeddedFile {
  std::string_view name;  // relative to the embedded directory, with '/'
  std::string_view bytes;

  friend bool operator==(const EmbeddedFile&, const EmbeddedFile&) = default;
};

}  // namespace dragoman
