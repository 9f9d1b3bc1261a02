// SPDX-License-Identifier: Apache-2.0
// The reader and cmark agree on which lines of Markdown are code.
#include <cmark-gfm.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/dialect/reader.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

enum class Line : std::uint8_t { nothing, words, indented, fenced };

void PrintTo(Line line, std::ostream* out) {
  constexpr std::array<const char*, 4> kNames = {"-", "words", "indented", "fenced"};
  *out << kNames[static_cast<std::size_t>(line)];
}

struct Document {
  std::vector<std::string> lines;
  std::vector<bool> has_marker;

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : lines) all.append(line).push_back('\n');
    return all;
  }
};

// Paragraphs, lists, quotations, fences, indents and blanks, nested at most five deep.
class Documents {
 public:
  explicit Documents(std::uint64_t seed) : random_(seed) {}

  Document next() {
    Document document;
    open_.clear();
    const bool nested = random_.below(3) != 0;
    const std::size_t sparse = random_.pick(std::array{1U, 2U, 8U});
    for (std::size_t left = 1 + random_.below(14); left > 0; --left) {
      std::string line = nested ? goes_on() : std::string(random_.pick(kBlanks));
      for (std::size_t signs = random_.below(random_.below(4) == 0 ? kDeepest + 1 : 2); signs > 0;
           --signs) {
        if (!nested || open_.size() < kDeepest) begin(line);
      }
      const bool words = random_.below(3) != 0;
      line += words ? "w" : random_.pick(kTails);
      // In the middle of the line, where no comment begins a block of its own.
      const bool marker = words && random_.below(sparse) == 0;
      if (marker) line += "<!--GOTO:" + std::to_string(document.lines.size()) + "-->";
      document.lines.push_back(std::move(line));
      document.has_marker.push_back(marker);
    }
    return document;
  }

 private:
  static constexpr std::size_t kDeepest = 5;
  static constexpr std::array<std::string_view, 14> kBlanks = {
      "", "", "", "", " ", "  ", "   ", "    ", "     ", "      ", "        ", "\t", " \t", "\t\t"};
  static constexpr std::array<std::string_view, 20> kSigns = {
      "- ",   "* ",  "+ ",   "-",   "1. ",   "2. ",  "10. ", "1) ", "> ",     ">",
      "-   ", "-\t", "1.  ", " - ", "   - ", "1.\t", ">\t",  "0. ", "-     ", "123456789. "};
  static constexpr std::array<std::string_view, 14> kTails = {
      "", "", "", "```", "```", "~~~", "````", "```x", "```a`b", "~~~ x", "``", "x", "9", "\\"};

  // What makes the next line part of some of the containers that are open.
  std::string goes_on() {
    std::string line;
    std::size_t kept = open_.size();
    if (random_.below(3) == 0) kept = random_.below(kept + 1);
    open_.resize(kept);
    for (const std::string& part : open_) line += part;
    if (random_.below(3) == 0) line += random_.pick(kBlanks);
    return line;
  }
  void begin(std::string& line) {
    const std::string_view sign = random_.pick(kSigns);
    line += sign;
    open_.push_back(sign.find('>') != sign.npos ? std::string(sign)
                                                : std::string(sign.size(), ' '));
    if (random_.below(4) == 0) line += random_.pick(kBlanks);
  }

  Random random_;
  std::vector<std::string> open_;
};

// A fence in a quotation is closed behind the signs of that.
bool may_close(std::string_view line, char mark) {
  const std::size_t begin = line.find_first_not_of(" \t>");
  if (begin == line.npos || line[begin] != mark) return false;
  return line.find_first_not_of(std::string(1, mark) + " \t", begin) == line.npos;
}

// The first line and the one behind the last of a code block, counted from 0. cmark says where a
// fence ends only when it was closed; otherwise it names the line behind.
std::pair<std::size_t, std::size_t> extent(cmark_node* block, const Document& document) {
  int length = 0;
  int offset = 0;
  char mark = 0;
  const auto begin = static_cast<std::size_t>(cmark_node_get_start_line(block) - 1);
  const auto end = static_cast<std::size_t>(cmark_node_get_end_line(block));
  if (cmark_node_get_fenced(block, &length, &offset, &mark) == 0) return {begin, end};
  const std::string_view code = cmark_node_get_literal(block);
  std::size_t behind = begin + 1 + static_cast<std::size_t>(std::ranges::count(code, '\n'));
  if (behind < std::min(end, document.lines.size()) && may_close(document.lines[behind], mark)) {
    ++behind;
  }
  return {begin, behind};
}

std::vector<Line> cmarks_lines(const Document& document) {
  std::vector<Line> lines;
  for (const bool marker : document.has_marker)
    lines.push_back(marker ? Line::words : Line::nothing);
  const std::string text = document.text();
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> root(
      cmark_parse_document(text.data(), text.size(), CMARK_OPT_DEFAULT), &cmark_node_free);
  const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> walk(cmark_iter_new(root.get()),
                                                                     &cmark_iter_free);
  while (cmark_iter_next(walk.get()) != CMARK_EVENT_DONE) {
    cmark_node* const block = cmark_iter_get_node(walk.get());
    if (cmark_node_get_type(block) != CMARK_NODE_CODE_BLOCK) continue;
    int length = 0;
    int offset = 0;
    char mark = 0;
    const bool fenced = cmark_node_get_fenced(block, &length, &offset, &mark) != 0;
    const auto [begin, end] = extent(block, document);
    for (std::size_t i = begin; i < std::min(end, lines.size()); ++i) {
      if (document.has_marker[i]) lines[i] = fenced ? Line::fenced : Line::indented;
    }
  }
  return lines;
}

class LineSink final : public EventSink {
 public:
  explicit LineSink(std::size_t count) : lines(count, Line::nothing) {}
  void on_event(const Event& event) override {
    const std::size_t line = event.origin.line - 1;
    if (event.as<GoTo>() != nullptr) lines.at(line) = Line::words;
    if (const auto* quoted = event.as<QuotedMarker>()) {
      lines.at(line) = quoted->reason == "fence"      ? Line::fenced
                       : quoted->reason == "indented" ? Line::indented
                                                      : Line::words;
    }
  }
  std::vector<Line> lines;
};

std::vector<Line> readers_lines(const Document& document, Random& random) {
  LineSink sink(document.lines.size());
  const auto reader = make_reader(Dialect::wxcode);
  const std::string text = document.text();
  std::string_view rest = text;
  const std::size_t longest = random.below(2) == 0 ? text.size() : 1 + random.below(20);
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, 1 + random.below(longest));
    reader->push(piece, sink);
    rest.remove_prefix(piece.size());
  }
  reader->finish(sink);
  return sink.lines;
}

TEST(CodeLines, AreThoseThatCmarkSees) {
  Documents documents(7);
  Random cuts(8);
  std::size_t code = 0;
  const std::size_t count = scaled(1'000'000);
  for (std::size_t i = 0; i < count; ++i) {
    const Document document = documents.next();
    const std::vector<Line> expected = cmarks_lines(document);
    ASSERT_EQ(readers_lines(document, cuts), expected) << "document " << i << "\n"
                                                       << document.text();
    code += static_cast<std::size_t>(std::ranges::count_if(
        expected, [](Line line) { return line == Line::fenced || line == Line::indented; }));
  }
  EXPECT_GT(code, count / 8);  // there was something to agree on
}

}  // namespace
}  // namespace dragoman::test
