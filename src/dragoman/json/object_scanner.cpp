// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/object_scanner.hpp"

#include "dragoman/json/number.hpp"
#include "dragoman/json/scan.hpp"
#include "dragoman/json/short_string.hpp"

namespace dragoman::json {
namespace {

bool ends_scalar(char c) {
  switch (c) {
    case ',':
    case ']':
    case '}':
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      return true;
    default:
      return false;
  }
}

// How many bytes `text` starts with that can be part of a number or literal. Which one it is, or
// none, is asked when the word is over: asking at the end of each piece would cost its square.
std::size_t scalar_prefix(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    const bool part = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
                      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!part) break;
    ++i;
  }
  return i;
}

Kind scalar_kind(char c) {
  if (c == 't' || c == 'f') return Kind::boolean;
  return c == 'n' ? Kind::null_ : Kind::number;
}

Fault scalar_fault(std::string_view text) {
  if (scalar_kind(text[0]) != Kind::number) {
    const bool known = text == "true" || text == "false" || text == "null";
    return known ? Fault::none : Fault::syntax;
  }
  switch (parse_number(text).fault) {
    case NumberFault::none:
      return Fault::none;
    case NumberFault::spelling:
      return Fault::bad_number;
    case NumberFault::range:
      return Fault::number_range;
  }
  return Fault::bad_number;
}

}  // namespace

void ObjectScanner::start(Newlines newlines, Root root) {
  members_.clear();
  at_ = token_ = 0;
  depth_ = 0;
  newlines_ = newlines;
  root_ = root;
  expect_ = Expect::start;
  state_ = State::needs_more;
  fault_ = Fault::none;
  in_key_ = escaped_ = lone_surrogate_ = non_ascii_ = false;
}

bool ObjectScanner::fail(Fault fault) {
  fault_ = fault;
  state_ = State::failed;
  return false;
}

ObjectScanner::State ObjectScanner::feed(std::string_view payload) {
  if (state_ != State::needs_more) return state_;
  while (step(payload)) {
  }
  return state_;
}

// One token, or the part of it that is there. False: out of bytes, complete or failed.
bool ObjectScanner::step(std::string_view payload) {
  if (expect_ == Expect::string) return go_on_in_string(payload);
  if (expect_ == Expect::scalar) return go_on_in_scalar(payload);
  if (at_ >= payload.size()) return false;
  const char c = payload[at_];
  if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
    if (expect_ == Expect::start) return fail(Fault::syntax);
    if (c == '\n' && newlines_ == Newlines::forbidden) return fail(Fault::newline);
    ++at_;
    return true;
  }
  switch (expect_) {
    case Expect::start:
      return c == '{' || (c == '[' && root_ == Root::object_or_array) ? begin_value(c)
                                                                      : fail(Fault::syntax);
    case Expect::first_key:
      return begin_key(c, true);
    case Expect::key:
      return begin_key(c, false);
    case Expect::colon:
      if (c != ':') return fail(Fault::syntax);
      ++at_;
      expect_ = Expect::value;
      return true;
    case Expect::first_value:
      return c == ']' ? close(c) : begin_value(c);
    case Expect::value:
      return begin_value(c);
    case Expect::after_value:
      if (c != ',') return close(c);
      ++at_;
      expect_ = ((levels_[depth_ / 64] >> (depth_ % 64)) & 1U) != 0 ? Expect::key : Expect::value;
      return true;
    case Expect::string:
    case Expect::scalar:
      break;  // handled above
  }
  return false;
}

bool ObjectScanner::begin_key(char c, bool may_close) {
  if (c == '}' && may_close) return close(c);
  if (c != '"') return fail(Fault::syntax);
  in_key_ = true;
  escaped_ = false;
  token_ = at_++;
  expect_ = Expect::string;
  return true;
}

