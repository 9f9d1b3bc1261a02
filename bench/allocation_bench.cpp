// SPDX-License-Identifier: Apache-2.0
//
// allocation_bench: heap allocations of the library per event once it has warmed up, when nothing
// is kept. The warm-up half and the measured half are pushed into one reader in 64 KB chunks.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "bench/support/corpus.hpp"
#include "bench/support/library.hpp"

namespace {
std::atomic<std::uint64_t> allocations = 0;
}  // namespace

// glibc lets a program bring its own malloc; these count and pass on. operator new ends up here
// too.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): glibc's own names
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND(readability-identifier-naming)

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

int main() {
  using namespace dragoman::bench;
  constexpr std::size_t kSize = 40'000'000;
  constexpr std::size_t kChunk = 64 * 1024;

  fmt::print("### Heap allocations\n\nIn the second half of {} MB, in 64 KB pushes.\n\n",
             kSize / 1'000'000);
  fmt::print("| corpus | events | allocations | per event |\n|---|---|---|---|\n");
  for (const Dialect dialect : kDialects) {
    for (const Density density : kDensities) {
      const std::string input = make_corpus(dialect, density, kSize);
      Push push(dialect);
      const std::size_t half = input.size() / 2;
      const auto push_all = [&](std::string_view bytes) {
        for (; !bytes.empty(); bytes.remove_prefix(std::min(kChunk, bytes.size()))) {
          push(bytes.substr(0, kChunk));
        }
      };
      push_all(std::string_view(input).substr(0, half));
      const std::uint64_t events_before = push.tally().events;
      const std::uint64_t before = allocations;
      push_all(std::string_view(input).substr(half));
      const std::uint64_t made = allocations - before;
      const std::uint64_t events = push.tally().events - events_before;
      fmt::print("| {} {} | {} | {} | {:.4f} |\n", name(dialect), name(density), events, made,
                 static_cast<double>(made) / static_cast<double>(events));
    }
  }
  return 0;
}
