// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/plain_line.hpp"

#include <bit>

#include "dragoman/dialect/kept_payload.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dragoman {
namespace {

constexpr std::string_view kProgress = "[PROGRESS] ";
constexpr std::string_view kComplete = "[CODEX_COMPLETE] ";
constexpr std::string_view kBefore = "Task completed in ";
constexpr std::string_view kBehind = " iterations";

// The end of the line; null when it is not in view, or when there may be another marker before it.
// `ascii`: all bytes before it, and some behind, are.
const char* end_of_words(const char* p, const char* end, bool& ascii) {
  ascii = false;
#if defined(__SSE2__)
  constexpr std::ptrdiff_t kStep = 16;
  __m128i seen = _mm_setzero_si128();
  for (; end - p >= kStep; p += kStep) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    seen = _mm_or_si128(seen, v);
    const __m128i newline = _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'));
    const __m128i opener =
        _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('[')), _mm_cmpeq_epi8(v, _mm_set1_epi8('<')));
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(newline, opener)));
    if (found == 0) continue;
    p += std::countr_zero(found);
    ascii = _mm_movemask_epi8(seen) == 0;
    return *p == '\n' ? p : nullptr;
  }
#endif
  while (p != end && *p != '\n' && *p != '[' && *p != '<') ++p;
  return p != end && *p == '\n' ? p : nullptr;
}

}  // namespace

bool PlainLine::read(std::string_view text, const char* line_end) {
  if (text.starts_with(kProgress)) {
    name_ = Name::progress;
    return read_words(text, kProgress.size(), line_end);
  }
  if (text.starts_with(kComplete)) {
    name_ = Name::codex_complete;
    return read_words(text, kComplete.size(), line_end) && read_iterations();
  }
  return false;
}

bool PlainLine::read_words(std::string_view text, std::size_t from, const char* line_end) {
  const char* const begin = text.data() + from;
  const char* const end = text.data() + text.size();
  const bool known = line_end != nullptr && line_end < end;
  const char* const newline = known ? line_end : end_of_words(begin, end, ascii_);
  ascii_ = ascii_ && !known;
  if (newline == nullptr || *begin == ' ' || *begin == '\t') return false;
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
    auto& status = kept<Status>(payload);
    status.status = "in_progress";
    status.message = words_;
    // One by one: to copy from a field that has just been set is to wait for it.
    status.progress.reset();
    status.phase.reset();
    status.plan = {};
    status.task = {};
    return;
  }
  auto& claim = kept<CompletionClaimed>(payload);
  claim.by = "codex_complete";
  claim.iterations = iterations_;
}

}  // namespace dragoman
