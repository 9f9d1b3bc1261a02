// SPDX-License-Identifier: Apache-2.0
// How an origin is spelled in a canonical line, whatever the line is put together in.
#pragma once

#include "dragoman/event/names.hpp"
#include "dragoman/event/origin.hpp"

namespace dragoman {

// Everything but the parent, which may need escapes, and the closing brace.
template <typename Out>
void put_origin(Out& out, const Origin& origin) {
  out << R"(,"origin":{"dialect":")" << name(origin.dialect);
  if (origin.via.has_value()) out << R"(","via":")" << name(*origin.via);
  out << R"(","stream":")" << name(origin.stream) << R"(","offset":)" << origin.offset
      << R"(,"length":)" << origin.length;
  if (origin.at.has_value()) out << R"(,"at":)" << *origin.at;
  out << R"(,"line":)" << origin.line << R"(,"channel":")" << name(origin.channel) << "\"";
}

}  // namespace dragoman
