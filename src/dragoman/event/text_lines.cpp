// SPDX-License-Identifier: Apache-2.0
#include "dragoman/event/text_lines.hpp"

#include "dragoman/base/text_survey.hpp"
#include "dragoman/base/utf8.hpp"

namespace dragoman {

void TextLines::on_event(const Event& event) {
  const DisplayText* const text = plain_text(event);
  if (text == nullptr) {
    flush();
    out_.on_event(event);
    return;
  }
  const bool continues =
      !pending_.empty() && event.origin.offset == line_.origin.offset + pending_.size();
  if (!continues) {
    flush();
    line_ = event;
  }
  add(text->text.bytes);
}

void TextLines::add(std::string_view text) {
  while (!text.empty()) {
    const std::size_t room = kMaxTextPiece - pending_.size();
    const std::string_view window = text.substr(0, room);
    const std::size_t newline = window.find('\n');
    if (newline != std::string_view::npos) {
      const std::string_view line = text.substr(0, newline + 1);
      if (pending_.empty()) {
        put(line);
      } else {
        put(pending_.append(line));
        pending_.clear();
      }
      ++line_.origin.line;
      text.remove_prefix(line.size());
      continue;
    }
    pending_.append(window);
    text.remove_prefix(window.size());
    if (pending_.size() < kMaxTextPiece) return;
    const std::size_t half = utf8::incomplete_tail(pending_);
    put(std::string_view(pending_).substr(0, pending_.size() - half));
    pending_.erase(0, pending_.size() - half);
  }
}

void TextLines::put(std::string_view piece) {
  std::get<DisplayText>(line_.payload).text = json::Text(piece);
  line_.origin.length = piece.size();
  out_.on_event(line_);
  line_.origin.offset += piece.size();
}

void TextLines::flush() {
  if (pending_.empty()) return;
  put(pending_);
  pending_.clear();
}

void TextLineCount::add(std::string_view text, std::uint64_t offset) {
  if (offset != next_offset_) flush();
  next_offset_ = offset + text.size();
  if (text == "\n") {  // between two markers there is often nothing else
    ++count_;
    carried_ = 0;
    tail_.clear();
    return;
  }
  while (!text.empty()) {
    const std::size_t room = kMaxTextPiece - carried_;
    if (text.size() < room) {
      const std::size_t last = text.rfind('\n');
      if (last == std::string_view::npos) {
        carried_ += text.size();
      } else {
        count_ += count_newlines(text.substr(0, last + 1));
        carried_ = text.size() - last - 1;
      }
      remember_tail(text);
      return;
    }
    const std::string_view window = text.substr(0, room);
    const std::size_t last = window.rfind('\n');
    if (last != std::string_view::npos) {
      count_ += count_newlines(window.substr(0, last + 1));
      carried_ = 0;
      text.remove_prefix(last + 1);
      continue;
    }
    remember_tail(window);
    ++count_;
    carried_ = utf8::incomplete_tail(tail_);
    text.remove_prefix(window.size());
  }
}

void TextLineCount::remember_tail(std::string_view text) {
  constexpr std::size_t kLongestStart = 3;
  if (text.ends_with('\n')) {  // nothing can begin there
    tail_.clear();
    return;
  }
  if (text.size() >= kLongestStart) {
    tail_.assign(text.substr(text.size() - kLongestStart));
    return;
  }
  tail_.append(text);
  if (tail_.size() > kLongestStart) tail_.erase(0, tail_.size() - kLongestStart);
}

std::uint64_t count_newlines(std::string_view text) { return survey_text(text).newlines; }

}  // namespace dragoman
