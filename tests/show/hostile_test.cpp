// SPDX-License-Identifier: Apache-2.0
// Every hostile string through every text field of every kind in every renderer: nothing of it is
// alive in the sink. tests/e2e/page_check.mjs asks a real browser the same.
#include "tests/show/hostile.hpp"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/base/hidden.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/show/page_renderer.hpp"
#include "dragoman/show/timeline_views.hpp"
#include "tests/support/files.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::show {
namespace {

using test::hostile_run;
using test::hostile_strings;

struct Shown {
  std::string out;
  std::string summary;
};

Shown show_run(Renderer& renderer, std::string_view label, std::string_view text) {
  Arena arena;
  Shown shown;
  renderer.begin(0, label, shown.out);
  for (const Event& event : hostile_run(text, arena)) renderer.event(0, event, shown.out);
  renderer.end(0, shown.out);
  renderer.finish(shown.out);
  shown.summary = renderer.summary();
  return shown;
}

RenderOptions options_with(std::string_view text) {
  RenderOptions options;
  options.title = std::string(text);
  options.detail = Detail::verbose;
  options.secret = "sixteen random bytes";
  return options;
}

// No control byte, no hidden character, nothing that is not UTF-8.
::testing::AssertionResult calm(std::string_view out) {
  char32_t before = 0;
  for (std::string_view rest = out; !rest.empty();) {
    const utf8::CodePoint c = utf8::first(rest);
    rest.remove_prefix(c.length);
    const char32_t after = rest.empty() ? 0 : utf8::first(rest).value;
    if (!c.valid) return ::testing::AssertionFailure() << "not UTF-8";
    if (c.value != '\n' && c.value != '\t' && utf8::is_hidden(c.value, {before, after})) {
      return ::testing::AssertionFailure() << fmt::format(
                 "U+{:04X} at {}", static_cast<std::uint32_t>(c.value), out.size() - rest.size());
    }
    before = c.value;
  }
  return ::testing::AssertionSuccess();
}

const std::set<std::string, std::less<>> kTags = {
    "!doctype", "html",  "head", "meta", "title", "style", "body", "a",  "header",  "h1",
    "h2",       "h3",    "h4",   "h5",   "h6",    "main",  "div",  "p",  "span",    "strong",
    "em",       "del",   "code", "pre",  "ul",    "ol",    "li",   "br", "hr",      "blockquote",
    "table",    "thead", "tr",   "th",   "td",    "dl",    "dt",   "dd", "details", "summary",
    "svg",      "rect",  "line", "g",    "text",  "footer"};
const std::set<std::string, std::less<>> kAttributes = {"lang",
                                                        "charset",
                                                        "http-equiv",
                                                        "content",
                                                        "name",
                                                        "class",
                                                        "href",
                                                        "rel",
                                                        "id",
                                                        "tabindex",
                                                        "role",
                                                        "aria-label",
                                                        "aria-hidden",
                                                        "aria-valuenow",
                                                        "aria-valuemin",
                                                        "aria-valuemax",
                                                        "dir",
                                                        "open",
                                                        "data-mark",
                                                        "viewbox",
                                                        "preserveaspectratio",
                                                        "width",
                                                        "height",
                                                        "x",
                                                        "y",
                                                        "x1",
                                                        "x2",
                                                        "y1",
                                                        "y2",
                                                        "rx",
                                                        "text-anchor",
                                                        "font-weight",
                                                        "start",
                                                        "scope"};

// A tag of ours: a known name, known attributes, values in double quotes.
::testing::AssertionResult known_tag(std::string_view tag) {
  const auto fail = [&tag] { return ::testing::AssertionFailure() << "<" << tag << ">"; };
  if (!tag.empty() && tag.front() == '/') tag.remove_prefix(1);
  if (!tag.empty() && tag.back() == '/') tag.remove_suffix(1);
  std::size_t at = std::min(tag.find(' '), tag.size());
  if (kTags.find(tag.substr(0, at)) == kTags.end()) return fail();
  if (tag.substr(0, at) == "!doctype") return ::testing::AssertionSuccess();
  while (at < tag.size()) {
    const std::size_t end = std::min(tag.find_first_of("= ", at + 1), tag.size());
    std::string key(tag.substr(at + 1, end - at - 1));
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (kAttributes.find(key) == kAttributes.end()) return fail() << " attribute " << key;
    at = end;
    if (at == tag.size() || tag[at] == ' ') continue;
    if (at + 1 >= tag.size() || tag[at + 1] != '"') return fail() << " no quotes";
    const std::size_t close = tag.find('"', at + 2);
    if (close == std::string_view::npos) return fail() << " quote not closed";
    const std::string_view value = tag.substr(at + 2, close - at - 2);
    if (key == "href" && value != "#run" && !safe_link(value)) return fail() << " link " << value;
    if (key == "id" && value != "run") return fail() << " id " << value;
    at = close + 1;
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult harmless_html(std::string_view html) {
  if (const auto result = calm(html); !result) return result;
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string_view::npos) return ::testing::AssertionFailure() << "tag not closed";
    const std::string_view tag = html.substr(at + 1, end - at - 1);
    if (const auto result = known_tag(tag); !result) return result;
    const std::string name(tag.substr(tag[0] == '/' ? 1 : 0, tag.find(' ')));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != name) {
        return ::testing::AssertionFailure() << "</" << name << "> closes nothing";
      }
      open.pop_back();
    } else if (tag.back() != '/' && name != "br" && name != "hr" && name != "meta" &&
               name != "!doctype") {
      open.push_back(name);
    }
    at = end;
    if (name == "style" && tag[0] != '/') at = html.find("</style>", at);
  }
  if (!open.empty()) return ::testing::AssertionFailure() << "<" << open.back() << "> stays open";
  return ::testing::AssertionSuccess();
}

