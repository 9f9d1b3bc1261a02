// SPDX-License-Identifier: Apache-2.0
// Every way we read JSON must agree with the grammar and with each other.
#include <cstdio>
#include <string>

#include "dragoman/json/cursor.hpp"
#include "dragoman/json/object_scanner.hpp"
#include "dragoman/json/writer.hpp"
#include "tests/support/json_reference.hpp"

namespace {

using namespace dragoman::json;

void demand(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "broken law: %s\n", law);
  __builtin_trap();
}

bool walks(Cursor& cursor) {
  std::string_view key;
  if (cursor.next_is(Kind::object)) {
    for (Members members(cursor); members.next(key);) walks(cursor);
  } else if (cursor.next_is(Kind::array)) {
    for (Elements elements(cursor); elements.next();) walks(cursor);
  } else {
    cursor.take();
  }
  return cursor.ok();
}

void check_cursor(std::string_view text) {
  const bool good = dragoman::test::JsonReference::accepts(text);
  Cursor taking(text, Cursor::Scalars::exact);
  taking.take();
  demand(taking.finish() == good, "take agrees with the grammar");
  Cursor walking(text, Cursor::Scalars::exact);
  demand((walks(walking) && walking.finish()) == good, "walking agrees with the grammar");
  Cursor lax(text);
  lax.skip();
  demand(lax.finish() || !good, "skipping refuses nothing that is good");
  if (!good) return;
  std::string once;
  append_raw(once, Raw{text});
  std::string twice;
  append_raw(twice, Raw{once});
  demand(once == twice, "writing is stable");
  demand(dragoman::test::JsonReference::accepts(once), "what is written is JSON");
}

void check_scanner(std::string_view text) {
  if (text.empty() || text[0] != '{') return;
  ObjectScanner whole;
  whole.start(ObjectScanner::Newlines::allowed);
  const auto state = whole.feed(text);
  ObjectScanner pieces;
  pieces.start(ObjectScanner::Newlines::allowed);
  auto last = ObjectScanner::State::needs_more;
  for (std::size_t end = 1; end <= text.size(); ++end)
    last = pieces.feed(std::string(text.substr(0, end)));
  demand(last == state && pieces.position() == whole.position() && pieces.fault() == whole.fault(),
         "a scanner does not care how its payload was cut");
  if (whole.fault() == Fault::number_range) return;
  Cursor cursor(text, Cursor::Scalars::exact);
  cursor.take();
  demand((state == ObjectScanner::State::complete) == cursor.ok(), "scanner and cursor agree");
  if (state == ObjectScanner::State::failed)
    demand(whole.position() == cursor.fault_at(), "scanner and cursor name the same place");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_cursor(text);
  check_scanner(text);
  return 0;
}
