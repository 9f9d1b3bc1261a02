// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/json_lines.hpp"

#include "dragoman/event/json.hpp"
#include "dragoman/event/short_line.hpp"

namespace dragoman::cli {

void JsonLines::on_event(const Event& event) {
  const bool shown = shows(event.kind());
  if (event.kind() == Kind::text) {
    if (event.partial) {
      if (!with_fragments_ || !shown) return;
      append_json(out_.buffer(), event);
      out_.buffer().push_back('\n');
      out_.end_piece();
      return;
    }
    if (const DisplayText* const text = plain_text(event); text != nullptr && !shown) {
      hidden_text_.add(text->text.bytes, event.origin.offset);
      return;
    }
  }
  hidden_text_.flush();
  ++numbered_;
  if (!shown) return;
  const std::uint64_t seq = numbered_ + hidden_text_.count();
  if (!frame_.append(out_.buffer(), event, seq) && !append_short_line(out_.buffer(), event, seq)) {
    Event line = event;
    line.seq = seq;
    append_json(out_.buffer(), line);
    out_.buffer().push_back('\n');
  }
  out_.end_piece();
}

}  // namespace dragoman::cli
