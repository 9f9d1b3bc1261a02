// SPDX-License-Identifier: Apache-2.0
// The examples in docs/dialects are what they say they are.
#include <gtest/gtest.h>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/dialect/writer.hpp"
#include "dragoman/schema/validator.hpp"
#include "tests/support/comparing.hpp"
#include "tests/support/files.hpp"
#include "tests/support/schemas.hpp"

namespace dragoman {
namespace {

std::string page(std::string_view name) {
  return test::read_file(test::source_dir() / "docs/dialects" / (std::string(name) + ".md"));
}

// The fences of a page that are opened with ``` and this word.
std::vector<std::string> fences(const std::string& text, const std::string& word) {
  std::vector<std::string> out;
  const std::string open = "```" + word + "\n";
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    const std::size_t begin = at + open.size();
    const std::size_t end = text.find("\n```", begin) + 1;
    out.push_back(text.substr(begin, end - begin));
    at = end;
  }
  return out;
}

std::unique_ptr<EventList> read(const std::string& bytes, Dialect dialect) {
  auto list = std::make_unique<EventList>();
  const auto reader = make_reader(dialect);
  reader->push(bytes, *list);
  reader->finish(*list);
  return list;
}

TEST(DialectDocs, ShowExamplesThatReadWithoutAFinding) {
  for (const Dialect dialect : {Dialect::wxcode, Dialect::question, Dialect::markers,
                                Dialect::claude, Dialect::codex, Dialect::delegator}) {
    const bool plain =
        dialect == Dialect::wxcode || dialect == Dialect::question || dialect == Dialect::markers;
    const auto examples = fences(page(name(dialect)), plain ? "example" : "json");
    ASSERT_EQ(examples.size(), 1U) << name(dialect);
    const auto list = read(examples[0], dialect);
    EXPECT_GE(list->events().size(), 2U) << name(dialect);
    for (const Event& event : list->events()) {
      EXPECT_LT(event.kind(), Kind::quoted_marker) << name(dialect) << ": " << test::data_of(event);
    }
  }
}

TEST(DialectDocs, ShowAnEnvelopeThatKeepsToItsSchema) {
  const auto validator = schema::Validator::with_id("codex/v3.6/result_set/v1");
  ASSERT_TRUE(validator) << validator.error().message;
  EXPECT_EQ(test::verdict(*validator, fences(page("delegator"), "json")[0]), "");
}

TEST(DialectDocs, HaveAPageForEverythingThatIsReadOrWritten) {
  for (const Target target : all_targets()) EXPECT_NE(page(name(target)), "") << name(target);
  for (const std::string_view dialect : {"text", "codex"}) EXPECT_NE(page(dialect), "") << dialect;
}

TEST(DialectDocs, ShowAWxcodeDocumentAsWeWriteIt) {
  const std::string example = fences(page("wxcode"), "example")[0];
  const auto list = read(example, Dialect::wxcode);
  const auto writer = make_writer(Target::wxcode);
  std::string out;
  for (const Event& event : list->events()) ASSERT_TRUE(writer->write(event, out));
  writer->finish(out);
  EXPECT_EQ(out, example);
}

}  // namespace
}  // namespace dragoman
