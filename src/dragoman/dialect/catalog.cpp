// SPDX-License-Identifier: Apache-2.0
// Every dialect there is, listed by hand.
#include <utility>

#include "dragoman/dialect/claude_reader.hpp"
#include "dragoman/dialect/codex_reader.hpp"
#include "dragoman/dialect/delegator_reader.hpp"
#include "dragoman/dialect/detecting_reader.hpp"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/dialect/text_reader.hpp"

namespace dragoman {

std::unique_ptr<Reader> make_reader(Dialect dialect, ReaderOptions options) {
  switch (dialect) {
    case Dialect::text:
    case Dialect::wxcode:
    case Dialect::question:
    case Dialect::markers:
      return make_text_reader(dialect, std::move(options));
    case Dialect::claude:
      return std::make_unique<ClaudeReader>(std::move(options));
    case Dialect::codex:
      return std::make_unique<CodexReader>(std::move(options));
    case Dialect::delegator:
      return std::make_unique<DelegatorReader>(std::move(options));
  }
  return make_text_reader(Dialect::text, std::move(options));
}

std::unique_ptr<Reader> make_detecting_reader(ReaderOptions options) {
  return std::make_unique<DetectingReader>(std::move(options));
}

}  // namespace dragoman
