// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/show/timeline_views.hpp"
#include "dragoman/show/words.hpp"

namespace dragoman::show {
namespace {

constexpr double kLeft = 190;  // names
constexpr double kRight = 90;  // durations
constexpr double kWidth = 820;
constexpr double kRow = 20;
constexpr double kLaneHead = 24;
constexpr double kAxis = 22;

std::string_view bar_class(BarKind kind) {
  switch (kind) {
    case BarKind::ok:
      return "ok";
    case BarKind::failed:
      return "failed";
    case BarKind::open:
      return "open";
    case BarKind::waiting:
      return "wait";
  }
  return "";
}

std::string_view bar_words(BarKind kind) {
  switch (kind) {
    case BarKind::ok:
      return "succeeded";
    case BarKind::failed:
      return "failed";
    case BarKind::open:
      return "not finished";
    case BarKind::waiting:
      return "waited";
  }
  return "";
}

void put_text(std::string& out, double x, double y, std::string_view text, std::size_t letters,
              std::string_view attributes = {}) {
  const std::string_view shown = utf8::prefix(text, letters);
  out.append(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>", x, y, attributes));
  append_html(out, shown, Breaks::join);
  if (shown.size() < text.size()) out.append("…");
  out.append("</text>");
}

class Drawing {
 public:
  explicit Drawing(const Timeline& timeline) : timeline_(timeline) {
    scale_ = timeline.length > 0 ? (kWidth - kLeft - kRight) / timeline.length : 0;
  }

  std::string body() {
    for (const TimelineLane& lane : timeline_.lanes) {
      if (!lane.bars.empty() && rows_ < kMaxTimelineRows) draw_lane(lane);
    }
    return std::move(body_);
  }

  std::string grid() const {
    std::string out;
    for (int i = 0; i <= 4; ++i) {
      const double x = kLeft + (kWidth - kLeft - kRight) * i / 4;
      out.append(
          fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" "
                      "y2=\"{2:.1f}\"/>",
                      x, kAxis, y_));
      if (timeline_.timed) {
        put_text(out, x, kAxis - 8, duration_words(timeline_.length * i / 4), 20,
                 " class=\"axis\" text-anchor=\"middle\"");
      }
    }
    return out;
  }

  double height() const { return y_ + 4; }

 private:
  void draw_lane(const TimelineLane& lane) {
    body_.append(
        fmt::format("<rect class=\"lane\" x=\"0\" y=\"{:.1f}\" width=\"{}\" "
                    "height=\"{}\" rx=\"4\"/>",
                    y_ + 2, kWidth, kLaneHead - 4));
    put_text(body_, 6, y_ + 16, lane.name, 100, " font-weight=\"600\"");
    y_ += kLaneHead;
    for (const TimelineBar& bar : lane.bars) {
      if (++rows_ > kMaxTimelineRows) return;
      draw_bar(bar);
    }
  }

  void draw_bar(const TimelineBar& bar) {
    const double x = kLeft + bar.from * scale_;
    const double width = std::max(2.0, (bar.to - bar.from) * scale_);
    body_.append("<g><title>");
    append_html(body_, utf8::head(bar.name, 200), Breaks::join);
    body_.append(" ");
    append_html(body_, utf8::head(bar.what, 400), Breaks::join);
    body_.append(fmt::format(", {}</title>", bar_words(bar.kind)));
    std::string label = bar.name;
    if (!bar.what.empty()) label += " " + bar.what;
    put_text(body_, 12, y_ + 14, label, 27);
    body_.append(
        fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                    "height=\"12\" rx=\"2\"/>",
                    bar_class(bar.kind), x, y_ + 4, width));
    const std::string took = bar.took_ms                 ? duration_words(*bar.took_ms)
                             : bar.kind == BarKind::open ? "not finished"
                                                         : "";
    put_text(body_, kWidth - 4, y_ + 14, took, 20, " class=\"axis\" text-anchor=\"end\"");
    body_.append("</g>\n");
    y_ += kRow;
  }

  const Timeline& timeline_;
  std::string body_;
  double scale_ = 0;
  double y_ = kAxis;
  std::size_t rows_ = 0;
};

void put_legend(std::string& out) {
  out.append("<ul class=\"legend\">");
  for (const BarKind kind : {BarKind::ok, BarKind::failed, BarKind::waiting, BarKind::open}) {
    out.append(
        fmt::format("<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect "
                    "class=\"{}\" width=\"12\" height=\"12\" rx=\"2\"/></svg>{}</li>",
                    bar_class(kind), bar_words(kind)));
  }
  out.append("</ul>\n");
}

void put_totals(std::string& out, const Timeline& timeline, std::size_t number) {
  if (timeline.totals.empty()) return;
  out.append(
      fmt::format("<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"Time by "
                  "tool {}\"><table><thead><tr><th scope=\"col\">By tool</th><th "
                  "scope=\"col\" class=\"right\">Calls</th><th scope=\"col\" "
                  "class=\"right\">Time</th></tr></thead>\n",
                  number));
  for (std::size_t i = 0; i < std::min<std::size_t>(timeline.totals.size(), 50); ++i) {
    const TimelineTotal& total = timeline.totals[i];
    out.append("<tr><td>");
    append_html(out, utf8::head(total.name, 200), Breaks::join);
    out.append(fmt::format("</td><td class=\"right\">{}</td><td class=\"right\">{}</td></tr>\n",
                           total.count, duration_words(total.took_ms)));
  }
  out.append("</table></div>\n");
}

}  // namespace

void append_timeline_svg(std::string& out, const Timeline& timeline, std::size_t number) {
  std::size_t rows = timeline.left_out;
  for (const TimelineLane& lane : timeline.lanes) rows += lane.bars.size();
  out.append("<div class=\"timeline\">\n");
  out.append(timeline.timed ? fmt::format("<p class=\"meta\">{} in all, {}</p>\n",
                                          duration_words(timeline.length), counted(rows, "step"))
                            : std::string("<p class=\"meta\">The events have no times: the order "
                                          "is right, the lengths are not.</p>\n"));
  Drawing drawing(timeline);
  const std::string body = drawing.body();
  if (!body.empty()) {
    out.append(fmt::format(
        "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"Drawing {0}\">"
        "<svg role=\"img\" aria-label=\"Timeline {0}: {1}\" viewBox=\"0 0 {2} "
        "{3:.0f}\">\n",
        number, counted(rows, "step"), kWidth, drawing.height()));
    out.append(drawing.grid()).append("\n").append(body).append("</svg></div>\n");
    put_legend(out);
  }
  if (rows > kMaxTimelineRows) {
    out.append(fmt::format("<p class=\"note\">and {} more</p>\n", rows - kMaxTimelineRows));
  }
  put_totals(out, timeline, number);
  out.append("</div>\n");
}

}  // namespace dragoman::show
