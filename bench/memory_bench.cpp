// SPDX-License-Identifier: Apache-2.0
//
// memory_bench [--size BYTES] [--dragoman PROGRAM]
// Peak memory of the program while a large stream is piped through it. Nothing is stored: the
// corpus is made while it is written.
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "bench/support/child.hpp"
#include "bench/support/corpus.hpp"

namespace {

using namespace dragoman::bench;

constexpr long kLimitKilobytes = 12 * 1024;

struct Fed {
  std::size_t bytes = 0;
  std::size_t longest_line = 0;
};

// Writes about `size` bytes of whole lines.
Fed feed_corpus(Dialect dialect, Density density, std::size_t size, const Feed& feed) {
  Fed fed;
  const auto corpus = open_corpus(dialect, density);
  for (std::string lines; fed.bytes < size; lines.clear()) {
    corpus->next(lines);
    feed(lines);
    fed.bytes += lines.size();
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = lines.find('\n', at);
      fed.longest_line = std::max(fed.longest_line, end - at);
      at = end + 1;
    }
  }
  return fed;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t size = 1'000'000'000;
  std::string program = "build/release/dragoman";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    const std::string_view value = argv[i + 1];
    if (flag == "--size") std::from_chars(value.begin(), value.end(), size);
    if (flag == "--dragoman") program = value;
  }
  fmt::print(
      "### Memory\n\nPeak resident memory of `dragoman parse --count` reading {} MB from a "
      "pipe.\n\n",
      size / 1'000'000);
  fmt::print("| corpus | longest line | peak | limit |\n|---|---|---|---|\n");
  for (const Dialect dialect : kDialects) {
    for (const Density density : kDensities) {
      Fed fed;
      const auto usage =
          run_child_fed({program, "parse", "--from", std::string(name(dialect)), "--count", "-"},
                        [&](const Feed& feed) { fed = feed_corpus(dialect, density, size, feed); });
      if (!usage) {
        fmt::print(stderr, "{} cannot be run\n", program);
        return 1;
      }
      // A JSON line has to be held whole; text and markers have not.
      const long held =
          dialect == Dialect::claude ? static_cast<long>(2 * fed.longest_line / 1024) : 0;
      const long limit = kLimitKilobytes + held;
      fmt::print("| {} {} | {} KB | {:.1f} MB | {:.1f} MB {} |\n", name(dialect), name(density),
                 fed.longest_line / 1024, static_cast<double>(usage->peak_kilobytes) / 1024.0,
                 static_cast<double>(limit) / 1024.0,
                 usage->peak_kilobytes <= limit ? "✓" : "**✗**");
      std::fflush(stdout);
    }
  }
  return 0;
}
