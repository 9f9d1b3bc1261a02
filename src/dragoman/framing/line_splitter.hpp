// SPDX-License-Identifier: Apache-2.0
// Lines out of bytes that arrive in any pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

inline constexpr std::size_t kOversizeEnds = 4096;  // how much is kept of each end of a long line

struct Line {
  // Without the newline and one carriage return before it, and without a byte order mark at the
  // start of the stream. Empty when the line is oversize.
  std::string_view content;
  std::uint64_t offset = 0;  // of its first byte in the stream
  std::uint64_t length = 0;  // everything that belongs to it, newline included
  std::uint64_t number = 1;
  bool terminated = true;  // false: the stream ended without a newline
  bool bom = false;        // the stream began with a byte order mark

  // A line longer than the cap is not kept: these are its two ends, cut at code points, and the
  // number of bytes it had before its newline.
  bool oversize = false;
  std::uint64_t bytes = 0;
  std::string_view head;
  std::string_view tail;
};

// Cuts a stream at its newlines. The same bytes give the same lines however they are cut into
// chunks, and no more than one line of at most `cap` bytes is held.
//
//   splitter.feed(chunk);
//   while (const Line* line = splitter.next()) …
//   …
//   if (const Line* line = splitter.finish()) …
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t cap) : cap_(cap) {}

  // The chunk's bytes must stay until next() has returned null.
  void feed(std::string_view chunk) {
    rest_ = chunk;
    looked_ = false;
  }

  // The next complete line, or null when the chunk is used up. The line and its views are valid
  // until the next call.
  [[nodiscard]] const Line* next();

  // For whoever can tell by itself where a line ends: what of the chunk stands at the beginning of
  // a line, up to the last newline (empty when an unfinished one is carried), and the line of
  // `size` bytes before the newline that was found there. `size` may not be over the cap.
  [[nodiscard]] std::string_view rest() {
    release();
    if (bytes_ != 0) return {};
    if (!looked_) look_for_the_last();
    return rest_.substr(0, complete_);
  }
  [[nodiscard]] const Line* take(std::size_t size) { return give(cut(size), true); }

  // What was left without a newline, or null when there was nothing.
  [[nodiscard]] const Line* finish();

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }  // where the next line starts
  // Bytes of the unfinished line that are held back.
  [[nodiscard]] std::size_t held() const { return carry_.capacity(); }

 private:
  std::string_view cut(std::size_t size);  // takes that many bytes and a newline off the chunk
  void look_for_the_last();
  const Line* next_carried();
  [[nodiscard]] bool fits(std::string_view piece, std::uint64_t bytes) const;
  const Line* give_carried(bool terminated);
  void carry(std::string_view piece);
  void release();
  const Line* give(std::string_view raw, bool terminated);
  const Line* give_oversize(bool terminated);

  std::size_t cap_;
  std::string_view rest_;     // of the chunk
  std::size_t complete_ = 0;  // bytes of it up to the last newline, once somebody has looked
  std::string carry_;         // the unfinished line; once it is too long, only its head
  std::string tail_;          // the last bytes of a line that is too long
  std::uint64_t bytes_ = 0;   // of the unfinished line
  std::uint64_t offset_ = 0;
  std::uint64_t lines_ = 0;
  bool looked_ = false;
  bool given_ = false;  // carry_ was handed out and is to be dropped
  Line line_;
};

}  // namespace dragoman
