// SPDX-License-Identifier: Apache-2.0
// Any bytes are read as an event or refused; what was read is written and read back.
#include <string>

#include "fuzz/reader_laws.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  Arena arena;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const Result<Event> event = read_event(line, arena);
  if (!event) return 0;
  const std::string written = to_json(*event);
  const std::string law = test::broken_line_law(written);
  if (!law.empty()) fuzz::demand(law + written);
  return 0;
}
