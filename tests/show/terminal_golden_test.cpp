// SPDX-License-Identifier: Apache-2.0
// tests/show/golden/<case>/: the events of `events.jsonl` on terminals of three widths, with and
// without colours; an escape is shown as ␛. DRAGOMAN_GOLDEN_WRITE=1 records, the diff is the
// review.
#include <cstdlib>
#include <initializer_list>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"
#include "dragoman/show/columns.hpp"
#include "dragoman/show/terminal_renderer.hpp"
#include "tests/show/golden.hpp"
#include "tests/support/files.hpp"

namespace dragoman::show {
namespace {

std::string render(const std::string& lines, const RenderOptions& options) {
  std::string out;
  TerminalRenderer renderer(options);
  renderer.begin(0, {}, out);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    Arena arena;
    const std::string line = lines.substr(at, end - at);
    const Result<Event> event = read_event(line, arena);
    EXPECT_TRUE(event) << line;
    if (event) renderer.event(0, *event, out);
    at = end + 1;
  }
  renderer.end(0, out);
  renderer.finish(out);
  return out;
}

std::string readable(std::string text) {
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b', at)) {
    text.replace(at, 1, "\u241B");
  }
  return text;
}

class Terminal : public testing::TestWithParam<std::string> {};

TEST_P(Terminal, ShowsItAsRecorded) {
  const auto directory = golden_dir() / GetParam();
  const std::string events = test::read_file(directory / "events.jsonl");
  for (const std::size_t width : std::initializer_list<std::size_t>{40, 80, 120}) {
    for (const ColorDepth color : {ColorDepth::none, ColorDepth::rgb24}) {
      const std::string shown = readable(render(events, {.width = width, .color = color}));
      const auto file = directory / fmt::format("terminal_{}{}.txt", width,
                                                color == ColorDepth::none ? "" : "_color");
      if (std::getenv("DRAGOMAN_GOLDEN_WRITE") != nullptr) {
        test::write_file(file, shown);
      } else {
        EXPECT_EQ(shown, test::read_file(file)) << file;
      }
    }
  }
}

TEST_P(Terminal, NeverWritesBehindTheEdge) {
  const std::string events = test::read_file(golden_dir() / GetParam() / "events.jsonl");
  for (std::size_t width = 20; width <= 100; width += 7) {
    const std::string shown = render(events, {.width = width, .detail = Detail::verbose});
    for (std::size_t at = 0; at < shown.size();) {
      const std::size_t end = shown.find('\n', at);
      EXPECT_LE(columns(std::string_view(shown).substr(at, end - at)), width)
          << shown.substr(at, end - at);
      at = end + 1;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, Terminal, testing::ValuesIn(golden_cases()),
                         [](const auto& one) { return one.param; });

TEST(TerminalGolden, HasACaseForEveryKind) {
  std::set<std::string> kinds;
  for (const std::string& name : golden_cases()) {
    const std::string lines = test::read_file(golden_dir() / name / "events.jsonl");
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = lines.find('\n', at);
      Arena arena;
      const std::string line = lines.substr(at, end - at);
      if (const auto event = read_event(line, arena)) {
        kinds.insert(std::string(dragoman::name(event->kind())));
      }
      at = end + 1;
    }
  }
  EXPECT_EQ(kinds.size(), kKinds);
}

}  // namespace
}  // namespace dragoman::show
