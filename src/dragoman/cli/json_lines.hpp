// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>

#include "dragoman/cli/io.hpp"
#include "dragoman/cli/text_frame.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/event/text_lines.hpp"

namespace dragoman::cli {

using KindSet = std::bitset<kKinds>;

// Prints events as canonical JSON lines and numbers them. The numbers do not depend on what is
// shown: `--kinds status` leaves lines out, it does not renumber them. Expects plain text by the
// line when text is shown, and in any pieces when it is not.
class JsonLines final : public EventSink {
 public:
  JsonLines(Output& out, KindSet shown, bool with_fragments)
      : out_(out), shown_(shown), with_fragments_(with_fragments) {}

  void begin_stream() {
    numbered_ = 0;
    hidden_text_ = {};
  }
  void on_event(const Event& event) override;

 private:
  [[nodiscard]] bool shows(Kind kind) const { return shown_[static_cast<std::size_t>(kind)]; }

  Output& out_;
  KindSet shown_;
  bool with_fragments_;
  std::uint64_t numbered_ = 0;
  TextLineCount hidden_text_;
  TextFrame frame_;
};

}  // namespace dragoman::cli
