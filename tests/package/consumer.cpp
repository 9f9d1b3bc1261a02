// SPDX-License-Identifier: Apache-2.0
// What a user of the installed C++ library writes: bytes in, events out.
#include <iostream>

#include "dragoman/base/arena.hpp"
#include "dragoman/event/json.hpp"

int main() {
  dragoman::Arena arena;
  const auto event = dragoman::read_event(
      R"({"seq":1,"kind":"text","data":{"text":"hello"},"origin":{"dialect":"text","stream":"stdout",)"
      R"("offset":0,"length":5,"line":1,"channel":"stdout"}})",
      arena);
  if (!event) {
    std::cerr << event.error().message << '\n';
    return 1;
  }
  std::cout << dragoman::to_json(*event) << '\n';
  return 0;
}
