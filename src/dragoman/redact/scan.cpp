// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/scan.hpp"

#include <algorithm>

#include "dragoman/redact/steps.hpp"

namespace dragoman::redact {
namespace {

std::size_t run_of_byte(std::string_view text, char byte) {
  return std::min(text.find_first_not_of(byte), text.size());
}

}  // namespace

std::string_view Filter::Scan::push(std::string_view bytes) {
  if (held_.empty()) return pass(undress_.push(bytes, dresses_), false);
  const std::size_t known = dresses_.size();
  const std::string_view plain = undress_.push(bytes, dresses_);
  for (std::size_t i = known; i < dresses_.size(); ++i) dresses_[i].at += held_.size();
  work_.assign(std::exchange(held_, std::string())).append(plain);
  return pass(work_, false);
}

std::string_view Filter::Scan::finish() {
  const std::size_t known = dresses_.size();
  const std::string_view plain = undress_.finish(dresses_);
  for (std::size_t i = known; i < dresses_.size(); ++i) dresses_[i].at += held_.size();
  work_.assign(std::exchange(held_, std::string())).append(plain);
  const std::string_view rest = pass(work_, true);
  if (inside_) end_secret();
  return rest;
}

void Filter::Scan::put(std::string_view text, std::size_t from, std::size_t to) {
  while (next_dress_ < dresses_.size() && dresses_[next_dress_].at < to) {
    const Dress& dress = dresses_[next_dress_++];
    out_.append(text.substr(from, dress.at - from));
    put_dress(dress);
    from = dress.at + dress.length;
  }
  if (from < to) out_.append(text.substr(from, to - from));
}

// The address of a link is no plain text, but it may hold a secret as well.
void Filter::Scan::put_dress(const Dress& dress) {
  const std::size_t link = dress.length == 0 ? dress.original.find(kLinkBegin) : std::string::npos;
  out_.append(dress.original, 0, link);
  if (link == std::string::npos) return;
  Filter filter(rules_);
  std::string address(filter.push(std::string_view(dress.original).substr(link)));
  address += filter.finish();
  for (Redaction& one : filter.take_redactions()) {
    one.offset += passed_on_ + out_.size();
    redactions_.push_back(one);
  }
  out_ += address;
}

std::size_t Filter::Scan::drop(std::size_t from, std::size_t to) {
  std::size_t bytes = to - from;
  for (; next_dress_ < dresses_.size() && dresses_[next_dress_].at < to; ++next_dress_) {
    bytes += dresses_[next_dress_].original.size() - dresses_[next_dress_].length;
  }
  return bytes;
}

std::size_t Filter::Scan::letter_begin(std::size_t at) const {
  for (std::size_t i = next_dress_; i < dresses_.size() && dresses_[i].at < at; ++i) {
    if (at < dresses_[i].at + dresses_[i].length) return dresses_[i].at;
  }
  return at;
}

std::size_t Filter::Scan::letter_end(std::size_t at) const {
  for (std::size_t i = next_dress_; i < dresses_.size() && dresses_[i].at < at; ++i) {
    if (at < dresses_[i].at + dresses_[i].length) return dresses_[i].at + dresses_[i].length;
  }
  return at;
}

void Filter::Scan::begin_secret(std::string_view text, std::size_t copied, const Verdict& found) {
  put(text, copied, found.begin);
  // A colour before it stays.
  while (next_dress_ < dresses_.size() && dresses_[next_dress_].at == found.begin &&
         dresses_[next_dress_].length == 0) {
    put_dress(dresses_[next_dress_++]);
  }
  current_ = {passed_on_ + out_.size(), 0, found.kind};
  out_.append("[REDACTED:").append(found.kind).append("]");
  inside_ = true;
  goes_on_ = found;
  if (found.block.has_value()) key_block_ = KeyBlock(*found.block);
  if (!found.rest.empty()) inside_rules_ = rules_;
}

Filter::Scan::End Filter::Scan::end_of_bytes(std::string_view text, std::size_t at,
                                             bool final) const {
  const ByteSet set = goes_on_.goes_on;
  if (set == 0) return {at, true};
  for (;;) {
    const auto step = value_step(text.substr(at), set, final);
    if (!step || at == text.size()) return {at, false};
    if (*step == 0) return {at, true};
    at += *step;
  }
}

// The line end itself is passed on: who waits for the line gets it.
Verdict Filter::Scan::look_behind_token(std::string_view text, std::size_t& at, bool final) {
  constexpr std::size_t kMostIndent = 16;
  while (line_ == Line::same && at < text.size()) {
    const std::size_t slashes = run_of_byte(text.substr(at, kMostSlashes), '\\');
    if (at + slashes == text.size() && !final) return Verdict::more();
    const char c = at + slashes < text.size() ? text[at + slashes] : '\0';
    if (c == (slashes == 0 ? '\n' : 'n')) {
      line_ = Line::next;
    } else if (c != (slashes == 0 ? '\r' : 'r')) {
      line_ = Line::any;
      return Verdict::no();
    }
    at += slashes + 1;
  }
  for (; at < text.size() && is_in(text[at], kSpace) && indent_ < kMostIndent; ++at) ++indent_;
  if (at == text.size()) return Verdict::no();
  const auto piece = wrapped_piece(text.substr(at), goes_on_.goes_on, final);
  if (!piece) return Verdict::more();
  line_ = Line::any;
  if (*piece == 0) return Verdict::no();
  Verdict found = goes_on_;
  found.begin = at;
  found.length = *piece;
  return found;
}

// The rest of a long value, as far as it is the value.
Filter::Scan::End Filter::Scan::end_of_value(std::string_view text, std::size_t at) {
  std::string_view& rest = goes_on_.rest;
  while (at < text.size() && !rest.empty() && text[at] == rest.front()) {
    ++at;
    rest.remove_prefix(1);
  }
  return {at, at < text.size() || rest.empty()};
}

std::size_t Filter::Scan::leave_secret(std::string_view text, std::size_t from, std::size_t at,
                                       bool final) {
  End end;
  if (inside_rules_) {
    end = end_of_value(text, at);
  } else if (goes_on_.block.has_value()) {
    const KeyBlock::Step step = key_block_.read(text.substr(at), final);
    end = {at + step.length, step.ended};
  } else {
    end = end_of_bytes(text, at, final);
  }
  end.at = letter_end(end.at);
  current_.length += drop(from, end.at);
  if (end.certain) {
    end_secret();
    line_ = goes_on_.wraps ? Line::same : Line::any;
    indent_ = 0;
  }
  return end.at;
}

void Filter::Scan::remember(std::string_view text) {
  if (text.size() >= kBehind) {
    behind_.assign(text.substr(text.size() - kBehind));
  } else {
    behind_.append(text);
    if (behind_.size() > kBehind) behind_.erase(0, behind_.size() - kBehind);
  }
}

// The text up to `until` is done with.
std::string_view Filter::Scan::keep_rest(std::string_view text, std::size_t copied,
                                         std::size_t until, bool final) {
  if (until > copied) put(text, copied, until);
  // The dresses of what is held back, and a colour that ends the text inside of a secret: whether
  // it belongs to it is told by what comes next. Any other colour is not waited with.
  while ((!inside_ || final) && until == text.size() && next_dress_ < dresses_.size()) {
    put_dress(dresses_[next_dress_++]);
  }
  dresses_.erase(dresses_.begin(), dresses_.begin() + static_cast<std::ptrdiff_t>(next_dress_));
  next_dress_ = 0;
  held_bytes_ = text.size() - until;
  for (Dress& dress : dresses_) {
    dress.at -= until;
    held_bytes_ += dress.original.size() - dress.length;
  }
  passed_on_ += out_.size();
  return out_;
}

// What begins at the place; or before its value something else does, such as a value of ours that
// stands in its name.
Verdict Filter::Scan::first_secret(std::string_view text, std::size_t at, bool final) const {
  Verdict found = rules_->judge({text, at, behind_, final});
  const char* const end = text.data() + text.size();
  while (found.answer == Verdict::Answer::yes && at < found.begin) {
    at = static_cast<std::size_t>(rules_->find(text.data() + at + 1, end) - text.data());
    if (at >= found.begin) break;
    const Verdict other = rules_->judge({text, at, behind_, final});
    const bool earlier = other.answer == Verdict::Answer::yes && other.begin < found.begin;
    if (earlier || other.answer == Verdict::Answer::more) found = other;
  }
  return found;
}

std::string_view Filter::Scan::pass(std::string_view text, bool final) {
  out_.clear();
  std::size_t at = 0;
  std::size_t copied = 0;  // what lies before it is in out_, or was redacted
  std::size_t until = text.size();
  bool whole = dresses_.empty();  // what is passed on is the text
  if (inside_) {
    copied = at = leave_secret(text, 0, 0, final);
    whole = whole && at == 0;
    if (inside_) until = at;
  }
  while (!inside_ && at < text.size()) {
    const bool wrapped = line_ != Line::any;
    if (!wrapped) {
      const char* const candidate = rules_->find(text.data() + at, text.data() + text.size());
      at = static_cast<std::size_t>(candidate - text.data());
      if (at == text.size()) break;
      if (!rules_->may_begin(text.substr(at))) {
        ++at;
        continue;
      }
    }
    Verdict found = wrapped ? look_behind_token(text, at, final) : first_secret(text, at, final);
    if (found.answer == Verdict::Answer::more) {
      until = at;
      break;
    }
    if (found.answer == Verdict::Answer::no) {
      if (!wrapped) ++at;
      continue;
    }
    whole = false;
    const std::size_t known = found.begin + found.length;
    found.begin = letter_begin(found.begin);
    begin_secret(text, copied, found);
    copied = at = leave_secret(text, found.begin, known, final);
    if (inside_) until = at;
  }
  held_.assign(text.substr(until));
  remember(text.substr(0, until));
  if (!whole) return keep_rest(text, copied, until, final);
  held_bytes_ = held_.size();
  passed_on_ += until;
  return text.substr(0, until);
}

}  // namespace dragoman::redact
