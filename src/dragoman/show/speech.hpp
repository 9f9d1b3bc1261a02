// SPDX-License-Identifier: Apache-2.0
// An agent's words put together again: readers cut them anywhere, a page wants paragraphs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/event/event.hpp"
#include "dragoman/show/echo.hpp"

namespace dragoman::show {

enum class Manner : std::uint8_t {
  markdown,  // what the agent says
  verbatim,  // what a program printed: stderr, noise between the lines of a protocol
  thinking,
};

// A stretch of one manner. Never blank.
struct Spoken {
  std::string_view text;
  Manner manner = Manner::markdown;
  bool unfinished = false;  // the stream broke off here
};

// Holds no more than a Markdown block (kMaxMarkdownBlock); where the cuts fall depends on the text
// alone.
class Speech {
 public:
  using Put = std::function<void(const Spoken&)>;

  // Takes text and thinking; false for every other event, which ends what was being said.
  bool add(const Event& event, const Put& put);
  void flush(const Put& put);
  // The page has just shown this event: a line that says the same again is left out.
  void shown(const Event& event) { echo_.expect(event); }
  // The run is over: fragments that no whole message followed are given out too.
  void finish(const Put& put);

 private:
  void take(json::Text text, Manner manner, std::optional<std::int64_t> block, const Put& put);
  void give(std::size_t length, const Put& put);

  EchoFilter echo_;
  std::string words_;  // reused
  std::string text_;
  Manner manner_ = Manner::markdown;
  std::optional<std::int64_t> block_;
  std::string fragments_;
  Manner fragments_manner_ = Manner::markdown;
};

}  // namespace dragoman::show
