// SPDX-License-Identifier: Apache-2.0
// A checker reports the same however its input was cut, and every finding points into the input and
// can be printed.
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/utf8.hpp"
#include "dragoman/check/check.hpp"
#include "fuzz/reader_laws.hpp"

namespace {

using namespace dragoman;

std::vector<check::Finding> findings_of(std::string_view input,
                                        const std::vector<std::size_t>& cuts,
                                        const check::CheckOptions& options) {
  std::vector<check::Finding> findings;
  check::Checker checker(options, [&findings](const check::Finding& f) { findings.push_back(f); });
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    checker.push(std::string(input.substr(from, cut - from)));
    from = cut;
  }
  checker.push(std::string(input.substr(from)));
  checker.finish();
  return findings;
}

std::string described(const check::Finding& f) {
  return f.rule + " at " + std::to_string(f.offset) + "+" + std::to_string(f.length) + ", " +
         std::to_string(f.line) + ":" + std::to_string(f.column) + ": " + f.message;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Choice choice = fuzz::choose(data, size);
  check::CheckOptions options;
  options.mode = choice.options.mode;
  const auto whole = findings_of(choice.input, {}, options);
  for (const check::Finding& f : whole) {
    const bool inside = f.offset + f.length <= choice.input.size() && f.line >= 1 && f.column >= 1;
    if (!inside) fuzz::demand("outside the input: " + described(f));
    if (!utf8::valid(f.message) || !utf8::valid(f.hint)) fuzz::demand("no UTF-8: " + described(f));
  }
  const auto pieces = findings_of(choice.input, choice.cuts, options);
  for (std::size_t i = 0; i < std::min(whole.size(), pieces.size()); ++i) {
    if (whole[i] != pieces[i])
      fuzz::demand("whole: " + described(whole[i]) + " pieces: " + described(pieces[i]));
  }
  if (whole.size() != pieces.size()) fuzz::demand("another number of findings in pieces");
  return 0;
}