// Whether a piece of raw HTML in our Markdown is one of the lines we write.
bool our_html(std::string_view html) {
  while (!html.empty()) {
    const std::size_t end = std::min(html.find('\n'), html.size());
    std::string line(html.substr(0, end));
    html.remove_prefix(std::min(end + 1, html.size()));
    if (line.empty() || line == "<details>" || line == "<details open>" || line == "</details>" ||
        line == "<blockquote>" || line == "</blockquote>") {
      continue;
    }
    for (const std::string_view tag : {"<summary>", "</summary>", "<code>", "</code>"}) {
      for (std::size_t at = line.find(tag); at != std::string::npos; at = line.find(tag)) {
        line.erase(at, tag.size());
      }
    }
    if (line.find_first_of("<>") != std::string::npos) return false;
  }
  return true;
}

bool mentions(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const bool word = std::isalnum(static_cast<unsigned char>(text[i + 1])) != 0;
    if (word && (text[i] == '@' || text[i] == '#')) return true;
  }
  return false;
}

::testing::AssertionResult harmless_markdown(const std::string& markdown) {
  // The only hidden characters are our own, and they are spelled out.
  if (const auto result = calm(markdown); !result) return result;
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(
      cmark_parser_new(CMARK_OPT_DEFAULT), &cmark_parser_free);
  for (const char* const name : {"table", "strikethrough", "autolink", "tasklist"}) {
    cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(name));
  }
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> root(
      cmark_parser_finish(parser.get()), &cmark_node_free);
  const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> iterator(cmark_iter_new(root.get()),
                                                                         &cmark_iter_free);
  for (cmark_event_type e = cmark_iter_next(iterator.get()); e != CMARK_EVENT_DONE;
       e = cmark_iter_next(iterator.get())) {
    if (e == CMARK_EVENT_EXIT) continue;
    cmark_node* const node = cmark_iter_get_node(iterator.get());
    const char* const raw = cmark_node_get_literal(node);
    const std::string_view literal = raw == nullptr ? std::string_view() : raw;
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_IMAGE) return ::testing::AssertionFailure() << "picture";
    if ((type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE) && !our_html(literal)) {
      return ::testing::AssertionFailure() << "live HTML: " << literal;
    }
    if (type == CMARK_NODE_LINK && !safe_link(cmark_node_get_url(node))) {
      return ::testing::AssertionFailure() << "link to " << cmark_node_get_url(node);
    }
    cmark_node* const parent = cmark_node_parent(node);
    const bool in_link = parent != nullptr && cmark_node_get_type(parent) == CMARK_NODE_LINK;
    if (type == CMARK_NODE_TEXT && !in_link && mentions(literal)) {
      return ::testing::AssertionFailure() << "mentions: " << literal;
    }
  }
  return ::testing::AssertionSuccess();
}

