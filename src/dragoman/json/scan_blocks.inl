// SPDX-License-Identifier: Apache-2.0
// The string scan by blocks of 64 bytes, for any width of registers. Included inside an anonymous
// namespace and a region compiled for them, behind
//   Block, with equal() and non_ascii(), one bit a byte;
//   stops_in(block), the quotes and control characters; common_escapes_in(block), the bytes that
//   may stand behind a backslash, but for u and b; is_foreign(block), whether some byte is no
//   ASCII; Utf8Check.

// Checks the UTF-8 of the blocks that are not plain ASCII some time after they were passed: asking
// each block on the way would cost a wrong guess of the processor for each stretch of such text.
// For the same reason a block is always written down, and only sometimes kept.
class ForeignBlocks {
 public:
  struct Noted {
    const char* p;
    std::uint64_t inside;  // the bytes that belong to the string
  };

  // Blocks are written from here on, and then it is told where the last one that counts ends.
  // settle() makes room.
  Noted* free_begin() { return blocks_ + count_; }
  const Noted* free_end() const { return blocks_ + kMost; }
  void written(const Noted* to) { count_ = static_cast<std::size_t>(to - blocks_); }

  bool seen() const { return settled_ || count_ != 0; }
  void give_up() { check_.give_up(); }

  // About all blocks noted so far; the string goes on behind them without a continuation byte.
  StringEnd::Utf8 result() {
    settle();
    if (check_.gave_up()) return StringEnd::Utf8::unchecked;
    return bad_ || check_.bad() || check_.expects_more() ? StringEnd::Utf8::bad
                                                         : StringEnd::Utf8::good;
  }

  void settle() {
    settled_ |= count_ != 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Noted& noted = blocks_[i];
      bad_ |= check_.expects_more() && noted.p != next_;
      check_.block(Block(noted.p), noted.inside);
      next_ = noted.p + Block::kSize;
    }
    count_ = 0;
  }

 private:
  static constexpr std::size_t kMost = 32;

  Noted blocks_[kMost];
  std::size_t count_ = 0;
  const char* next_ = nullptr;  // behind the last block that was checked
  Utf8Check check_;
  bool bad_ = false;
  bool settled_ = false;  // some block
};

// The quote or control character at `at` ends the scan.
StringEnd ended(StringEnd result, const char* at, ForeignBlocks& foreign) {
  result.at = at;
  if (*at != '"') result.stop = StringEnd::Stop::control;
  result.non_ascii = foreign.seen();
  result.utf8 = foreign.result();
  return result;
}

// The last bytes, fewer than a block.
StringEnd ended_in_tail(StringEnd result, const char* p, const char* end, ForeignBlocks& foreign) {
  result.non_ascii = false;
  result = scan_string_bytes(p, end, result);
  if (result.non_ascii) foreign.give_up();
  result.non_ascii |= foreign.seen();
  result.utf8 = foreign.result();
  return result;
}

// The first block that has something to stop at, one bit a byte.
struct Found {
  std::uint64_t backslashes = 0;
  std::uint64_t stops = 0;      // quotes and control characters that are not escaped
  std::uint64_t odd = 0;        // escaped bytes that have to be looked at: \uXXXX, \b, or wrong
  bool escaped_before = false;  // some block before it has a backslash
};

// Passes blocks until one has something to stop at, fewer than a block are left or the notes are
// full. Calls nothing, so that what it needs stays in registers.
Found pass_blocks(const char*& at, const char* const end, std::uint64_t& carry,
                  ForeignBlocks& foreign) {
  constexpr std::ptrdiff_t kAhead = 4096;  // what the processor itself fetches ahead is too near
  const char* p = at;
  std::uint64_t next_escaped = carry;
  std::uint64_t passed = 0;  // backslashes, all blocks laid over each other
  ForeignBlocks::Noted* note = foreign.free_begin();
  const ForeignBlocks::Noted* const full = foreign.free_end();
  Found found;
  while (end - p >= Block::kSize && note != full) {
    _mm_prefetch(p + kAhead, _MM_HINT_T0);
    const Block block(p);
    const std::uint64_t backslashes = block.equal('\\');
    const std::uint64_t escaped = escaped_bytes(backslashes, next_escaped);
    const std::uint64_t stops = stops_in(block) & ~escaped;
    const std::uint64_t odd = escaped & ~common_escapes_in(block);
    if ((stops | odd) != 0) {
      found = {backslashes, stops, odd, false};
      break;
    }
    *note = {p, ~std::uint64_t{0}};
    note += is_foreign(block) ? 1 : 0;
    passed |= backslashes;
    p += Block::kSize;
  }
  at = p;
  carry = next_escaped;
  foreign.written(note);
  found.escaped_before = passed != 0;
  return found;
}

StringEnd scan_string_blocks(const char* p, const char* const end) {
  StringEnd result;
  ForeignBlocks foreign;
  std::uint64_t carry = 0;  // the byte before p is a backslash that escapes the one at p
  for (;;) {
    const Found found = pass_blocks(p, end, carry, foreign);
    result.escaped |= found.escaped_before;
    if (foreign.free_begin() == foreign.free_end()) foreign.settle();
    if ((found.stops | found.odd) == 0) {
      if (end - p < Block::kSize) return ended_in_tail(result, p - carry, end, foreign);
      continue;
    }
    const std::uint64_t first = (found.stops | found.odd) & (~(found.stops | found.odd) + 1U);
    const std::uint64_t inside = first - 1U;
    result.escaped |= (found.backslashes & inside) != 0;
    ForeignBlocks::Noted* const note = foreign.free_begin();
    *note = {p, inside};
    foreign.written(note + ((Block(p).non_ascii() & inside) != 0 ? 1 : 0));
    const char* const at = p + __builtin_ctzll(first);
    if ((found.stops & first) != 0) return ended(result, at, foreign);
    p = step_over_escape(at - 1, end, result);
    if (p == nullptr) {
      result.non_ascii = foreign.seen();
      return result;
    }
    carry = 0;
  }
}
