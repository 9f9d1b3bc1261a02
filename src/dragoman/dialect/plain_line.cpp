// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/plain_line.hpp"

#include <cstring>

namespace dragoman {
namespace {

constexpr std::string_view kProgress = "[PROGRESS] ";
constexpr std::string_view kComplete = "[CODEX_COMPLETE] ";
constexpr std::string_view kBefore = "Task completed in ";
constexpr std::string_view kBehind = " iterations";

}  // namespace

bool PlainLine::read(std::string_view text) {
  if (text.starts_with(kProgress)) {
    name_ = Name::progress;
    return read_words(text, kProgress.size());
  }
  if (text.starts_with(kComplete)) {
    name_ = Name::codex_complete;
    return read_words(text, kComplete.size()) && read_iterations();
  }
  return false;
}

bool PlainLine::read_words(std::string_view text, std::size_t from) {
  const char* const begin = text.data() + from;
  const void* const found = std::memchr(begin, '\n', text.size() - from);
  if (found == nullptr || *begin == ' ' || *begin == '\t') return false;
  const auto* const newline = static_cast<const char*>(found);
  // There may be another marker among the words.
  const auto size = static_cast<std::size_t>(newline - begin);
  if (std::memchr(begin, '[', size) != nullptr || std::memchr(begin, '<', size) != nullptr)
    return false;
  length_ = static_cast<std::size_t>(newline - text.data()) + 1;
  words_ = {begin, static_cast<std::size_t>(newline - begin)};
  if (!words_.empty() && words_.back() == '\r') words_.remove_suffix(1);
  while (!words_.empty() && (words_.back() == ' ' || words_.back() == '\t'))
    words_.remove_suffix(1);
  return true;
}

// "Task completed in 8 iterations"
bool PlainLine::read_iterations() {
  constexpr std::size_t kMostDigits = 18;
  if (!words_.starts_with(kBefore) || !words_.ends_with(kBehind)) return false;
  if (words_.size() <= kBefore.size() + kBehind.size()) return false;
  const std::string_view digits =
      words_.substr(kBefore.size(), words_.size() - kBefore.size() - kBehind.size());
  if (digits.size() > kMostDigits) return false;
  iterations_ = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    iterations_ = iterations_ * 10 + (c - '0');
  }
  return true;
}

void PlainLine::fill(Payload& payload) const {
  if (name_ == Name::progress) {
    auto& status = payload.emplace<Status>();
    status.status = "in_progress";
    status.message = words_;
    return;
  }
  auto& claim = payload.emplace<CompletionClaimed>();
  claim.by = "codex_complete";
  claim.iterations = iterations_;
}

}  // namespace dragoman
