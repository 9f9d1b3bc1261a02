// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/cut.hpp"

#include "dragoman/base/utf8.hpp"

namespace dragoman {

std::string cut_middle(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  if (bytes <= kCutMark.size()) return std::string(utf8::head(text, bytes));
  const std::size_t room = bytes - kCutMark.size();
  std::string kept(utf8::head(text, room / 2));
  kept.append(kCutMark);
  kept.append(utf8::tail(text, room - room / 2));
  return kept;
}

}  // namespace dragoman
