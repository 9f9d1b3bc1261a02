// SPDX-License-Identifier: Apache-2.0
// Markers in text: WXCODE comments, QUESTION/FINISHED/GOTO comments, [WXCODE:…] lines and bracket
// markers, wherever an agent's own words are.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "dragoman/dialect/question_ids.hpp"
#include "dragoman/dialect/reader.hpp"

namespace dragoman {

// A text block that a JSON line carried, already decoded.
struct CarriedBlock {
  Origin origin;  // of the line: dialect, stream, offset, length, line, channel, parent
  std::int64_t block = 0;
  bool partial = false;  // the stream ended before the complete block came
  // Words of a subagent: markers are reported as quoted, none has an effect.
  bool report_only = false;
};

// Reads one decoded text block: its markers and the display text between them. Origins keep the
// line's place, name the marker's own dialect, and say at which byte of the text it stood.
class BlockScanner {
 public:
  BlockScanner(const ReaderOptions& options, QuestionIds& ids);
  ~BlockScanner();
  BlockScanner(const BlockScanner&) = delete;
  BlockScanner& operator=(const BlockScanner&) = delete;

  void read(std::string_view text, const CarriedBlock& block, EventSink& out);

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace dragoman
