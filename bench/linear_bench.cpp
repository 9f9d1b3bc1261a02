// SPDX-License-Identifier: Apache-2.0
//
// linear_bench: what doubling an adversarial input multiplies the time by, whole and byte by byte.
// Prints the largest factors; every one has to stay below 2.3.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/support/adversarial.hpp"
#include "bench/support/cpu_time.hpp"
#include "dragoman/dialect/reader.hpp"

namespace {

using namespace dragoman;
using bench::Adversary;

constexpr double kLongestDoubling = 2.3;
constexpr double kMeasurable = 0.005;  // seconds; below, the clock and the caches decide
constexpr std::size_t kSmallest = std::size_t{1} << 16U;
constexpr std::size_t kLargest = std::size_t{1} << 23U;
constexpr std::size_t kShown = 10;

enum class Chunks { whole, bytes };

class IgnoringSink final : public EventSink {
 public:
  void on_event(const Event& /*event*/) override {}
};

double seconds_to_read(const Adversary& adversary, Chunks chunks, const std::string& input,
                       int repeats) {
  return bench::best_of(repeats, [&] {
    IgnoringSink sink;
    const auto reader = make_reader(adversary.dialect);
    const std::size_t step = chunks == Chunks::whole ? input.size() : 1;
    for (std::size_t at = 0; at < input.size(); at += step) {
      reader->push(std::string_view(input).substr(at, step), sink);
    }
    reader->finish(sink);
  });
}

// A neighbour on the machine can spoil a measurement, never mend one: the best of a few counts.
double doubling(const Adversary& adversary, Chunks chunks, std::size_t size) {
  const std::string once = adversary.make(size);
  const std::string twice = adversary.make(2 * size);
  double ratio = 1e9;
  for (int attempt = 0; attempt < 4 && ratio > kLongestDoubling; ++attempt) {
    ratio = std::min(ratio, seconds_to_read(adversary, chunks, twice, 2) /
                                seconds_to_read(adversary, chunks, once, 2));
  }
  return ratio;
}

struct Result {
  double ratio;
  std::size_t size;
  std::string name;
};

Result measure(const Adversary& adversary, Chunks chunks) {
  std::size_t size = kSmallest;
  while (size < kLargest &&
         seconds_to_read(adversary, chunks, adversary.make(size), 1) < kMeasurable) {
    size *= 2;
  }
  // Where a bounded table fills up or a block reaches its limit, time takes one step. Growth that
  // is not linear goes on behind it.
  double ratio = doubling(adversary, chunks, size);
  for (int step = 0; step < 2 && ratio > kLongestDoubling; ++step) {
    size *= 4;
    ratio = doubling(adversary, chunks, size);
  }
  return {ratio, size,
          fmt::format("{} {}, {}", name(adversary.dialect), adversary.name,
                      chunks == Chunks::whole ? "whole" : "byte by byte")};
}

}  // namespace

int main() {
  std::vector<Result> results;
  for (const Adversary& adversary : bench::adversaries()) {
    for (const Chunks chunks : {Chunks::whole, Chunks::bytes}) {
      results.push_back(measure(adversary, chunks));
      fmt::print(stderr, "{:5.2f}  from {:8} bytes  {}\n", results.back().ratio,
                 results.back().size, results.back().name);
    }
  }
  std::sort(results.begin(), results.end(),
            [](const Result& a, const Result& b) { return a.ratio > b.ratio; });
  fmt::print(
      "### Linear time\n\n{} adversarial inputs, doubled; the largest factors (limit {}).\n\n",
      results.size(), kLongestDoubling);
  fmt::print("| input | from | factor |\n|---|---|---|\n");
  for (std::size_t i = 0; i < std::min(kShown, results.size()); ++i) {
    fmt::print("| {} | {} KB | {:.2f} {} |\n", results[i].name, results[i].size / 1024,
               results[i].ratio, results[i].ratio <= kLongestDoubling ? "✓" : "**✗**");
  }
  return 0;
}
