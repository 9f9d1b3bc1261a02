// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::bench {

// The three inputs that are measured: Markdown with WXCODE comments, Claude's
// JSON lines, text with bracket markers.
enum class Dialect { wxcode, claude, markers };

// real: what agents print. dense: little but markers or short lines. sparse: a
// marker per MB.
enum class Density { real, dense, sparse };

inline constexpr std::array kDialects = {Dialect::wxcode, Dialect::claude, Dialect::markers};
inline constexpr std::array kDensities = {Density::real, Density::dense, Density::sparse};

std::string_view name(Dialect dialect);
std::string_view name(Density density);
std::optional<Dialect> dialect_named(std::string_view text);
std::optional<Density> density_named(std::string_view text);

// An endless, deterministic stream of whole lines. The same three arguments
// always give the same bytes, so a corpus need not be stored to be measured
// again.
class Corpus {
 public:
  virtual ~Corpus() = default;
  // Appends the next few lines; at most about 1 MB.
  virtual void next(std::string& out) = 0;
};

std::unique_ptr<Corpus> open_corpus(Dialect dialect, Density density, std::uint64_t seed = 1);

// The first lines of that corpus, as many as are needed to reach `bytes`.
std::string make_corpus(Dialect dialect, Density density, std::size_t bytes);

}  // namespace dragoman::bench
