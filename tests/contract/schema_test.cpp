// SPDX-License-Identifier: Apache-2.0
// What readers write is what schemas/event promises.
#include <string>

#include <gtest/gtest.h>

#include "dragoman/schema/validator.hpp"
#include "tests/support/random_events.hpp"
#include "tests/support/readers.hpp"
#include "tests/support/reading.hpp"
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
      for (std::size_t from = 0; from < lines.size();) {
        const std::size_t end = lines.find('\n', from);
        const std::string line = lines.substr(from, end - from);
        from = end + 1;
        ASSERT_EQ(finding_about(line), "") << reader.name << " on " << input.name << "\n" << line;
      }
    }
  }
}

// What an agent writes in the place of a typed field stands beside it, under a name of its own.
TEST(EventSchema, HoldsForFieldsOfTheWrongType) {
  struct Row {
    Dialect dialect;
    std::string_view line;
  };
  constexpr Row kRows[] = {
      {Dialect::wxcode,
       R"(<!-- WXCODE:STATUS:{"status":"completed","message":5,"progress":"x","steps":5} -->)"},
      {Dialect::wxcode,
       R"(<!-- WXCODE:TOOL_RESULT:{"tool":"B","success":true,"duration_ms":-5,"id":7} -->)"},
      {Dialect::wxcode,
       R"(<!-- WXCODE:ERROR:{"code":"E","message":"m","recoverable":true,"reason":1} -->)"},
      {Dialect::markers, "[CODEX_COMPLETE] Task completed in -5 iterations"},
      {Dialect::markers, "[DEPENDENCY_NEEDED] (npm)"},
      {Dialect::claude,
       R"({"type":"result","subtype":"success","is_error":false,"num_turns":-1,"duration_ms":-1,"usage":{"input_tokens":-5}})"},
      {Dialect::claude,
       R"({"type":"system","subtype":"api_retry","error":"rate_limit","attempt":-1,"retry_delay_ms":-5})"},
  };
  for (const auto& [dialect, line] : kRows) {
    const Heard heard(*make_reader(dialect), std::string(line) + "\n");
    ASSERT_FALSE(heard.events().empty()) << line;
    for (const Event& event : heard.events()) {
      Event numbered = event;
      numbered.seq = 1;
      EXPECT_EQ(finding_about(to_json(numbered)), "") << to_json(numbered);
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
