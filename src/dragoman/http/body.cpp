// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/body.hpp"

#include <algorithm>
#include <charconv>

namespace dragoman::http {

namespace {

constexpr std::size_t kLongestLine = 256;
constexpr std::size_t kMostTrailers = 16;

}  // namespace

BodyReader::BodyReader(const Head& head, std::size_t limit)
    : limit_(limit), chunked_(head.chunked), left_(head.length) {
  if (chunked_) return;
  part_ = Part::data;
  if (left_ > limit_) state_ = State::too_large;
  if (left_ == 0) state_ = State::done;
}

BodyReader::State BodyReader::push(std::string_view bytes, std::size_t& taken) {
  taken = 0;
  while (state_ == State::more && taken < bytes.size()) {
    const std::string_view rest = bytes.substr(taken);
    taken += part_ == Part::data ? take_data(rest) : take_line(rest);
  }
  return state_;
}

std::size_t BodyReader::take_data(std::string_view bytes) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_));
  body_.append(bytes.substr(0, size));
  left_ -= size;
  if (left_ > 0) return size;
  if (chunked_) {
    part_ = Part::data_end;
  } else {
    state_ = State::done;
  }
  return size;
}

std::size_t BodyReader::take_line(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  const std::size_t size = end == std::string_view::npos ? bytes.size() : end + 1;
  if (line_.size() + size > kLongestLine) {
    state_ = State::bad;
    return size;
  }
  line_.append(bytes.substr(0, size));
  if (end == std::string_view::npos) return size;
  if (line_.size() < 2 || line_[line_.size() - 2] != '\r') {
    state_ = State::bad;
    return size;
  }
  line_.resize(line_.size() - 2);
  line_complete();
  line_.clear();
  return size;
}

void BodyReader::line_complete() {
  switch (part_) {
    case Part::size:
      size_line();
      return;
    case Part::data_end:
      part_ = Part::size;
      if (!line_.empty()) state_ = State::bad;
      return;
    case Part::trailer:
      if (line_.empty()) {
        state_ = State::done;
      } else if (++lines_ > kMostTrailers) {
        state_ = State::bad;
      }
      return;
    case Part::data:
      return;
  }
}

void BodyReader::size_line() {
  const std::string_view digits = std::string_view(line_).substr(0, line_.find(';'));
  std::uint64_t size = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, size, 16);
  if (digits.empty() || digits.size() > 15 || read.ec != std::errc() || read.ptr != end) {
    state_ = State::bad;
  } else if (size > limit_ - body_.size()) {
    state_ = State::too_large;
  } else if (size == 0) {
    part_ = Part::trailer;
  } else {
    left_ = size;
    part_ = Part::data;
  }
}

}  // namespace dragoman::http
