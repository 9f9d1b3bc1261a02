// SPDX-License-Identifier: Apache-2.0
// One JSON-RPC message, taken apart as far as every method needs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/json/cursor.hpp"
#include "dragoman/mcp/protocol.hpp"

namespace dragoman::mcp {

// What `params._meta` says to the engine. The views point into the message.
struct Meta {
  bool present = false;
  json::Value progress_token;  // a string or an integer; absent otherwise
  json::Value version;         // the modern claim, whatever its type
  json::Value capabilities;
  json::Value client;
  json::Value log_level;
};

struct Message {
  enum class Kind : std::uint8_t { request, notification, response };

  Kind kind = Kind::request;
  std::string_view id;  // verbatim: "7" and 7 are different
  std::string method;   // decoded
  json::Value params;   // an object, or absent
  // Of the params, what calls have; whatever their types.
  json::Value name;
  json::Value arguments;
  json::Value task;
  Meta meta;
  json::Value result;  // of a response
  json::Value error;
};

// What came instead of a message: the id to answer with is "null" where none could be read.
struct Refused {
  std::string id = "null";
  ProtocolError error;
};

// `text` must outlive the message. A text that is JSON but no message keeps its id when it has one.
struct Parsed {
  std::optional<Message> message;
  Refused refused;
};
[[nodiscard]] Parsed parse_message(std::string_view text);

// Whether the text is an array (a batch, or something that would like to be one).
[[nodiscard]] bool is_batch(std::string_view text);

// A string or an integer as ids and tokens are.
[[nodiscard]] bool is_id(const json::Value& value);

// The member of an object, absent when it is not there. The last of several counts.
[[nodiscard]] json::Value member(const json::Value& object, std::string_view name);
[[nodiscard]] std::optional<std::string> string_member(const json::Value& object,
                                                       std::string_view name);

}  // namespace dragoman::mcp