// What a runner would make of the log: outside fences only our commands, and nothing else.
::testing::AssertionResult harmless_log(std::string_view log) {
  if (const auto result = calm(log); !result) return result;
  std::string end_word;
  int groups = 0;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (!end_word.empty()) {
      if (line == "::" + end_word + "::") end_word.clear();
      continue;
    }
    const std::string_view name =
        line.substr(0, 2) == "::" ? line.substr(2, line.find_first_of(" :", 2) - 2) : "";
    if (name == "stop-commands") {
      end_word = line.substr(17);
    } else if (name == "group") {
      ++groups;
    } else if (name == "endgroup") {
      --groups;
    } else if (name != "notice" && name != "warning" && name != "error") {
      return ::testing::AssertionFailure() << "live line: " << line;
    }
    if (groups < 0 || groups > 1) return ::testing::AssertionFailure() << "groups: " << groups;
  }
  if (!end_word.empty()) return ::testing::AssertionFailure() << "fence stays open";
  if (groups != 0) return ::testing::AssertionFailure() << "group stays open";
  return ::testing::AssertionSuccess();
}

TEST(HostileStrings, AreMany) { EXPECT_GE(hostile_strings().size(), 300U); }

TEST(HostileStrings, AreDeadInTheHtmlPage) {
  for (const std::string& text : hostile_strings()) {
    const auto renderer = make_html_renderer(options_with(text));
    ASSERT_TRUE(harmless_html(show_run(*renderer, text, text).out)) << text.substr(0, 200);
  }
}

TEST(HostileStrings, AreDeadInMarkdown) {
  for (const std::string& text : hostile_strings()) {
    const auto renderer = make_markdown_renderer(options_with(text));
    ASSERT_TRUE(harmless_markdown(show_run(*renderer, text, text).out)) << text.substr(0, 200);
  }
}

TEST(HostileStrings, AreDeadInTheLogOfAWorkflowAndItsSummary) {
  for (const std::string& text : hostile_strings()) {
    const auto renderer = make_github_renderer(options_with(text));
    const Shown shown = show_run(*renderer, text, text);
    ASSERT_TRUE(harmless_log(shown.out)) << text.substr(0, 200);
    ASSERT_TRUE(harmless_markdown(shown.summary)) << text.substr(0, 200);
  }
}

TEST(HostileStrings, AreDeadInEveryTimeline) {
  for (const std::string& text : hostile_strings()) {
    const RenderOptions options = options_with(text);
    const auto shown = [&](Format format) {
      return show_run(*make_timeline_renderer(format, options), text, text);
    };
    ASSERT_TRUE(calm(shown(Format::terminal).out)) << text.substr(0, 200);
    ASSERT_TRUE(harmless_html(shown(Format::html).out)) << text.substr(0, 200);
    ASSERT_TRUE(harmless_markdown(shown(Format::markdown).out)) << text.substr(0, 200);
    ASSERT_TRUE(harmless_log(shown(Format::github).out)) << text.substr(0, 200);
  }
}

// The colours that the terminal renderer sets itself: ESC [ digits and semicolons m.
std::string without_colours(std::string_view out) {
  std::string bare;
  while (!out.empty()) {
    if (out.substr(0, 2) == "\x1b[") {
      const std::size_t end = out.find_first_not_of("0123456789;", 2);
      if (end != std::string_view::npos && out[end] == 'm') {
        out.remove_prefix(end + 1);
        continue;
      }
    }
    bare.push_back(out.front());
    out.remove_prefix(1);
  }
  return bare;
}

