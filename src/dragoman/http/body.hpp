// SPDX-License-Identifier: Apache-2.0
// The body of a request, from the bytes as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/http/head.hpp"

namespace dragoman::http {

// Law: holds at most `limit` bytes of body and a line of 256 bytes, whatever comes and however it
// is cut.
class BodyReader {
 public:
  enum class State : std::uint8_t { more, done, bad, too_large };

  BodyReader(const Head& head, std::size_t limit);

  // Takes what belongs to the body from the front of `bytes`; `taken` says how much that was.
  State push(std::string_view bytes, std::size_t& taken);
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::string& body() { return body_; }

 private:
  enum class Part : std::uint8_t { size, data, data_end, trailer };

  std::size_t take_data(std::string_view bytes);
  std::size_t take_line(std::string_view bytes);
  void line_complete();
  void size_line();

  std::size_t limit_;
  bool chunked_;
  std::uint64_t left_;
  Part part_ = Part::size;
  State state_ = State::more;
  std::size_t lines_ = 0;  // of the trailer
  std::string line_;
  std::string body_;
};

}  // namespace dragoman::http
