// SPDX-License-Identifier: Apache-2.0
#include "bench/support/corpus.hpp"

#include "bench/support/corpus_parts.hpp"

namespace dragoman::bench {

std::string_view name(Dialect dialect) {
  switch (dialect) {
    case Dialect::wxcode:
      return "wxcode";
    case Dialect::claude:
      return "claude";
    case Dialect::markers:
      return "markers";
  }
  return "";
}

std::string_view name(Density density) {
  switch (density) {
    case Density::real:
      return "real";
    case Density::dense:
      return "dense";
    case Density::sparse:
      return "sparse";
  }
  return "";
}

std::optional<Dialect> dialect_named(std::string_view text) {
  for (const Dialect dialect : kDialects) {
    if (name(dialect) == text) return dialect;
  }
  return std::nullopt;
}

std::optional<Density> density_named(std::string_view text) {
  for (const Density density : kDensities) {
    if (name(density) == text) return density;
  }
  return std::nullopt;
}

std::unique_ptr<Corpus> open_corpus(Dialect dialect, Density density, std::uint64_t seed) {
  switch (dialect) {
    case Dialect::wxcode:
      return open_wxcode_corpus(density, seed);
    case Dialect::claude:
      return open_claude_corpus(density, seed);
    case Dialect::markers:
      return open_markers_corpus(density, seed);
  }
  return nullptr;
}

std::string make_corpus(Dialect dialect, Density density, std::size_t bytes) {
  const auto corpus = open_corpus(dialect, density);
  std::string text;
  text.reserve(bytes + (1U << 20U));
  while (text.size() < bytes) corpus->next(text);
  return text;
}

}  // namespace dragoman::bench