// The renderer isolates right-to-left words itself: U+2068 and U+2069 in pairs within a line.
std::string without_isolates(const std::string& out) {
  constexpr std::string_view kOpen = "\u2068";
  constexpr std::string_view kClose = "\u2069";
  std::string bare;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = std::min(out.find('\n', at), out.size() - 1) + 1;
    std::string line = out.substr(at, end - at);
    at = end;
    for (std::size_t from = line.find(kOpen); from != std::string::npos; from = line.find(kOpen)) {
      const std::size_t to = line.find(kClose, from);
      if (to == std::string::npos) break;
      line.erase(to, kClose.size()).erase(from, kOpen.size());
    }
    bare += line;
  }
  return bare;
}

TEST(HostileStrings, AreDeadOnTheTerminal) {
  std::size_t strings = 0;
  for (const std::string& text : hostile_strings()) {
    std::size_t way = strings++;
    for (const ColorDepth color : {ColorDepth::none, ColorDepth::rgb24}) {
      for (const std::size_t width : {std::size_t{40}, std::size_t{100}}) {
        // Where not all four are tried, the next string has another.
        if (way++ % test::step_with_sanitizers(4) != 0) continue;
        RenderOptions options = options_with(text);
        options.color = color;
        options.width = width;
        const auto renderer = make_renderer(Format::terminal, options);
        const std::string out = show_run(*renderer, text, text).out;
        const std::string bare = color == ColorDepth::none ? out : without_colours(out);
        ASSERT_TRUE(calm(without_isolates(bare))) << width << " " << text.substr(0, 200);
      }
    }
  }
}

// Real runs too: every recorded stream in every format.
TEST(RecordedRuns, AreHarmlessOnEveryPage) {
  std::size_t runs = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::source_dir() / "tests/golden")) {
    if (entry.path().filename() != "events.jsonl") continue;
    const std::string lines = test::read_file(entry.path());
    const auto shown = [&lines](const std::unique_ptr<Renderer>& renderer) {
      std::string out;
      renderer->begin(0, "", out);
      for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        Arena arena;
        const std::string line = lines.substr(at, end - at);
        if (const Result<Event> event = read_event(line, arena)) renderer->event(0, *event, out);
        at = end + 1;
      }
      renderer->end(0, out);
      renderer->finish(out);
      return out;
    };
    const RenderOptions options = options_with("a run");
    ASSERT_TRUE(harmless_html(shown(make_html_renderer(options)))) << entry.path();
    ASSERT_TRUE(harmless_markdown(shown(make_markdown_renderer(options)))) << entry.path();
    ASSERT_TRUE(harmless_log(shown(make_github_renderer(options)))) << entry.path();
    ASSERT_TRUE(harmless_html(shown(make_timeline_renderer(Format::html, options))))
        << entry.path();
    ++runs;
  }
  EXPECT_GT(runs, 100U);
}

// For tests/e2e/page_check.mjs: DRAGOMAN_PAGES names the directory that the browser reads.
TEST(HostilePages, AreWrittenForTheBrowser) {
  const char* const directory = std::getenv("DRAGOMAN_PAGES");
  if (directory == nullptr) GTEST_SKIP() << "the browser's test sets DRAGOMAN_PAGES";
  std::vector<std::string> strings = hostile_strings();
  // Laying out megabytes of one line says nothing more; their full length is tried above.
  for (std::string& text : strings) text.resize(utf8::head(text, 600).size());
  constexpr std::size_t kOnAPage = 25;
  for (std::size_t from = 0; from < strings.size(); from += kOnAPage) {
    const auto renderer = make_html_renderer(options_with(strings[from]));
    std::string out;
    for (std::size_t i = from; i < std::min(from + kOnAPage, strings.size()); ++i) {
      Arena arena;
      renderer->begin(i, strings[i], out);
      for (const Event& event : hostile_run(strings[i], arena)) renderer->event(i, event, out);
      renderer->end(i, out);
    }
    renderer->finish(out);
    test::write_file(std::filesystem::path(directory) / fmt::format("hostile_{:03}.html", from),
                     out);
    const auto timeline = make_timeline_renderer(Format::html, options_with(strings[from]));
    test::write_file(
        std::filesystem::path(directory) / fmt::format("hostile_timeline_{:03}.html", from),
        show_run(*timeline, strings[from], strings[from]).out);
  }
}

}  // namespace
}  // namespace dragoman::show
