// SPDX-License-Identifier: Apache-2.0
// The straight way for the markers that streams are mostly made of. Whatever is not plain about a
// marker or its place is left to the other ways, which give the same answer for plain ones.
#include <algorithm>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/text_engine.hpp"

namespace dragoman {
namespace {

// A longer marker is rare, and looking through it twice would cost.
constexpr std::size_t kLongestPlain = std::size_t{16} << 10U;

// Where there is little but markers, nothing maps what comes next, and so nothing fetches it.
void fetch_ahead(const char* marker) {
  constexpr std::ptrdiff_t kAhead = 1536;
  for (const std::ptrdiff_t line : {0, 64, 128}) __builtin_prefetch(marker + kAhead + line);
}

}  // namespace

// Where nothing can be quoted, carried by another dialect, or an echo of the prompt.
bool TextEngine::plainly_at_line_start(std::size_t place) const {
  const bool line_start = place == 0 ? begin_context_.at_line_start() : window_[place - 1] == '\n';
  return line_start && !code_.in_outer_fence() && !report_only_ && !emitter_.carried() &&
         options_.prompt.empty();
}

std::size_t TextEngine::take_plain_comments(std::size_t place) {
  if (!plainly_at_line_start(place)) return place;
  const std::size_t longest = std::min(options_.line_cap, kLongestPlain);
  for (bool first = true;; first = false) {
    const char* const at = window_.data() + place;
    const char* const end = at + std::min(longest, window_.size() - place);
    fetch_ahead(at);
    arena_.reset();
    const PlainWxcode::Taken taken =
        plain_.read(at, end, {emitter_.events(), position(place), tools_, arena_});
    if (taken.event == nullptr) return place;
    const auto length = static_cast<std::size_t>(taken.end - at);
    if (first) {
      raise_label(Dialect::wxcode);
      emitter_.text_to(position(place));
    } else {
      emitter_.give_line_end();
    }
    emitter_.send_line_part(*taken.event, Dialect::wxcode, length);
    place += length;
    // Little but markers: the next one is there before anyone has to look for it.
    if (place + 1 >= window_.size() || window_[place] != '\n' || window_[place + 1] != '<' ||
        place >= enough_) {
      return place;
    }
    ++place;
  }
}

bool TextEngine::is_utf8(std::string_view seen) const {
  const bool mapped = index_.covers(seen.data(), seen.data() + seen.size());
  return (mapped && index_.clean()) || utf8::valid(seen);
}

// Elsewhere the lines of a block mean something else, or deserve a remark.
bool TextEngine::knows_plain_blocks() const {
  return options_.mode == Mode::standard && !options_.every_remark && options_.marker_names.empty();
}

std::size_t TextEngine::take_plain_lines(std::size_t place) {
  if (!plainly_at_line_start(place)) return place;
  const bool blocks = knows_plain_blocks();
  const bool names = !options_.marker_names.empty();  // the map does not know them
  const std::size_t longest = std::min(options_.line_cap, kLongestPlain);
  std::size_t gap = 0;  // an empty line before the marker
  for (bool first = true;; first = false) {
    const std::string_view text = window_.substr(place + gap, longest);
    const bool line =
        plain_line_.read(text, names ? nullptr : index_.plain_line_end(text.data() + 1));
    if (!line && !(blocks && plain_block_.read(text, index_))) return place;
    const std::size_t length = line ? plain_line_.length() : plain_block_.length();
    const bool ascii = line && plain_line_.ascii();
    if (!ascii && !is_utf8(text.substr(0, length))) return place;
    if (first) {
      raise_label(Dialect::markers);
      emitter_.text_to(position(place));
    }
    if (gap > 0) emitter_.give_line_end();
    const TextEmitter::Place where = emitter_.frontier();
    const Kind kind = line ? plain_line_.kind() : plain_block_.kind();
    Payload& payload = emitter_.begin_event(kind, Dialect::markers, where, length);
    if (line) {
      plain_line_.fill(payload);
    } else {
      arena_.reset();
      plain_block_.fill(payload, arena_, ids_);
    }
    emitter_.record(where, where.offset + length);
    emitter_.take_lines_to(where.offset + length, line ? 1 : plain_block_.lines());
    emitter_.send_event();
    place += gap + length;
    gap = place + 1 < window_.size() && window_[place] == '\n' ? 1 : 0;
    if (place + gap >= window_.size() || window_[place + gap] != '[' || place >= enough_)
      return place;
  }
}

}  // namespace dragoman
