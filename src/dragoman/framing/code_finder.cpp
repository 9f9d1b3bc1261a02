// SPDX-License-Identifier: Apache-2.0
#include "dragoman/framing/code_finder.hpp"

#include <algorithm>

namespace dragoman::framing {
namespace {

using Rest = BlockStructure::Rest;

constexpr std::string_view kBlanks = " \t\r";

bool all_blank(std::string_view text) {
  return text.find_first_not_of(kBlanks) == std::string_view::npos;
}

}  // namespace

void CodeFinder::start() {
  blocks_ = {};
  taken_ = known_ = words_ = false;
  head_.clear();
  pending_.clear();
}

void CodeFinder::advance(std::string_view text) {
  if (pending_.size() + text.size() <= kLongestPending) {
    pending_.append(text);
    return;
  }
  std::string_view last = text.substr(text.size() - std::min(text.size(), kLongestPending));
  last.remove_prefix(std::min(last.find('\n'), last.size() - 1) + 1);
  const std::size_t fresh = BlockStructure::last_fresh_line(last);
  if (fresh == std::string_view::npos) {
    catch_up();
    go_over(text);
    return;
  }
  if (!blocks_.in_outer_fence()) blocks_ = {};
  taken_ = known_ = words_ = false;
  head_.clear();
  pending_.assign(last.substr(fresh));
}

void CodeFinder::catch_up() {
  if (pending_.empty()) return;
  go_over(pending_);
  pending_.clear();
}

void CodeFinder::go_over(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  if (end == std::string_view::npos) return add(text);
  const std::size_t first = text.find('\n');
  add(text.substr(0, first));
  end_line();
  if (blocks_.in_outer_fence()) return add(text.substr(end + 1));
  text.remove_prefix(first + 1);
  if (const std::size_t fresh = BlockStructure::last_fresh_line(text);
      fresh != std::string_view::npos) {
    blocks_ = {};
    text.remove_prefix(fresh);
  }
  for (std::size_t newline = text.find('\n'); newline != std::string_view::npos;
       newline = text.find('\n')) {
    take(text.substr(0, newline));
    text.remove_prefix(newline + 1);
  }
  add(text);
}

void CodeFinder::skip(std::string_view marker) {
  catch_up();
  add(marker.substr(0, marker.find('\n')));
}

// What is longer than its head ends in words, unless it is blank throughout: so a fence does not
// have to wait for the end of its line.
void CodeFinder::add(std::string_view part) {
  const std::size_t room = std::min(kLineHead - head_.size(), part.size());
  head_.append(part.substr(0, room));
  part.remove_prefix(room);
  if (!part.empty() && !words_) words_ = !all_blank(head_) || !all_blank(part);
}

void CodeFinder::take(std::string_view line) {
  if (line.size() <= kLineHead) {
    static_cast<void>(blocks_.take(line));
    return;
  }
  add(line);
  end_line();
}

void CodeFinder::end_line() {
  if (!taken_) static_cast<void>(blocks_.take(head_, words_ ? Rest::words : Rest::none));
  taken_ = known_ = words_ = false;
  head_.clear();
}

CodeFinder::Line CodeFinder::here() {
  catch_up();
  if (!known_) {
    BlockStructure blocks = blocks_;
    line_ = blocks.take(head_, Rest::words);
    known_ = true;
  }
  return line_;
}

BlockStructure::Fence CodeFinder::fence(std::string_view rest) {
  catch_up();
  std::string line = head_;
  line.append(rest);
  const Rest behind = line.size() > kLineHead ? Rest::words : Rest::none;
  BlockStructure blocks = blocks_;
  const Line found = blocks.take(std::string_view(line).substr(0, kLineHead), behind);
  if (found.fence == BlockStructure::Fence::unchanged) return found.fence;
  blocks_ = blocks;
  belongs_to_fence();
  return found.fence;
}

BlockStructure::Fence CodeFinder::outer_fence(std::string_view line) {
  const Rest behind = line.size() > kLineHead ? Rest::words : Rest::none;
  const BlockStructure::Fence found = blocks_.take_outer_fence(line.substr(0, kLineHead), behind);
  if (found != BlockStructure::Fence::unchanged) belongs_to_fence();
  return found;
}

// The line that we are in, which is taken.
void CodeFinder::belongs_to_fence() {
  line_ = {BlockStructure::Kind::fenced_code};
  taken_ = known_ = true;
  words_ = false;
  head_.clear();
  pending_.clear();
}

bool CodeFinder::ends_in_fence() {
  catch_up();
  if (!head_.empty()) end_line();
  return blocks_.in_fence();
}

}  // namespace dragoman::framing