bool ObjectScanner::begin_value(char c) {
  if (depth_ == 1) member_.value_begin = static_cast<std::uint32_t>(at_);
  if (c == '{' || c == '[') {
    if (depth_ == kMaxDepth) return fail(Fault::too_deep);
    if (depth_ == 1) member_.kind = c == '{' ? Kind::object : Kind::array;
    ++depth_;
    const std::uint64_t bit = std::uint64_t{1} << (depth_ % 64);
    std::uint64_t& word = levels_[depth_ / 64];
    word = c == '{' ? word | bit : word & ~bit;
    expect_ = c == '{' ? Expect::first_key : Expect::first_value;
    ++at_;
    return true;
  }
  token_ = at_;
  if (c == '"') {
    in_key_ = false;
    escaped_ = false;
    if (depth_ == 1) member_.kind = Kind::string;
    ++at_;
    expect_ = Expect::string;
    return true;
  }
  if (c != '-' && (c < '0' || c > '9') && c != 't' && c != 'f' && c != 'n')
    return fail(Fault::syntax);
  if (depth_ == 1) member_.kind = scalar_kind(c);
  expect_ = Expect::scalar;
  return true;
}

bool ObjectScanner::close(char c) {
  const bool object = ((levels_[depth_ / 64] >> (depth_ % 64)) & 1U) != 0;
  if (c != (object ? '}' : ']')) return fail(Fault::syntax);
  ++at_;
  if (--depth_ == 0) {
    state_ = State::complete;
    return false;
  }
  escaped_ = false;
  return end_value();
}

// A value ends just before at_.
bool ObjectScanner::end_value() {
  if (depth_ == 1 && (levels_[0] & 2U) != 0) {  // level 1 is an object: its values are members
    member_.value_end = static_cast<std::uint32_t>(at_);
    member_.value_escaped = member_.kind == Kind::string && escaped_;
    members_.push_back(member_);
  }
  expect_ = Expect::after_value;
  return true;
}

bool ObjectScanner::go_on_in_string(std::string_view payload) {
  const char* const end = payload.data() + payload.size();
  if (const char* close = close_quote_nearby(payload.data() + at_, end); close != nullptr) {
    at_ = static_cast<std::size_t>(close - payload.data());
    return end_string();
  }
  const StringEnd scan = scan_string(payload.data() + at_, end);
  escaped_ |= scan.escaped;
  lone_surrogate_ |= scan.lone_surrogate;
  non_ascii_ |= scan.non_ascii;
  at_ = static_cast<std::size_t>(scan.at - payload.data());
  switch (scan.stop) {
    case StringEnd::Stop::ran_out:
      return false;
    case StringEnd::Stop::control:
      if (*scan.at != '\n' || newlines_ == Newlines::allowed) return fail(Fault::control);
      if (newlines_ == Newlines::forbidden) return fail(Fault::newline);
      ++at_;
      return true;
    case StringEnd::Stop::bad_escape:
      return fail(Fault::bad_escape);
    case StringEnd::Stop::closed:
      break;
  }
  return end_string();
}

// The closing quote stands at at_.
bool ObjectScanner::end_string() {
  ++at_;
  if (!in_key_) return end_value();
  if (depth_ == 1) {
    member_.key_begin = static_cast<std::uint32_t>(token_ + 1);
    member_.key_end = static_cast<std::uint32_t>(at_ - 1);
    member_.key_escaped = escaped_;
  }
  expect_ = Expect::colon;
  return true;
}

bool ObjectScanner::go_on_in_scalar(std::string_view payload) {
  at_ += scalar_prefix(payload.substr(at_));
  if (at_ >= payload.size()) return false;
  const Fault fault = scalar_fault(payload.substr(token_, at_ - token_));
  if (fault == Fault::none) return ends_scalar(payload[at_]) ? end_value() : fail(Fault::syntax);
  at_ = token_;  // the whole word is at fault: what follows may well be the end of the comment
  return fail(fault);
}

}  // namespace dragoman::json
