// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/line_shapes.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/field_table.hpp"
#include "dragoman/json/scan.hpp"
#include "dragoman/json/short_string.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kMostNodes = 2048;
constexpr std::size_t kMostText = std::size_t{128} * 1024;
constexpr std::size_t kLongestShape = 8192;  // bytes between the holes
constexpr std::size_t kMostAlternatives = 24;
constexpr std::size_t kMostCredit = 64;
constexpr std::uint64_t kLinesForACredit = 64;

// Whether two stretches are equal. They are seldom short and seldom differ, so the bytes are laid
// side by side without the call that memcmp costs.
[[gnu::always_inline]] inline bool same_bytes(const char* a, const char* b, std::size_t size) {
#if defined(__SSE2__)
  const auto differ = [](const char* x, const char* y) {
    return _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(y)));
  };
  const auto none = [](__m128i bits) {
    return _mm_movemask_epi8(_mm_cmpeq_epi8(bits, _mm_setzero_si128())) == 0xFFFF;
  };
  if (size >= 16) {
    const char* const last = a + size - 16;
    const std::ptrdiff_t apart = b - a;
    for (; a < last; a += 16) {
      if (!none(differ(a, a + apart))) return false;
    }
    return none(differ(last, last + apart));
  }
#endif
  return same_key(a, b, size);
}

bool is_scalar(char c) { return ascii::is_alnum(c) || c == '+' || c == '-' || c == '.'; }

// Behind the number at p, spelled without an exponent; null when there is none.
const char* behind_number(const char* p, const char* end) {
  if (p != end && *p == '-') ++p;
  const char* const whole = p;
  while (p != end && ascii::is_digit(*p)) ++p;
  if (p == whole || (*whole == '0' && p - whole > 1)) return nullptr;
  if (p == end || *p != '.') return p;
  const char* const fraction = ++p;
  while (p != end && ascii::is_digit(*p)) ++p;
  return p == fraction ? nullptr : p;
}

// The quote that closes the string whose first byte is at p; null when the string does not end here
// or deserves a finding.
const char* closing_quote(const char* p, const char* end, bool& escaped) {
  escaped = false;
  if (const char* const close = json::close_quote_nearby(p, end)) return close;
  const json::StringEnd found = json::scan_string(p, end);
  if (found.stop != json::StringEnd::Stop::closed || found.lone_surrogate) return nullptr;
  if (found.non_ascii && found.utf8 != json::StringEnd::Utf8::good &&
      !utf8::valid({p, static_cast<std::size_t>(found.at - p)})) {
    return nullptr;
  }
  escaped = found.escaped;
  return found.at;
}

// In good JSON a colon follows keys and nothing else.
bool is_key(const char* behind, const char* end) {
  while (behind != end && (*behind == ' ' || *behind == '\t' || *behind == '\r')) ++behind;
  return behind != end && *behind == ':';
}

// The values of these keys say what the rest of the line is like, so they are no holes.
bool names_the_kind(std::string_view key) {
  return key == "type" || key == "subtype" || key == "role";
}

}  // namespace

bool LineShapes::fit(std::string_view text, Fit& fit) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const Node* node = nodes_.empty() ? nullptr : nodes_.data();
  std::size_t count = 0;
  fit.escaped = 0;
  while (node != nullptr) {
    const char* behind = nullptr;  // the hole
    if (static_cast<std::size_t>(end - p) >= node->size &&
        same_bytes(p, text_.data() + node->text, node->size)) {
      const char* const hole = p + node->size;
      if (node->hole == Hole::string) {
        bool escaped = false;
        behind = closing_quote(hole, end, escaped);
        fit.escaped |= (escaped ? std::uint64_t{1} : 0U) << count;
      } else if (node->hole == Hole::number) {
        behind = behind_number(hole, end);
      } else if (hole == end || *hole == '\n') {
        fit.pieces[count] = p;
        fit.shape = node->next;
        fit.length = static_cast<std::size_t>(hole - text.data());
        return true;
      }
    }
    if (behind != nullptr) {
      fit.pieces[count++] = p;
      p = behind;
      node = &nodes_[node->next];
    } else {
      node = node->other == 0 ? nullptr : &nodes_[node->other];
    }
  }
  if (++missed_ % kLinesForACredit == 0 && credit_ < kMostCredit) ++credit_;
  return false;
}

