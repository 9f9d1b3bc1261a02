// SPDX-License-Identifier: Apache-2.0
// Reading a comment marker with a JSON payload, as it streams in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/dialect/comment_opener.hpp"
#include "dragoman/json/object_scanner.hpp"

namespace dragoman {

// Finds out where the marker ends and whether it is good. A broken one ends where a reader may
// safely go on: at its "-->", at the next marker, or at the end of its line.
class CommentReader {
 public:
  enum class State : std::uint8_t { needs_more, good, malformed };

  // `opener` is a wxcode or question opener.
  void start(const CommentOpener& opener, std::size_t longest);

  // `text` is everything from the '<' on; earlier bytes must be those given before. `final`:
  // nothing will follow.
  State read(std::string_view text, bool final);

  [[nodiscard]] CommentOpener::Kind kind() const { return kind_; }
  [[nodiscard]] std::size_t length() const { return length_; }  // of the whole marker
  [[nodiscard]] std::size_t opener_length() const { return payload_; }
  // Malformed because its payload does not end within the longest that is allowed.
  [[nodiscard]] bool too_long() const { return too_long_; }
  [[nodiscard]] std::string_view type(std::string_view text) const;
  [[nodiscard]] std::string_view payload(std::string_view text) const;  // good markers only
  [[nodiscard]] const json::ObjectScanner& scanner() const { return scanner_; }

  [[nodiscard]] std::string_view reason() const { return reason_; }
  [[nodiscard]] std::size_t failed_at() const { return failed_at_; }
  [[nodiscard]] std::string_view detail() const { return json::name(scanner_.fault()); }

 private:
  enum class Phase : std::uint8_t { payload, terminator, looking_for_end, looking_past_newline };

  bool step(std::string_view text, bool final);  // false: needs more, or done
  bool read_payload(std::string_view text, bool final);
  bool read_terminator(std::string_view text, bool final);
  bool look_past_newline(std::string_view text, bool final);
  bool look_for_end(std::string_view text, bool final);
  bool fail(std::string_view reason, std::size_t at);
  bool end_malformed(std::size_t length);
  [[nodiscard]] std::string_view next_opener() const;

  CommentOpener::Kind kind_ = CommentOpener::Kind::none;
  std::size_t type_length_ = 0;
  std::size_t payload_ = 0;  // where it begins
  std::size_t longest_ = 0;
  Phase phase_ = Phase::payload;
  State state_ = State::needs_more;
  json::ObjectScanner scanner_;
  json::ObjectScanner past_newline_;
  bool too_long_ = false;
  std::string_view reason_;
  std::size_t failed_at_ = 0;
  std::size_t looked_ = 0;  // how far the search for the end of a broken marker has come
  std::size_t length_ = 0;
};

}  // namespace dragoman
