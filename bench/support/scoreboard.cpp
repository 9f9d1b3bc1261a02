// SPDX-License-Identifier: Apache-2.0
#include "bench/support/scoreboard.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dragoman::bench {
namespace {

char letter(Dialect dialect) {
  switch (dialect) {
    case Dialect::wxcode:
      return 'W';
    case Dialect::claude:
      return 'C';
    case Dialect::markers:
      return 'X';
  }
  return '?';
}

}  // namespace

void Scoreboard::record(std::string_view contestant, Dialect dialect, Density density,
                        double bytes_per_second) {
  if (std::find(order_.begin(), order_.end(), contestant) == order_.end()) {
    order_.emplace_back(contestant);
  }
  speeds_[{std::string(contestant), dialect, density}] = bytes_per_second;
}

std::optional<double> Scoreboard::speed(std::string_view contestant, Dialect dialect,
                                        Density density) const {
  const auto found = speeds_.find({std::string(contestant), dialect, density});
  if (found == speeds_.end()) return std::nullopt;
  return found->second;
}

std::optional<double> Scoreboard::ratio(const Target& target, Density density) const {
  const auto ours = speed(target.contestant, target.dialect, density);
  const auto theirs = speed(target.rival, target.dialect, density);
  if (!ours || !theirs) return std::nullopt;
  return *ours / *theirs;
}

std::string Scoreboard::speed_table() const {
  std::string table =
      "| MB per CPU second (real / dense / sparse) | W | C | X "
      "|\n|---|---|---|---|\n";
  for (const std::string& contestant : order_) {
    table += fmt::format("| {} |", contestant);
    for (const Dialect dialect : kDialects) {
      std::string cell;
      for (const Density density : kDensities) {
        const auto bytes = speed(contestant, dialect, density);
        cell += cell.empty() ? " " : " / ";
        cell += bytes ? fmt::format("{:.0f}", *bytes / 1e6) : "–";
      }
      table += cell + " |";
    }
    table += "\n";
  }
  return table;
}

std::string Scoreboard::target_table() const {
  std::string table =
      "| ratio: reached (target) | real | dense | sparse "
      "|\n|---|---|---|---|\n";
  for (const Target& target : targets()) {
    table +=
        fmt::format("| {}: {} / {} |", letter(target.dialect), target.contestant, target.rival);
    for (std::size_t i = 0; i < kDensities.size(); ++i) {
      const auto reached = ratio(target, kDensities[i]);
      const auto& wanted = target.at_least[i];
      table += reached ? fmt::format(" {:.2f}", *reached) : " –";
      if (wanted) table += fmt::format(" (≥ {:.4g})", *wanted);
      if (wanted && reached) table += *reached >= *wanted ? " ✓" : " **✗**";
      table += " |";
    }
    table += "\n";
  }
  return table;
}

std::size_t Scoreboard::missed() const {
  std::size_t count = 0;
  for (const Target& target : targets()) {
    for (std::size_t i = 0; i < kDensities.size(); ++i) {
      const auto reached = ratio(target, kDensities[i]);
      const auto& wanted = target.at_least[i];
      if (reached && wanted && *reached < *wanted) ++count;
    }
  }
  return count;
}

}  // namespace dragoman::bench
