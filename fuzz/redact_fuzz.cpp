// SPDX-License-Identifier: Apache-2.0
// The redaction filter: how the stream is cut does not matter, it holds little back, its account of
// what it took out is exact, and no value of ours passes, in whatever dress.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
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

constexpr std::string_view kOurs = "a-value-of-ours";

const std::shared_ptr<const Rules>& rules() {
  static const auto kRules = make_rules(
      {std::string(kOurs), "another\"value\\of\nours", "long " + std::string(5000, '#')});
  return kRules;
}

struct Told {
  std::string out;
  std::vector<Redaction> redactions;
};

// Pieces of 1 to `longest` bytes, as `seed` has it; 0: all at once.
Told filtered(std::string_view text, std::size_t longest, std::uint32_t seed) {
  Filter filter(rules());
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

// Not where its first letter is the last digit of an escape, "\\u0b3a": decoded, it is not there.
bool holds_ours(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  for (std::size_t at = 0; (at = text.find(kOurs, at)) != std::string_view::npos; ++at) {
    const std::string_view before = text.substr(at < 5 ? 0 : at - 5, at < 5 ? 0 : 5);
    const bool escape =
        before.starts_with("\\u") && before.find_first_not_of(kDigits, 2) == std::string_view::npos;
    if (!escape) return true;
  }
  return false;
}

// The value between two halves of the input, its letters in colours or spelled as escapes, as the
// seed has it.
std::string in_dress(std::string_view text, std::uint32_t seed) {
  std::string out(text.substr(0, text.size() / 2));
  out += " ";
  for (const char c : kOurs) {
    seed = seed * 1664525U + 1013904223U;
    switch (seed >> 28U) {
      case 0:
        out += "\x1b[1;31m";
        break;
      case 1:
        out += "\\u001b[0m";
        break;
      case 2:
        out += "\xe2\x80\x8b";
        break;
      case 3:
        out += "\x1b]8;;\x1b\\\x1b(B\x0f";
        break;
      case 4: {
        constexpr char kDigits[] = "0123456789abcdef";
        out += {'\\', 'u', '0', '0', kDigits[c >> 4], kDigits[c & 15]};
        continue;
      }
      default:
        break;
    }
    out.push_back(c);
  }
  return out.append(text.substr(text.size() / 2));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 64 * 1024) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Told whole = filtered(text, 0, 0);
  check_account(text, whole);
  const std::uint32_t seed = size == 0 ? 1 : data[size / 2];
  demand(!holds_ours(whole.out), "no value of ours passes");
  // What comes before it may be a secret that goes on into it; then its first letters are gone.
  const std::string dressed = redacted(in_dress(text, seed), rules());
  demand(!holds_ours(redacted(dressed, rules())), "nor does it in a dress");
  for (const std::size_t longest : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    const Told cut = filtered(text, longest, seed);
    demand(cut.out == whole.out, "how the stream is cut does not matter");
    demand(cut.redactions == whole.redactions, "nor does it for the account");
  }
  return 0;
}
