// SPDX-License-Identifier: Apache-2.0
// Times, counts and money, short enough for a line.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dragoman/show/terminal_run.hpp"

namespace dragoman::show {

void append_duration(std::string& out, double milliseconds) {
  if (!(milliseconds >= 0)) return;
  if (milliseconds < 999.5) {
    out += fmt::format("{}ms", std::lround(milliseconds));
    return;
  }
  if (milliseconds < 59950) {
    out += fmt::format("{:.1f}s", milliseconds / 1000);
    return;
  }
  constexpr double kLongest = 1e15;
  const long long seconds = std::llround(std::min(milliseconds, kLongest) / 1000);
  if (seconds < 3600) {
    out += fmt::format("{}m {:02}s", seconds / 60, seconds % 60);
  } else {
    out += fmt::format("{}h {:02}m", seconds / 3600, seconds / 60 % 60);
  }
}

void append_count(std::string& out, std::int64_t value) {
  if (value < 1000) {
    out += fmt::format("{}", value);
  } else if (value < 999'950) {
    out += fmt::format("{:.1f}k", static_cast<double>(value) / 1e3);
  } else {
    out += fmt::format("{:.1f}M", static_cast<double>(value) / 1e6);
  }
}

void append_cost(std::string& out, double dollars) {
  const int digits = dollars < 1 ? 4 : 2;
  out += fmt::format("${:.{}f}", dollars, digits);
}

std::string describe(const RunUsage& usage) {
  std::string out;
  if (!usage.tokens.empty()) {
    append_count(out, usage.tokens.total_input);
    out.append(" in");
    if (usage.tokens.cached_input > 0) {
      out.append(" (");
      append_count(out, usage.tokens.cached_input);
      out.append(" cached)");
    }
    out.append(" \u00B7 ");
    append_count(out, usage.tokens.output);
    out.append(" out");
  }
  if (usage.cost_usd.has_value()) {
    if (!out.empty()) out.append(" \u00B7 ");
    append_cost(out, *usage.cost_usd);
  }
  return out;
}

}  // namespace dragoman::show
