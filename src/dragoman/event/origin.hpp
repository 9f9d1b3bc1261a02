// SPDX-License-Identifier: Apache-2.0
// Where an event comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dragoman {

enum class Dialect : std::uint8_t { text, wxcode, question, markers, claude, codex, delegator };

enum class Stream : std::uint8_t { stdout_, stderr_ };

// What kind of speech an event was found in. Markers count only where the agent itself speaks.
enum class Channel : std::uint8_t {
  assistant_text,  // the agent's own words in a JSON-line stream
  stdout_,         // all of stdout in plain-text dialects
  stderr_,
  subagent_text,   // words of an agent that the agent started
  synthetic_text,  // words the command line made up, such as an API error
  thinking,
  tool_input,
  tool_result,
  user,
  result,   // the summary line of a turn
  partial,  // fragments of a message that is still being written
  system,
  control,
  noise,  // a line that is no JSON in a JSON-line stream
};

[[nodiscard]] std::string_view name(Dialect dialect);
[[nodiscard]] std::string_view name(Stream stream);
[[nodiscard]] std::string_view name(Channel channel);
[[nodiscard]] std::optional<Dialect> dialect_named(std::string_view name);
[[nodiscard]] std::optional<Stream> stream_named(std::string_view name);
[[nodiscard]] std::optional<Channel> channel_named(std::string_view name);

struct Origin {
  Dialect dialect = Dialect::text;
  std::optional<Dialect> via;  // the carrying dialect when it differs
  Stream stream = Stream::stdout_;
  std::uint64_t offset = 0;  // bytes from the start of the stream
  std::uint64_t length =
      0;  // of the record: the marker itself, the whole line in JSON-line dialects
  std::optional<std::uint64_t>
      at;                  // JSON-line dialects: offset inside the decoded text of the block
  std::uint64_t line = 1;  // 1-based line of the stream
  Channel channel = Channel::stdout_;
  std::string_view
      parent;  // the tool call whose subagent this belongs to; absent on the main thread

  friend bool operator==(const Origin&, const Origin&) = default;
};

}  // namespace dragoman
