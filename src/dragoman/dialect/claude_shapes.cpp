// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/claude_shapes.hpp"

#include <array>
#include <utility>

namespace dragoman {
namespace {

using json::Kind;
using json::Value;

constexpr std::uint8_t kNoHole = 255;

// What read_claude_line leaves where it has read the object itself.
const Value kObject{Kind::object, false, "{}"};

constexpr std::array kBlockMembers = {
    &ClaudeBlock::type,        &ClaudeBlock::id,      &ClaudeBlock::name,    &ClaudeBlock::text,
    &ClaudeBlock::thinking,    &ClaudeBlock::data,    &ClaudeBlock::content, &ClaudeBlock::input,
    &ClaudeBlock::tool_use_id, &ClaudeBlock::is_error};

std::array<Value*, 5> values_of(ClaudeUsage& u) {
  return {&u.input_tokens, &u.cache_creation_input_tokens, &u.cache_read_input_tokens,
          &u.output_tokens, &u.output_tokens_details};
}

std::array<Value*, 6> values_of(ClaudeRequest& r) {
  static_assert(sizeof r == 6 * sizeof(Value), "a value that is not listed is not seen again");
  return {&r.subtype,     &r.tool_name,    &r.input,
          &r.tool_use_id, &r.blocked_path, &r.permission_suggestions};
}

// Everything but the blocks that is not in ClaudeLine::set.
template <typename Use>
void each_inner_value(ClaudeLine& line, Use&& use) {
  ClaudeMessage& m = line.message;
  ClaudeFragment& f = line.fragment;
  for (Value* value : {&line.message_text, &line.event, &line.request, &m.id, &m.model, &m.content,
                       &f.type, &f.index, &f.delta_type, &f.text, &f.thinking}) {
    use(*value);
  }
  for (Value* value : values_of(line.can_use)) use(*value);
  for (Value* value : values_of(m.usage)) use(*value);
  for (Value* value : values_of(line.usage)) use(*value);
}

}  // namespace

void ClaudeShapes::Place::put(const LineShapes::Fit& fit, Value& value) const {
  const char* const from = fit.at(begin);
  value.kind = kind;
  value.escaped = hole != kNoHole && (fit.escaped >> hole & 1U) != 0;
  value.raw = {from, static_cast<std::size_t>(fit.at(end) - from)};
}

std::size_t ClaudeShapes::read(std::string_view text) {
  if (!shapes_.fit(text, fit_)) return 0;
  const Shape& shape = known_[fit_.shape];
  if (!shape.usable) return 0;
  if (line_.shape != fit_.shape + 1) prepare(shape);  // else the same fields are filled again
  for (const Field& field : shape.fields) field.place.put(fit_, *field.value);
  for (const BlockField& field : shape.block_fields) {
    field.place.put(fit_, line_.blocks[field.block].*field.member);
  }
  return fit_.length;
}

// Everything that is the same in all lines of the shape.
void ClaudeShapes::prepare(const Shape& shape) {
  clear(line_);
  for (std::size_t i = 0; i < shape.set_count; ++i) line_.set[i] = shape.fields[i].value;
  line_.set_count = shape.set_count;
  line_.blocks.resize(shape.blocks);
  line_.has_message = shape.has_message;
  line_.message_set = shape.message_set;
  line_.message.has_usage = shape.message_usage;
  line_.has_usage = shape.usage;
  if (shape.event) line_.event = kObject;
  if (shape.request) line_.request = kObject;
  line_.shape = fit_.shape + 1;
}

void ClaudeShapes::learn(std::string_view text) {
  if (line_.duplicate_key) return;
  const auto number = shapes_.learn(text);
  if (!number.has_value()) return;
  known_.resize(*number);
  known_.push_back(description());
}

ClaudeShapes::Shape ClaudeShapes::description() const {
  Shape shape;
  const auto add = [&](Value& value) {
    if (!value.absent()) shape.fields.push_back({&value, place_of(value)});
  };
  for (std::size_t i = 0; i < line_.set_count; ++i) add(*line_.set[i]);
  shape.set_count = shape.fields.size();
  shape.event = line_.event.is(Kind::object);
  shape.request = line_.request.is(Kind::object);
  each_inner_value(line_, [&](Value& value) {
    const bool object =
        (shape.event && &value == &line_.event) || (shape.request && &value == &line_.request);
    if (!object) add(value);
  });
  for (std::size_t i = 0; i < line_.blocks.size(); ++i) {
    for (Value ClaudeBlock::*const member : kBlockMembers) {
      const Value& value = line_.blocks[i].*member;
      if (!value.absent()) shape.block_fields.push_back({i, member, place_of(value)});
    }
    // How a block is read depends on its type, so that must be the same in all lines.
    shape.usable &= line_.blocks[i].raw.data() == nullptr &&
                    !shapes_.hole_at(line_.blocks[i].type.raw.data()).has_value();
  }
  shape.blocks = line_.blocks.size();
  shape.has_message = line_.has_message;
  shape.message_set = line_.message_set;
  shape.message_usage = line_.message.has_usage;
  shape.usage = line_.has_usage;
  return shape;
}

ClaudeShapes::Place ClaudeShapes::place_of(const Value& value) const {
  const char* const from = value.raw.data();
  const auto hole = value.kind == Kind::string ? shapes_.hole_at(from) : std::nullopt;
  return {shapes_.mark_of(from), shapes_.mark_of(from + value.raw.size()), value.kind,
          hole.has_value() ? static_cast<std::uint8_t>(*hole) : kNoHole};
}

}  // namespace dragoman