// Cuts the line at its holes.
bool LineShapes::cut(std::string_view line) {
  pieces_.clear();
  const char* p = line.data();
  const char* const end = p + line.size();
  const char* begin = p;
  std::string_view key;
  const auto hole = [&](const char* from, const char* behind, Hole kind) {
    pieces_.push_back({begin, from, kind});
    begin = p = behind;
    return pieces_.size() <= kMostHoles;
  };
  while (p != end) {
    if (*p == '"') {
      bool escaped = false;
      const char* const close = closing_quote(p + 1, end, escaped);
      if (close == nullptr) return false;
      const std::string_view string(p + 1, static_cast<std::size_t>(close - p - 1));
      if (is_key(close + 1, end)) {
        key = string;
        p = close + 1;
      } else if (names_the_kind(key) && !escaped && string.size() <= 32) {
        key = {};
        p = close + 1;
      } else {
        key = {};
        if (!hole(p + 1, close, Hole::string)) return false;
        ++p;  // the quote
      }
    } else if (ascii::is_digit(*p) || *p == '-') {
      const char* const behind = behind_number(p, end);
      if (behind == nullptr || (behind != end && is_scalar(*behind))) return false;
      if (!hole(p, behind, Hole::number)) return false;
    } else if (is_scalar(*p)) {
      while (p != end && is_scalar(*p)) ++p;
    } else {
      ++p;
    }
  }
  pieces_.push_back({begin, end, Hole::end});
  return true;
}

std::optional<std::size_t> LineShapes::learn(std::string_view line) {
  if (credit_ == 0) return std::nullopt;
  --credit_;
  if (!cut(line)) return std::nullopt;
  std::size_t size = 0;
  for (const Piece& piece : pieces_) size += static_cast<std::size_t>(piece.end - piece.begin);
  if (size > kLongestShape) return std::nullopt;
  if (nodes_.size() + pieces_.size() > kMostNodes || text_.size() + size > kMostText) {
    nodes_.clear();
    text_.clear();
    shapes_ = 0;
  }
  return remember();
}

// Goes along what is known already and adds the rest.
std::optional<std::size_t> LineShapes::remember() {
  std::uint16_t at = nodes_.empty() ? add(pieces_[0]) : std::uint16_t{0};
  for (std::size_t i = 0;; ++i) {
    for (std::size_t tried = 1; !same(nodes_[at], pieces_[i]); ++tried) {
      if (tried == kMostAlternatives) return std::nullopt;  // nothing was added yet
      if (nodes_[at].other == 0) {
        const std::uint16_t added = add(pieces_[i]);
        nodes_[at].other = added;
      }
      at = nodes_[at].other;
    }
    if (nodes_[at].hole == Hole::end) break;
    if (nodes_[at].next == 0) {
      const std::uint16_t added = add(pieces_[i + 1]);
      nodes_[at].next = added;
    }
    at = nodes_[at].next;
  }
  if (nodes_[at].next != shapes_) return std::nullopt;  // it was there
  return shapes_++;
}

std::uint16_t LineShapes::add(const Piece& piece) {
  Node node;
  node.text = static_cast<std::uint32_t>(text_.size());
  node.size = static_cast<std::uint16_t>(piece.end - piece.begin);
  node.hole = piece.hole;
  if (piece.hole == Hole::end) node.next = static_cast<std::uint16_t>(shapes_);
  text_.append(piece.begin, piece.end);
  nodes_.push_back(node);
  return static_cast<std::uint16_t>(nodes_.size() - 1);
}

bool LineShapes::same(const Node& node, const Piece& piece) const {
  const std::string_view text(piece.begin, static_cast<std::size_t>(piece.end - piece.begin));
  return node.hole == piece.hole && std::string_view(text_).substr(node.text, node.size) == text;
}

LineShapes::Mark LineShapes::mark_of(const char* place) const {
  std::size_t i = pieces_.size() - 1;
  while (i > 0 && pieces_[i].begin > place) --i;
  return {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(place - pieces_[i].begin)};
}

std::optional<std::size_t> LineShapes::hole_at(const char* place) const {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].hole == Hole::string && place + 1 == pieces_[i].end) return i;
    if (pieces_[i].hole == Hole::number && place == pieces_[i].end) return i;
  }
  return std::nullopt;
}

}  // namespace dragoman
