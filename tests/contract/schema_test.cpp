// SPDX-License-Identifier: Apache-2.0
// What readers write is what schemas/event promises.
#include <string>

#include <gtest/gtest.h>

#include "dragoman/schema/validator.hpp"
#include "tests/support/random_events.hpp"
#include "tests/support/readers.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

const schema::Validator& event_schema() {
  static const schema::Validator kValidator = *schema::Validator::with_id("dragoman/event/v1");
  return kValidator;
}

std::string finding_about(const std::string& line) {
  const auto tree = schema::Tree::parse(line);
  if (!tree) return tree.error().message;
  const auto findings = event_schema().validate(*tree);
  if (!findings) return findings.error().message;
  if (findings->empty()) return {};
  return findings->front().instance_path + " " + findings->front().message + " (" +
         findings->front().schema_path + ")";
}

TEST(EventSchema, HoldsForEveryEventOfEveryRecordedInput) {
  for (const ReaderCase& reader : all_readers()) {
    for (const Input& input : recorded_inputs()) {
      if (reader.name.find("default") == reader.name.npos && input.name.rfind("golden", 0) != 0)
        continue;
      const std::string lines =
          transcribe(reader.maker(), input.bytes, {}, Scrutiny::tiling_only).lines;
      // A field of the wrong type is kept as the agent wrote it, under its own name.
      if (lines.find("\"rule\":\"field_type\"") != lines.npos) continue;
      for (std::size_t from = 0; from < lines.size();) {
        const std::size_t end = lines.find('\n', from);
        const std::string line = lines.substr(from, end - from);
        from = end + 1;
        ASSERT_EQ(finding_about(line), "") << reader.name << " on " << input.name << "\n" << line;
      }
    }
  }
}

TEST(EventSchema, KnowsEveryFieldOfEveryKind) {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    RandomEvents events(300 + kind);
    for (std::size_t i = 0; i < scaled(2000); ++i) {
      Arena arena;
      Event event = events.make(static_cast<Kind>(kind), arena);
      event.origin.line = std::max<std::uint64_t>(1, event.origin.line);
      const std::string line = to_json(event);
      if (finding_about(line).find("seq") != std::string::npos) continue;
      // Whatever the schema says against the values, it must not be that a field is not known.
      ASSERT_EQ(finding_about(line).find("unevaluated"), std::string::npos) << line;
      ASSERT_EQ(finding_about(line).find("not allowed"), std::string::npos) << line;
    }
  }
}

}  // namespace
}  // namespace dragoman::test
