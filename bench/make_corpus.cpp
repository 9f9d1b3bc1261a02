// SPDX-License-Identifier: Apache-2.0
//
// make_corpus DIALECT DENSITY BYTES > FILE
// Writes the corpus that the benchmarks measure, e.g. to pipe a gigabyte into a
// program.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "bench/support/corpus.hpp"

namespace {

using namespace dragoman::bench;

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const auto dialect = argc == 4 ? dialect_named(argv[1]) : std::nullopt;
  const auto density = argc == 4 ? density_named(argv[2]) : std::nullopt;
  std::size_t bytes = 0;
  if (argc == 4) {
    const std::string_view digits = argv[3];
    std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  }
  if (!dialect || !density || bytes == 0) {
    std::fputs("usage: make_corpus wxcode|claude|markers real|dense|sparse BYTES\n", stderr);
    return 2;
  }

  const auto corpus = open_corpus(*dialect, *density);
  std::string chunk;
  for (std::size_t done = 0; done < bytes; done += chunk.size()) {
    chunk.clear();
    while (chunk.size() < (1U << 18U)) corpus->next(chunk);
    if (!write_all(chunk)) return 1;
  }
  return 0;
}
