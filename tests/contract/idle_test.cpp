// SPDX-License-Identifier: Apache-2.0
// idle() may give a block out early and again later; it never loses or invents anything.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/random.hpp"
#include "tests/support/readers.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

// What a stream said in the end: the last version of everything that can be updated, everything
// else as it is, and the words.
struct Upshot {
  std::map<std::string, std::string> last;
  std::set<std::string> once;
  std::string words;
  std::string broken;
  int repeated = 0;  // remarks that were made twice about the same place
  friend bool operator==(const Upshot&, const Upshot&) = default;
};

bool can_be_updated(std::string_view kind) {
  static const std::set<std::string_view> kKinds = {
      "question",      "blocked",           "files_changed",    "test_results",
      "lint_warnings", "dependency_needed", "commit_suggestion"};
  return kKinds.count(kind) != 0;
}

void PrintTo(const Upshot& upshot, std::ostream* out) {
  for (const auto& [key, value] : upshot.last) *out << "\n  " << key << " " << value;
  for (const std::string& line : upshot.once) *out << "\n  " << line;
  *out << "\n  words: " << testing::PrintToString(upshot.words) << " " << upshot.broken;
}

Upshot upshot_of(const std::string& lines, std::string broken) {
  Upshot upshot;
  upshot.broken = std::move(broken);
  std::set<std::string> said;
  std::size_t from = 0;
  while (from < lines.size()) {
    const std::size_t end = lines.find('\n', from);
    const std::string line = lines.substr(from, end - from);
    from = end + 1;
    const auto event = nlohmann::json::parse(line);
    const std::string kind = event.at("kind");
    const std::string offset = event.at("origin").at("offset").dump();
    nlohmann::json data = event.at("data");
    if (kind == "text") {
      upshot.words += data.at("text").get<std::string>();
    } else if (can_be_updated(kind)) {
      upshot.last[kind + "@" + offset] = data.dump();
    } else if (kind == "malformed") {
      // In strict mode a block may turn out to be one only when it has grown.
      std::erase_if(upshot.last,
                    [&](const auto& entry) { return entry.first.ends_with("@" + offset); });
      upshot.once.insert(line);
    } else if (kind == "diagnostic") {
      upshot.once.insert(line);
      nlohmann::json place = event.at("origin");
      place.erase("length");
      if (!said.insert(place.dump() + data.dump()).second) {
        ++upshot.repeated;
      }
    } else {
      upshot.once.insert(line);
    }
  }
  return upshot;
}

Upshot read_with_idle(const ReaderCase& reader_case, std::string_view input, std::size_t at) {
  const std::unique_ptr<Reader> reader = reader_case.make();
  LawSink sink(input, Scrutiny::full);
  reader->push(input.substr(0, at), sink);
  if (at < input.size()) {
    reader->idle(sink);
    reader->push(input.substr(at), sink);
  }
  reader->finish(sink);
  sink.finish();
  const std::string broken = sink.broken();
  return upshot_of(sink.take_lines(), broken);
}

class ReaderIdle : public testing::TestWithParam<ReaderCase> {};

TEST_P(ReaderIdle, AnywhereChangesNothingInTheEnd) {
  Random random(9);
  for (const Input& input : recorded_inputs()) {
    if (input.name.rfind("golden/", 0) != 0 || input.bytes.size() > 1500) continue;
    const Upshot expected = read_with_idle(GetParam(), input.bytes, input.bytes.size());
    // In full: at every byte of bracket markers, whose blocks grow, and at every fourth elsewhere.
    const std::size_t size = input.bytes.size();
    const bool marker_text = input.name.find("/markers") != input.name.npos;
    const std::size_t positions = scaled(marker_text ? 4 * size : size / 4 + 1);
    const std::size_t step = std::max<std::size_t>(1, size / positions) * step_with_sanitizers(4);
    for (std::size_t at = random.below(step); at < size; at += step) {
      ASSERT_EQ(read_with_idle(GetParam(), input.bytes, at), expected)
          << input.name << ", idle at " << at;
    }
  }
}

// A reader that detects shows the first lines as text at idle() and may give them to the dialect it
// finds otherwise.
std::vector<ReaderCase> readers_that_know() {
  std::vector<ReaderCase> known;
  for (const ReaderCase& reader : all_readers()) {
    if (reader.dialect.has_value()) known.push_back(reader);
  }
  return known;
}

INSTANTIATE_TEST_SUITE_P(Every, ReaderIdle, testing::ValuesIn(readers_that_know()),
                         [](const auto& reader) { return reader.param.name; });

TEST(DetectingReader, KeepsItsLawsWhenItIsIdle) {
  const ReaderCase detecting{"auto", std::nullopt, {}};
  for (const Input& input : recorded_inputs()) {
    if (input.bytes.size() > 1500) continue;
    for (std::size_t at = 0; at < input.bytes.size(); at += 1 + at / 4)
      ASSERT_EQ(read_with_idle(detecting, input.bytes, at).broken, "") << input.name << at;
  }
}

}  // namespace
}  // namespace dragoman::test
