// SPDX-License-Identifier: Apache-2.0
// The redaction filter: how the stream is cut does not matter, it holds little back, and its
// account of what it took out is exact.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/redact/filter.hpp"

namespace {

using namespace dragoman::redact;

void demand(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "broken law: %s\n", law);
  __builtin_trap();
}

struct Told {
  std::string out;
  std::vector<Redaction> redactions;
};

// Pieces of 1 to `longest` bytes, as `seed` has it; 0: all at once.
Told filtered(std::string_view text, std::size_t longest, std::uint32_t seed) {
  static const auto kRules = make_rules({"a-value-of-ours", "another\"value\\of\nours"});
  Filter filter(kRules);
  Told told;
  while (!text.empty()) {
    seed = seed * 1664525U + 1013904223U;
    const std::size_t take = longest == 0 ? text.size() : 1 + (seed >> 16U) % longest;
    told.out += filter.push(text.substr(0, take));
    text.remove_prefix(std::min(take, text.size()));
    demand(filter.held() <= Filter::kMaxHeld, "little is held back");
    for (auto& redaction : filter.take_redactions()) told.redactions.push_back(redaction);
  }
  told.out += filter.finish();
  for (auto& redaction : filter.take_redactions()) told.redactions.push_back(redaction);
  return told;
}

void check_account(std::string_view text, const Told& told) {
  std::size_t written = text.size();
  for (const Redaction& redaction : told.redactions) {
    const std::string mark = "[REDACTED:" + std::string(redaction.kind) + "]";
    demand(std::string_view(told.out).substr(redaction.offset).starts_with(mark),
           "a redaction stands where it is said to stand");
    demand(redaction.length <= text.size(), "nothing is taken out that was not there");
    written += mark.size() - redaction.length;
  }
  demand(written == told.out.size(), "what was not taken out is passed on");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 64 * 1024) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Told whole = filtered(text, 0, 0);
  check_account(text, whole);
  const std::uint32_t seed = size == 0 ? 1 : data[size / 2];
  for (const std::size_t longest : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    const Told cut = filtered(text, longest, seed);
    demand(cut.out == whole.out, "how the stream is cut does not matter");
    demand(cut.redactions == whole.redactions, "nor does it for the account");
  }
  return 0;
}
