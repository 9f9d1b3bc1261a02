// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/timeline_views.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/show/columns.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/show/words.hpp"

namespace dragoman::show {
namespace {

constexpr std::string_view kNoTimes =
    "The events have no times: the order is right, the lengths are not.";

std::string took(const TimelineBar& bar) {
  if (bar.took_ms) return duration_words(*bar.took_ms);
  return bar.kind == BarKind::open ? "not finished" : "";
}

// `width` columns: cut off with a sign that it was, or filled up with blanks.
std::string fitted(std::string_view text, std::size_t width) {
  std::string scratch;
  std::string out;
  append_elided(out, for_terminal(text, scratch, Breaks::join), width);
  out.append(width - columns(out), ' ');
  return out;
}

std::size_t rows_of(const Timeline& timeline) {
  std::size_t rows = 0;
  for (const TimelineLane& lane : timeline.lanes) rows += lane.bars.size();
  return rows;
}

void append_bar_text(std::string& out, const TimelineBar& bar, double length, std::size_t cells) {
  const double scale = length > 0 ? static_cast<double>(cells) / length : 0;
  const auto from = std::min(cells - 1, static_cast<std::size_t>(bar.from * scale));
  const auto to =
      std::clamp(static_cast<std::size_t>(std::lround(bar.to * scale)), from + 1, cells);
  const std::string_view full = bar.kind == BarKind::ok        ? "█"
                                : bar.kind == BarKind::failed  ? "▓"
                                : bar.kind == BarKind::waiting ? "░"
                                                               : "▒";
  for (std::size_t i = 0; i < cells; ++i) out.append(i >= from && i < to ? full : "·");
}

std::string_view mark_of(BarKind kind) {
  switch (kind) {
    case BarKind::ok:
      return "✓";
    case BarKind::failed:
      return "✗";
    case BarKind::open:
      return "◌";
    case BarKind::waiting:
      return "?";
  }
  return "";
}

void append_totals_text(std::string& out, const Timeline& timeline) {
  if (timeline.totals.empty()) return;
  out.append("by tool\n");
  std::size_t rows = 0;
  for (const TimelineTotal& total : timeline.totals) {
    if (++rows > 20) break;
    out.append(fmt::format("  {} {:>6} ×", fitted(total.name, 20), total.count));
    if (total.took_ms) out.append(fmt::format(" {:>12}", duration_words(*total.took_ms)));
    out.push_back('\n');
  }
  if (timeline.totals.size() > 20) {
    out.append(fmt::format("  and {} more\n", timeline.totals.size() - 20));
  }
}

}  // namespace

void append_timeline_text(std::string& out, const Timeline& timeline, std::size_t width) {
  width = std::clamp<std::size_t>(width, 40, 200);
  const std::size_t name_width = width >= 80 ? 10 : 6;
  const std::size_t what_width = width >= 80 ? width / 4 : 0;
  const std::size_t time_width = 12;
  const std::size_t cells = width - 8 - name_width - what_width - time_width;
  if (!timeline.timed) {
    out.append(kNoTimes).push_back('\n');
  } else {
    out.append(fmt::format("{} in all\n", duration_words(timeline.length)));
  }
  std::size_t rows = 0;
  for (const TimelineLane& lane : timeline.lanes) {
    if (lane.bars.empty()) continue;
    std::string scratch;
    out.append(for_terminal(utf8::head(lane.name, 200), scratch, Breaks::join)).push_back('\n');
    for (const TimelineBar& bar : lane.bars) {
      if (++rows > kMaxTimelineRows) break;
      out.append(fmt::format("  {} {} ", mark_of(bar.kind), fitted(bar.name, name_width)));
      append_bar_text(out, bar, timeline.length, cells);
      out.append(fmt::format(" {:>{}}", took(bar), time_width));
      if (what_width > 0) {
        std::string what = fitted(bar.what, what_width);
        what.resize(what.find_last_not_of(' ') + 1);
        if (!what.empty()) out.append(" ").append(what);
      }
      out.push_back('\n');
    }
  }
  const std::size_t all = rows_of(timeline) + timeline.left_out;
  if (all > kMaxTimelineRows) {
    out.append(fmt::format("and {} more\n", all - kMaxTimelineRows));
  }
  append_totals_text(out, timeline);
}

void append_timeline_markdown(std::string& out, const Timeline& timeline) {
  if (!timeline.timed) out.append(kNoTimes).append("\n\n");
  out.append("| | Tool | What | Lane | Begins | Took |\n| --- | --- | --- | --- | --: | --: |\n");
  std::size_t rows = 0;
  for (const TimelineLane& lane : timeline.lanes) {
    for (const TimelineBar& bar : lane.bars) {
      if (++rows > kMaxTimelineRows) break;
      out.append(fmt::format("| {} | ", mark_of(bar.kind)));
      append_markdown(out, utf8::head(bar.name, 100));
      out.append(" | ");
      append_markdown(out, utf8::head(bar.what, 200));
      out.append(" | ");
      append_markdown(out, utf8::head(lane.name, 100));
      out.append(
          fmt::format(" | {} | {} |\n", timeline.timed ? duration_words(bar.from) : "", took(bar)));
    }
  }
  out.push_back('\n');
  const std::size_t all = rows_of(timeline) + timeline.left_out;
  if (all > kMaxTimelineRows) out.append(fmt::format("and {} more\n\n", all - kMaxTimelineRows));
  if (timeline.totals.empty()) return;
  out.append("| By tool | Calls | Time |\n| --- | --: | --: |\n");
  for (std::size_t i = 0; i < std::min<std::size_t>(timeline.totals.size(), 50); ++i) {
    out.append("| ");
    append_markdown(out, utf8::head(timeline.totals[i].name, 100));
    out.append(fmt::format(" | {} | {} |\n", timeline.totals[i].count,
                           duration_words(timeline.totals[i].took_ms)));
  }
  out.push_back('\n');
}

}  // namespace dragoman::show
