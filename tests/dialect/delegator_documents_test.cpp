// SPDX-License-Identifier: Apache-2.0
// Where one answer of a Delegator ends and the next begins, when some are cut.
#include <gtest/gtest.h>

#include "structured.hpp"

namespace dragoman::test {
namespace {

const std::string kGood =
    R"({"version":"3.6","schema_id":"codex/v3.6/registry_info/v1","tool_category":"registry_info","meta":{},"status":"ok","data":{"task_id":"T1"}})";
const std::string kPretty = R"({
  "schema_id": "codex/v3.6/registry_info/v1",
  "tool_category": "registry_info",
  "meta": {},
  "status": "ok",
  "data": {
    "task_id": "T2"
  }
})";
const std::string kCut = R"({"version":"3.6","schema_id":"codex/v3.6/registry_info/v1","meta":)";

struct Case {
  std::string what;
  std::string input;
  Lines events;
  std::vector<std::uint64_t> lines;  // where they stand
};

const std::vector<Case>& cases() {
  static const std::string good = "status registry_info";
  static const std::string bad = "malformed bad_json";
  static const std::vector<Case> all = {
      {"a value is missing",
       kCut + "\n" + kGood + "\n" + kGood + "\n",
       {bad, good, good},
       {1, 2, 3}},
      {"a key is missing",
       "{\"meta\":{\"a\":1,\n" + kGood + "\n" + kGood,
       {bad, good, good},
       {1, 2, 3}},
      {"a pretty one follows",
       kCut + "\n" + kPretty + "\n" + kGood + "\n",
       {bad, good, good},
       {1, 2, 11}},
      {"the stream ends with it", kCut + "\n" + kPretty + "\n", {bad, good}, {1, 2}},
      {"carriage returns count",
       kCut + "\r\n" + kGood + "\r\n" + kGood + "\n",
       {bad, good, good},
       {1, 2, 3}},
      {"noise follows",
       kCut + "\n" + kGood + "\nnpm warn\n" + kGood,
       {bad, good, "text npm warn", "diagnostic noise", good},
       {1, 2, 3, 3, 4}},
      {"several are cut",
       kCut + "\n" + kCut + "\n" + kGood + "\n]\n",
       {bad, bad, good, "text ]", "diagnostic noise"},
       {1, 2, 3, 4, 4}},
      {"a pretty one is cut",
       "{\n  \"meta\":\n" + kGood + "\n" + kGood,
       {bad, good, good},
       {1, 3, 4}},
      {"the last one is cut too",
       kCut + "\n" + kGood + "\n" + kCut,
       {bad, good, "malformed truncated_tail"},
       {1, 2, 3}},
      {"nothing is indented",
       "{\n\"schema_id\":\"codex/v3.6/registry_info/"
       "v1\",\n\"tool_category\":\"registry_info\",\n\"meta\":\n{\n},\n\"data\":\n{\n}\n}\n",
       {good},
       {1}},
  };
  return all;
}

TEST(DelegatorDocuments, ACutOneEndsWhereTheNextBegins) {
  for (const Case& each : cases()) {
    const Heard heard = hear(Dialect::delegator, each.input);
    EXPECT_EQ(outline(heard), each.events) << each.what;
    std::vector<std::uint64_t> lines;
    for (const Event& event : heard.events()) lines.push_back(event.origin.line);
    EXPECT_EQ(lines, each.lines) << each.what;
    EXPECT_TRUE(tiles(heard.records(), each.input.size())) << each.what;
  }
}

TEST(DelegatorDocuments, ACutOneEndsThereHoweverTheBytesWereChunked) {
  for (const Case& each : cases()) {
    const auto whole_reader = make_reader(Dialect::delegator);
    const StreamReading whole = read_whole(*whole_reader, each.input);
    for (std::size_t cut = 1; cut < each.input.size(); ++cut) {
      const auto reader = make_reader(Dialect::delegator);
      ASSERT_EQ(read_in_chunks(*reader, each.input,
                               [&](std::size_t at) { return at == 0 ? cut : each.input.size(); }),
                whole)
          << each.what << " cut at " << cut;
    }
  }
}

TEST(DelegatorDocuments, RecordsOfACutStreamAreItsLines) {
  const std::string input = "  " + kCut + "\r\n" + kGood + "\r\n" + kGood;
  const Heard heard = hear(Dialect::delegator, input);
  std::vector<std::string> records;
  for (const Record& record : heard.records()) {
    records.push_back(input.substr(record.offset, record.length));
  }
  EXPECT_EQ(records, (Lines{"  " + kCut + "\r\n", kGood + "\r\n", kGood}));
  EXPECT_EQ(heard.all<Malformed>().at(0)->raw, kCut);
}

}  // namespace
}  // namespace dragoman::test
