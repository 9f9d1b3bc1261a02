// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/claude_reader.hpp"
#include "dragoman/dialect/field_table.hpp"

namespace dragoman {
namespace {

struct Abandoned {
  json::Value from_block_index;
};
constexpr FieldTable kAbandoned({
    Slot<Abandoned>{"from_block_index", &Abandoned::from_block_index},
});

std::int64_t small_number(const json::Value& value) {
  if (!value.is(json::Kind::number)) return 0;
  return json::parse_number(value.raw).value.whole().value_or(0);
}

}  // namespace

// Fragments are shown live and never searched: the complete message follows and is the one that
// counts. Their text is collected all the same, for the case that the stream ends first. False:
// nobody knows this kind of fragment.
bool ClaudeReader::read_fragment(LineEvents& events) {
  const ClaudeFragment& fragment = line_.fragment;
  const std::string_view type = string(fragment.type);
  if (type == "content_block_delta") {
    if (fragment.text.is(json::Kind::string)) {
      if (line_.parent_tool_use_id.given()) return true;
      const json::Text text = fragment.text.text();
      if (fragment_text_.size() + text.bytes.size() <= options_.line_cap) {
        json::decode_to(fragment_text_, text);
      }
      if (options_.partial) events.emit_partial(DisplayText{text, blocks_}, Channel::partial);
    } else if (fragment.thinking.is(json::Kind::string) && options_.partial) {
      Thinking thinking;
      thinking.text = fragment.thinking.text();
      events.emit_partial(thinking, Channel::partial);
    }
  } else if (type == "content_block_start") {
    drop_fragments();
    fragment_index_ = small_number(fragment.index);
  } else if (type == "message_start") {
    drop_fragments();
  } else if (type != "content_block_stop" && type != "message_delta" && type != "message_stop" &&
             type != "ping") {
    return false;
  }
  if (line_.abandoned_blocks.is(json::Kind::object)) drop_abandoned_blocks();
  return true;
}

void ClaudeReader::drop_abandoned_blocks() {
  Abandoned abandoned;
  read_object(line_.abandoned_blocks.raw, kAbandoned, abandoned);
  if (fragment_index_ >= small_number(abandoned.from_block_index)) drop_fragments();
}

void ClaudeReader::drop_fragments() {
  fragment_text_.clear();
  fragment_index_ = 0;
}

void ClaudeReader::read_unfinished_text(EventSink& out) {
  if (fragment_text_.empty()) return;
  CarriedBlock block;
  block.origin = lines_.behind_the_end(out).origin_in(Channel::assistant_text);
  block.block = blocks_++;
  block.partial = true;
  scanner_.read(fragment_text_, block, out);
  drop_fragments();
}

}  // namespace dragoman
