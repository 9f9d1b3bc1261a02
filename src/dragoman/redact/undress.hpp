// SPDX-License-Identifier: Apache-2.0
// Takes the dress off a stream: what terminals do not show between the letters of a secret
// (colours, sets of characters, links, blanks without a width), letters that an encoder of JSON has
// spelled as \u0067.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::redact {

// A place of the plain text whose original is spelled otherwise.
struct Dress {
  std::size_t at = 0;      // in the plain text
  std::size_t length = 0;  // so many bytes of it; 0: a colour, which is nothing in plain text
  std::string original;    // of a link: with its address, which is no plain text
};

// How a link begins, behind an escape.
inline constexpr std::string_view kLinkBegin = "]8;";
inline constexpr std::size_t kLongestLink = 400;

// Laws: the plain text with each dress put back is the stream; how the stream is cut does not
// matter. Between two bytes of plain text there are at most kMostColour bytes of colours, and not
// many more on the average: what is beyond that is no dress and stays where it is.
class Undress {
 public:
  static constexpr std::size_t kMostColour = 512;
  static constexpr std::size_t kColourForEach = 16;  // byte of plain text
  // The plain text of everything so far that is not held back; `dresses` are its. Valid until the
  // next call, and as long as `bytes`.
  [[nodiscard]] std::string_view push(std::string_view bytes, std::vector<Dress>& dresses);
  [[nodiscard]] std::string_view finish(std::vector<Dress>& dresses);

  [[nodiscard]] std::size_t held() const { return held_.size(); }

 private:
  std::string_view undress(std::string_view text, bool final, std::vector<Dress>& dresses);
  void earn(std::size_t plain_bytes);

  std::string held_;
  std::string work_;
  std::string plain_;
  std::size_t colour_left_ = kMostColour;
};

// The first byte that a dress may be found by, or the end: ESC, SI, the backslash of "\u", the
// first byte of a blank without a width. What may be one of them when more comes counts.
[[nodiscard]] const char* find_dress(const char* from, const char* end);

namespace kernels {
[[nodiscard]] bool begins_dress(const char* p, const char* end);
[[nodiscard]] const char* find_dress_scalar(const char* from, const char* end);
#if defined(__x86_64__)
[[nodiscard]] const char* find_dress_avx2(const char* from, const char* end);
#endif
}  // namespace kernels

}  // namespace dragoman::redact
