// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/tool_output.hpp"

#include <string>

#include "dragoman/dialect/field_table.hpp"

namespace dragoman {
namespace {

struct Part {
  json::Value type;
  json::Value text;
};
constexpr FieldTable kPart({
    Slot<Part>{"type", &Part::type},
    {"text", &Part::text},
});

}  // namespace

ToolOutput output_of_parts(std::string_view parts, Arena& arena) {
  ToolOutput output;
  std::string joined;  // still escaped
  json::Cursor cursor(parts);
  for (json::Elements elements(cursor); elements.next();) {
    Part part;
    bool duplicate = false;
    pass_object(cursor, kPart, part, duplicate);
    if (part.type.raw != R"("text")" || !part.text.is(json::Kind::string)) {
      output.all_text = false;
    } else if (output.text.absent()) {
      output.text = part.text.text();
    } else {
      if (joined.empty()) joined = output.text.bytes;
      joined += "\\n";
      joined += part.text.text().bytes;
    }
  }
  if (!joined.empty()) output.text = json::Text(arena.copy(joined), true);
  return output;
}

}  // namespace dragoman
