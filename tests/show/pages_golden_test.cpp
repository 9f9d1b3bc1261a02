// SPDX-License-Identifier: Apache-2.0
// tests/show/golden/<case>/: the events of `events.jsonl` in every page format. Adding a case means
// adding a directory; DRAGOMAN_GOLDEN_WRITE=1 records, and the diff is the review.
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"
#include "dragoman/show/page_renderer.hpp"
#include "dragoman/show/timeline_views.hpp"
#include "tests/show/golden.hpp"
#include "tests/support/files.hpp"

namespace dragoman::show {
namespace {

using test::read_file;
using test::source_dir;
using test::write_file;

struct Rendered {
  std::string out;
  std::string summary;
};

Rendered render(Renderer& renderer, const std::string& lines) {
  Rendered rendered;
  renderer.begin(0, "", rendered.out);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    Arena arena;
    const std::string line = lines.substr(at, end - at);
    const Result<Event> event = read_event(line, arena);
    EXPECT_TRUE(event) << line;
    if (event) renderer.event(0, *event, rendered.out);
    at = end + 1;
  }
  renderer.end(0, rendered.out);
  renderer.finish(rendered.out);
  rendered.summary = renderer.summary();
  return rendered;
}

RenderOptions golden_options() {
  RenderOptions options;
  options.title = "A run";
  options.secret = "sixteen random bytes";
  options.detail = Detail::verbose;
  return options;
}

// The frame is the same on every page; one golden file shows it.
std::string inside_main(const std::string& page) {
  const std::size_t from = page.find('\n', page.find("<main")) + 1;
  return page.substr(from, page.find("</main>") - from);
}

class Pages : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::string events() const {
    return read_file(golden_dir() / GetParam() / "events.jsonl");
  }
  void expect_recorded(const std::string& file, const std::string& shown) const {
    const std::filesystem::path path = golden_dir() / GetParam() / file;
    if (std::getenv("DRAGOMAN_GOLDEN_WRITE") != nullptr) write_file(path, shown);
    EXPECT_EQ(shown, read_file(path)) << path;
  }
};

TEST_P(Pages, LookAsRecorded) {
  const RenderOptions options = golden_options();
  expect_recorded("page.html", inside_main(render(*make_html_renderer(options), events()).out));
  expect_recorded("page.md", render(*make_markdown_renderer(options), events()).out);
  expect_recorded("github.log", render(*make_github_renderer(options), events()).out);
}

TEST_P(Pages, HaveTheMarkdownPageAsSummaryOfAWorkflow) {
  const RenderOptions options = golden_options();
  EXPECT_EQ(render(*make_github_renderer(options), events()).summary,
            render(*make_markdown_renderer(options), events()).out);
}

INSTANTIATE_TEST_SUITE_P(, Pages, testing::ValuesIn(golden_cases()),
                         [](const auto& golden) { return golden.param; });

TEST(PagesOfEveryKind, AreRecorded) {
  std::set<std::string> cases;
  for (const std::string& name : golden_cases()) cases.insert(name);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    EXPECT_EQ(cases.count(std::string(name(static_cast<Kind>(kind)))), 1U)
        << name(static_cast<Kind>(kind));
  }
}

class TimelineViews : public Pages {};

TEST_P(TimelineViews, LookAsRecorded) {
  RenderOptions options = golden_options();
  const auto shown = [&](Format format) {
    return render(*make_timeline_renderer(format, options), events()).out;
  };
  expect_recorded("timeline.html", inside_main(shown(Format::html)));
  expect_recorded("timeline.md", shown(Format::markdown));
  for (const std::size_t width : {40U, 80U, 120U}) {
    options.width = width;
    expect_recorded(fmt::format("timeline_{}.txt", width), shown(Format::terminal));
  }
}

INSTANTIATE_TEST_SUITE_P(, TimelineViews,
                         testing::Values("a_whole_run", "tool_finished", "rate_limited"),
                         [](const auto& golden) { return golden.param; });

TEST(GoldenPages, AreWrittenForTheBrowser) {
  const char* const directory = std::getenv("DRAGOMAN_PAGES");
  if (directory == nullptr) GTEST_SKIP() << "the browser's test sets DRAGOMAN_PAGES";
  std::string everything;
  for (const std::string& name : golden_cases()) {
    if (name != "a_whole_run") everything += read_file(golden_dir() / name / "events.jsonl");
  }
  const std::string run = read_file(golden_dir() / "a_whole_run/events.jsonl");
  const RenderOptions options = golden_options();
  const std::filesystem::path to = directory;
  write_file(to / "every_kind.html", render(*make_html_renderer(options), everything).out);
  write_file(to / "a_whole_run.html", render(*make_html_renderer(options), run).out);
  write_file(to / "timeline.html", render(*make_timeline_renderer(Format::html, options), run).out);
  write_file(to / "empty.html", render(*make_html_renderer(options), "").out);
}

}  // namespace
}  // namespace dragoman::show
