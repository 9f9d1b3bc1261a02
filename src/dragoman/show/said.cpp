// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/said.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace dragoman::show {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_end(std::string_view words) {
  return words.substr(0, words.find_last_not_of(kBlanks) + 1);
}

std::size_t hash_of(std::string_view words) { return std::hash<std::string_view>()(words); }

}  // namespace

Said::Message& Said::message_of(const Event& event, std::optional<std::int64_t> block) {
  const auto goes_on = [&](const Message& last) {
    if (!block.has_value()) return last.line == event.origin.line;
    return last.block == block || (!last.block.has_value() && last.line == event.origin.line);
  };
  if (messages_.empty() || !goes_on(messages_.back())) {
    if (messages_.size() == kMessages) messages_.pop_front();
    messages_.push_back({event.origin.line, block, {}, true});
  }
  if (block.has_value()) messages_.back().block = block;
  return messages_.back();
}

void Said::add(const Event& event) {
  // A program that is started again counts its messages anew.
  if (event.as<SessionStarted>() != nullptr) messages_.clear();
  if (event.partial || event.origin.parent.data() != nullptr) return;
  if (event.origin.channel == Channel::user) return;
  const auto* const text = event.as<DisplayText>();
  if (text == nullptr) {
    if (event.origin.at.has_value()) (void)message_of(event, std::nullopt);
    return;
  }
  if (!text->block.has_value()) return;
  const std::string decoded = text->text.str();
  const std::string_view words = without_end(decoded);
  if (words.empty()) return;
  Message& message = message_of(event, text->block);
  message.complete = message.pieces.size() < kPieces;
  if (!message.complete) return;
  message.pieces.push_back({event.origin.at.value_or(0), words.size(), hash_of(words)});
}

bool Said::is(const Message& message, std::string_view words) {
  std::size_t end = 0;
  for (const Piece& piece : message.pieces) {
    end = piece.at + piece.length;
    if (end > words.size()) return false;
    if (hash_of(words.substr(piece.at, piece.length)) != piece.hash) return false;
  }
  if (!message.complete) return true;
  // Behind the last piece there is nothing, or a marker.
  std::string_view rest = words.substr(end);
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  return rest.empty() || rest.starts_with("<!--") || rest.starts_with('[');
}

bool Said::has(std::string_view words) const {
  return std::any_of(messages_.begin(), messages_.end(),
                     [&](const Message& message) { return is(message, without_end(words)); });
}

}  // namespace dragoman::show
