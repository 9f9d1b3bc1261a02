// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/speech.hpp"

#include <algorithm>

#include "dragoman/base/utf8.hpp"
#include "dragoman/show/markdown_tree.hpp"

namespace dragoman::show {
namespace {

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

Manner manner_of(const Origin& origin) {
  return origin.stream == Stream::stderr_ || origin.channel == Channel::stderr_ ||
                 origin.channel == Channel::noise
             ? Manner::verbatim
             : Manner::markdown;
}

}  // namespace

bool Speech::add(const Event& event, const Put& put) {
  const auto* const text = event.as<DisplayText>();
  const auto* const thinking = event.as<Thinking>();
  if (text == nullptr && thinking == nullptr) return false;
  const json::Text words = text != nullptr ? text->text : thinking->text;
  const Manner manner = text != nullptr ? manner_of(event.origin) : Manner::thinking;
  if (event.partial) {
    if (fragments_manner_ != manner) fragments_.clear();
    fragments_manner_ = manner;
    if (fragments_.size() < kMaxMarkdownBlock) json::decode_to(fragments_, words);
    return true;
  }
  fragments_.clear();
  std::optional<std::int64_t> block;
  if (text != nullptr) block = text->block;
  if (thinking != nullptr && thinking->redacted.value_or(false) && words.bytes.empty()) {
    take(json::Text(std::string_view("(redacted)")), manner, block, put);
    return true;
  }
  take(words, manner, block, put);
  return true;
}

void Speech::take(json::Text text, Manner manner, std::optional<std::int64_t> block,
                  const Put& put) {
  const bool goes_on = manner == manner_ && block == block_;
  if (!goes_on && (!text_.empty() || echo_.holds())) flush(put);
  manner_ = manner;
  block_ = block;
  if (manner == Manner::markdown) {
    words_.clear();
    json::decode_to(words_, text);
    text_.append(echo_.pass(words_));
  } else {
    json::decode_to(text_, text);
  }
  while (text_.size() > kMaxMarkdownBlock) {
    const std::string_view head = std::string_view(text_).substr(0, kMaxMarkdownBlock);
    std::size_t cut = manner == Manner::verbatim ? 0 : markdown_cut(head, head.size());
    std::string fence;
    if (cut == 0) {
      cut = head.rfind('\n') + 1;
      if (manner != Manner::verbatim) fence = markdown_open_fence(head.substr(0, cut));
    }
    if (cut == 0) cut = std::max<std::size_t>(1, head.size() - utf8::incomplete_tail(head));
    give(cut, put);
    // Code that is longer goes on as code. A fence of its length is no fence.
    constexpr std::size_t kLongestFence = 256;
    if (!fence.empty() && fence.size() < kLongestFence && cut > 2 * kLongestFence) {
      text_.insert(0, fence + '\n');
    }
  }
}

void Speech::give(std::size_t length, const Put& put) {
  const std::string_view piece = std::string_view(text_).substr(0, length);
  if (!blank(piece)) put({piece, manner_, false});
  text_.erase(0, length);
}

void Speech::flush(const Put& put) {
  text_.append(echo_.flush());
  if (!text_.empty()) give(text_.size(), put);
}

void Speech::finish(const Put& put) {
  flush(put);
  if (!blank(fragments_)) put({fragments_, fragments_manner_, true});
  fragments_.clear();
}

}  // namespace dragoman::show
