// SPDX-License-Identifier: Apache-2.0
// The body of scan_string over blocks of bytes, compiled once for each instruction set. A block
// tells which of its bytes are special (quote, backslash, control) as one bit mask, so that
// several escapes in a block cost one load.
//
// Included inside an anonymous namespace, after Block has been defined.

StringEnd scan_string_blocks(const char* p, const char* const end) {
  StringEnd result;
  while (end - p >= Block::kSize) {
    const Block block(p);
    result.non_ascii |= block.high != 0;
    std::uint64_t special = block.special;
    const char* next = p + Block::kSize;
    while (special != 0) {
      const int i = __builtin_ctzll(special);
      const char c = p[i];
      if (c == '"') {
        result.at = p + i;
        return result;
      }
      if (c != '\\') {
        result.at = p + i;
        result.stop = StringEnd::Stop::control;
        return result;
      }
      result.escaped = true;
      if (i + 1 < Block::kSize && is_simple_escape(p[i + 1])) {
        special &= ~std::uint64_t{0} << (i + 2);  // kSize <= 32: the shift stays below 64
        continue;
      }
      next = step_over_escape(p + i, end, result);
      if (next == nullptr) return result;
      break;
    }
    p = next;
  }
  return scan_string_bytes(p, end, result);
}
