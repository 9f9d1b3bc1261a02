// SPDX-License-Identifier: Apache-2.0
// tests/golden/<reader>/<NNN_what_it_shows>/: `input` is read, the events must be `events.jsonl`.
// <reader> is a dialect or "auto", with "_strict" or "_compat" behind it where the mode matters.
// Adding a case means adding a directory; DRAGOMAN_GOLDEN_WRITE=1 records, and the diff is the
// review.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/text_lines.hpp"
#include "tests/support/files.hpp"

namespace dragoman::test {
namespace {

class LineWriter final : public EventSink {
 public:
  void on_event(const Event& event) override {
    append_json(lines, event);
    lines.push_back('\n');
  }
  std::string lines;
};

struct GoldenCase {
  std::string reader;  // the directory's name
  std::filesystem::path path;

  [[nodiscard]] std::string name() const { return reader + "_" + path.filename().string(); }
  [[nodiscard]] std::unique_ptr<Reader> make() const {
    std::string dialect = reader;
    ReaderOptions options;
    if (const std::size_t mode = reader.find('_'); mode != reader.npos) {
      options.mode = mode_named(reader.substr(mode + 1)).value();
      dialect.resize(mode);
    }
    if (dialect == "auto") return make_detecting_reader(options);
    return make_reader(dialect_named(dialect).value(), options);
  }
};

void PrintTo(const GoldenCase& golden, std::ostream* out) { *out << golden.path; }

std::vector<GoldenCase> golden_cases() {
  std::vector<GoldenCase> cases;
  for (const auto& reader : std::filesystem::directory_iterator(source_dir() / "tests/golden")) {
    if (!reader.is_directory()) continue;
    for (const auto& entry : std::filesystem::directory_iterator(reader.path()))
      cases.push_back({reader.path().filename().string(), entry.path()});
  }
  std::sort(cases.begin(), cases.end(),
            [](const GoldenCase& a, const GoldenCase& b) { return a.path < b.path; });
  return cases;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

class Golden : public testing::TestWithParam<GoldenCase> {};

TEST_P(Golden, ReadsAsRecorded) {
  LineWriter written;
  TextLines by_the_line(written);
  const std::unique_ptr<Reader> reader = GetParam().make();
  reader->push(read_file(GetParam().path / "input"), by_the_line);
  reader->finish(by_the_line);
  by_the_line.flush();
  const std::filesystem::path recorded = GetParam().path / "events.jsonl";
  if (std::getenv("DRAGOMAN_GOLDEN_WRITE") != nullptr) write_file(recorded, written.lines);
  EXPECT_EQ(lines_of(written.lines), lines_of(read_file(recorded)));
}

INSTANTIATE_TEST_SUITE_P(, Golden, testing::ValuesIn(golden_cases()),
                         [](const auto& golden) { return golden.param.name(); });

}  // namespace
}  // namespace dragoman::test
