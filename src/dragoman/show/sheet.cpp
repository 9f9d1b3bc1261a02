// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/sheet.hpp"

#include <algorithm>

#include "dragoman/show/columns.hpp"

namespace dragoman::show {
namespace {

constexpr std::size_t kLeastRoom = 8;  // below that a box or a margin makes no sense
constexpr std::size_t kWidestBox = 100;
constexpr std::string_view kFirstStrongIsolate = "\u2068";
constexpr std::string_view kPopIsolate = "\u2069";

}  // namespace

std::size_t Sheet::room() const {
  const std::size_t margin = margin_ == nullptr ? 0 : margin_->columns;
  return std::max(width_ > margin ? width_ - margin : 0, kLeastRoom);
}

void Sheet::begin_line() {
  if (margin_ != nullptr) out_->append(margin_->text);
}

void Sheet::end_line() {
  out_->push_back('\n');
  blank_ = false;
}

void Sheet::gap() {
  if (blank_) return;
  if (margin_ != nullptr && margin_->columns > 0) {
    out_->append(margin_->text);
    while (out_->ends_with(' ')) out_->pop_back();
  }
  out_->push_back('\n');
  blank_ = true;
}

void Sheet::put(const RichText& text, std::size_t begin, std::size_t end, Ink under) {
  const bool isolate = has_right_to_left(std::string_view(text.text()).substr(begin, end - begin));
  if (isolate) out_->append(kFirstStrongIsolate);
  put_spans(text, begin, end, under);
  if (isolate) out_->append(kPopIsolate);
}

void Sheet::put_spans(const RichText& text, std::size_t begin, std::size_t end, Ink under) {
  const std::string_view all = text.text();
  const auto& spans = text.spans();
  auto span =
      std::upper_bound(spans.begin(), spans.end(), begin,
                       [](std::size_t at, const RichText::Span& one) { return at < one.end; });
  while (begin < end && span != spans.end()) {
    const std::size_t stop = std::min(end, span->end);
    const Ink ink = span->ink == Ink::plain ? under : span->ink;
    palette_.put(*out_, ink, all.substr(begin, stop - begin));
    begin = stop;
    ++span;
  }
}

void Sheet::line(const RichText& text) {
  begin_line();
  put(text, 0, text.text().size());
  end_line();
}

void Sheet::lines(const RichText& text, Wrapping wrapping, const RichText* first,
                  const RichText* rest) {
  std::size_t indent = 0;
  for (const RichText* const before : {first, rest}) {
    if (before != nullptr) indent = std::max(indent, columns(before->text()));
  }
  const std::size_t width = std::max(room() > indent ? room() - indent : 0, kLeastRoom);
  wrap(text.text(), width, wrapping, cut_);
  for (const TextLine& cut : cut_) {
    begin_line();
    if (first != nullptr) put_spans(*first, 0, first->text().size(), Ink::plain);
    put(text, cut.begin, cut.end);
    if (cut.begin == cut.end && first != nullptr) {
      while (out_->ends_with(' ')) out_->pop_back();
    }
    end_line();
    first = rest;
    blank_ = cut.begin == cut.end && first == nullptr;
  }
}

void Sheet::put_elided(const RichText& text, std::size_t limit) {
  const std::string_view all = text.text();
  const std::string_view whole = fit(all, limit);
  if (whole.size() == all.size()) {
    put(text, 0, all.size());
    return;
  }
  std::string_view head = fit(all, limit > 0 ? limit - 1 : 0);
  while (head.ends_with(' ')) head.remove_suffix(1);
  put(text, 0, head.size());
  out_->append("\u2026");
}

void Sheet::elided(const RichText& text) {
  begin_line();
  put_elided(text, room());
  end_line();
}

void Sheet::elided_pair(const RichText& first, const RichText& second) {
  const std::size_t wanted = columns(second.text());
  const std::size_t first_wanted = columns(first.text());
  const std::size_t share = std::min(wanted, room() / 3);
  const std::size_t first_share = std::min(first_wanted, room() - share);
  begin_line();
  put_elided(first, first_share);
  put_elided(second, room() - first_share);
  end_line();
}

void Sheet::border(std::string_view left, std::string_view right, std::size_t inside, Ink ink) {
  std::string bar(left);
  for (std::size_t i = 0; i < inside; ++i) bar.append("\u2500");
  bar.append(right);
  begin_line();
  palette_.put(*out_, ink, bar);
  end_line();
}

void Sheet::box(std::span<const BoxLine> content, Ink frame, Ink fill) {
  const std::size_t widest = std::min(room(), kWidestBox);
  constexpr std::size_t kSides = 6;  // two bars, two blanks beside each
  const std::size_t most = widest > kSides + 2 ? widest - kSides : 2;
  // As wide as it has to be, and never so narrow that it looks lost.
  std::size_t inner = std::min<std::size_t>(most, 41);
  for (const BoxLine& one : content) {
    wrap(one.text.text(), most - std::min(one.indent, most - 1), Wrapping::words, cut_);
    for (const TextLine& cut : cut_) inner = std::max(inner, cut.columns + one.indent);
  }
  inner = std::min(inner, most);
  border("\u250C", "\u2510", inner + 4, frame);
  for (const BoxLine& one : content) {
    const std::size_t indent = std::min(one.indent, inner - 1);
    wrap(one.text.text(), inner - indent, Wrapping::words, cut_);
    for (const TextLine& cut : cut_) {
      begin_line();
      palette_.put(*out_, frame, "\u2502");
      palette_.put(*out_, fill, std::string(2 + indent, ' '));
      put(one.text, cut.begin, cut.end, fill);
      const std::size_t used = indent + cut.columns;
      palette_.put(*out_, fill, std::string((used < inner ? inner - used : 0) + 2, ' '));
      palette_.put(*out_, frame, "\u2502");
      end_line();
    }
  }
  border("\u2514", "\u2518", inner + 4, frame);
}

}  // namespace dragoman::show
