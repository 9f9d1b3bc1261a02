// SPDX-License-Identifier: Apache-2.0
// What the writers write keeps to the schemas.
#include <filesystem>

#include <gtest/gtest.h>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/dialect/writer.hpp"
#include "dragoman/event/keep.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/run/verdict.hpp"
#include "dragoman/schema/validator.hpp"
#include "tests/support/files.hpp"
#include "tests/support/random_speech.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/schemas.hpp"
#include "tests/support/writing.hpp"

namespace dragoman {
namespace {

// "" when the document is valid.
std::string findings(const schema::Validator& validator, std::string_view document) {
  return test::verdict(validator, std::string(document));
}

std::string delegated(const std::filesystem::path& capture, Dialect dialect) {
  EventList list;
  const auto reader = make_reader(dialect);
  reader->push(test::read_file(capture), list);
  reader->finish(list);
  const auto writer = make_writer(Target::delegator);
  std::string out;
  for (const Event& event : list.events()) EXPECT_TRUE(writer->write(event, out));
  writer->finish(out);
  return out;
}

TEST(WrittenEnvelopes, OfEveryCaptureKeepToTheirSchema) {
  const auto validator = schema::Validator::with_id("codex/v3.6/result_set/v1");
  ASSERT_TRUE(validator) << validator.error().message;
  int envelopes = 0;
  for (const Dialect dialect : {Dialect::claude, Dialect::codex}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             test::source_dir() / "tests/data/captures" / name(dialect))) {
      if (entry.path().extension() != ".jsonl") continue;
      const std::string envelope = delegated(entry.path(), dialect);
      if (envelope.empty()) continue;  // a run that printed nothing
      ++envelopes;
      EXPECT_EQ(findings(*validator, envelope), "") << entry.path() << "\n" << envelope;
    }
  }
  EXPECT_GT(envelopes, 100);
}

Verdict verdict_of(std::string_view bytes, Dialect dialect) {
  RunFold run;
  const auto reader = make_reader(dialect);
  reader->push(bytes, run);
  reader->finish(run);
  return judge(run.summary(), {});
}

TEST(WrittenEnvelopes, OfEveryCaptureTellTheSameEnd) {
  for (const Dialect dialect : {Dialect::claude, Dialect::codex}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             test::source_dir() / "tests/data/captures" / name(dialect))) {
      if (entry.path().extension() != ".jsonl") continue;
      const std::string envelope = delegated(entry.path(), dialect);
      if (envelope.empty()) continue;
      const Verdict run = verdict_of(test::read_file(entry.path()), dialect);
      const Verdict told = verdict_of(envelope, Dialect::delegator);
      EXPECT_EQ(told.exit_code, run.exit_code) << entry.path() << "\n" << explain(told);
      // The envelope has no word for a run without an end but that it failed.
      const bool failed = run.kind == VerdictKind::incomplete && told.kind == VerdictKind::failed;
      EXPECT_TRUE(failed || told.kind == run.kind) << entry.path() << "\n" << explain(told);
      for (const std::string_view why : {"rate_limited", "overloaded", "quota", "auth_required",
                                         "context_too_long", "max_turns", "session_expired"}) {
        EXPECT_EQ(told.has(why), run.has(why)) << entry.path() << "\n" << why;
      }
    }
  }
}

TEST(WrittenMarkers, OfRandomEventsKeepToTheirSchemas) {
  std::map<std::string, schema::Validator> validators;
  test::RandomSpeech speech(5, test::Values::any);
  const std::size_t count = test::scaled(20000);
  for (std::size_t i = 0; i < count; ++i) {
    Arena arena;
    const std::string out = test::written(Target::wxcode, {test::event_of(speech.wxcode(arena))});
    const std::string prefix = "<!-- WXCODE:";
    const std::size_t colon = out.find(':', prefix.size());
    const std::string type = out.substr(prefix.size(), colon - prefix.size());
    if (!validators.contains(type)) {
      auto compiled = schema::Validator::compile(
          test::read_file(test::source_dir() / "schemas/wxcode" / (type + ".json")));
      ASSERT_TRUE(compiled) << type;
      validators.emplace(type, *std::move(compiled));
    }
    const std::string payload = out.substr(colon + 1, out.find(" -->\n") - colon - 1);
    // An ERROR whose `recoverable` nobody knows lacks that field.
    if (type == "ERROR" && payload.find("\"recoverable\":") == std::string::npos) continue;
    ASSERT_EQ(findings(validators.at(type), payload), "") << payload;
  }
  EXPECT_EQ(validators.size(), 6U);
}

}  // namespace
}  // namespace dragoman
