// SPDX-License-Identifier: Apache-2.0
// One truth about the Delegator's document: its schemas, `check` and strict reading answer alike.
#include <string>

#include <gtest/gtest.h>

#include "dragoman/check/check.hpp"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/keep.hpp"
#include "tests/support/schemas.hpp"

namespace dragoman {
namespace {

// What strict reading has against the envelope; "" when it takes it.
std::string refusal(const std::string& envelope) {
  ReaderOptions strict;
  strict.mode = Mode::strict;
  EventList list;
  const auto reader = make_reader(Dialect::delegator, strict);
  reader->push(envelope + "\n", list);
  reader->finish(list);
  for (const Event& event : list.events()) {
    if (const auto* broken = event.as<Malformed>()) return std::string(broken->detail);
    if (event.as<Unknown>() != nullptr) return "unknown";
  }
  return {};
}

// The errors of `check`, one a line.
std::string errors(const std::string& envelope) {
  std::string found;
  check::Checker checker({Dialect::delegator, Mode::strict}, [&found](const check::Finding& each) {
    if (each.level == Level::error) found += each.rule + " " + each.message + "\n";
  });
  checker.push(envelope + "\n");
  checker.finish();
  return found;
}

TEST(DelegatorTruth, IsTheSameInSchemaCheckAndStrictReading) {
  std::size_t valid = 0;
  std::size_t invalid = 0;
  for (const test::Case& c :
       test::read_cases(test::schema_data_dir() / "schema-cases" / "delegator.json")) {
    EXPECT_EQ(refusal(c.instance).empty(), c.valid) << c.instance << "\n" << refusal(c.instance);
    EXPECT_EQ(errors(c.instance).empty(), c.valid) << c.instance << "\n" << errors(c.instance);
    ++(c.valid ? valid : invalid);
  }
  EXPECT_GT(valid, 100U);
  EXPECT_GT(invalid, 300U);
}

}  // namespace
}  // namespace dragoman
