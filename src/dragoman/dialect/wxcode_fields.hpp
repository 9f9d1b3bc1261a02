// SPDX-License-Identifier: Apache-2.0
// The payload of a WXCODE comment as an event.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/finding.hpp"
#include "dragoman/dialect/quick_digest.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/json/object_scanner.hpp"

namespace dragoman {

// Where a marker stands, from which a TOOL's id is made: in the stream, or in the text of the line
// that carries it.
struct MarkerPlace {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> carrier;
};
[[nodiscard]] std::string_view tool_id(const MarkerPlace& place, Arena& arena);

// TOOL markers without their TOOL_RESULT yet, oldest first, so that a result finds its tool.
class OpenTools {
 public:
  void clear() { open_.clear(); }
  void add(std::string_view tool, const MarkerPlace& place);
  // The id of the oldest open tool of that name, which is then closed; absent when there is none.
  [[nodiscard]] std::string_view close(std::string_view tool, Arena& arena);
  // Takes notice of a marker that counts, and gives a result the id of its tool.
  void pair(Payload& payload, const MarkerPlace& place, Arena& arena);

 private:
  // A short name itself, or the digest of a long one: compared and moved without a call.
  struct Name {
    explicit Name(std::string_view text);
    std::size_t size;
    QuickDigest bytes;
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct Open {
    Name tool;
    MarkerPlace place;
  };
  std::vector<Open> open_;
};

struct WxcodeMarker {
  std::string_view type;
  std::string_view payload;  // the JSON object
  std::span<const json::ObjectScanner::Member> members;
  MarkerPlace place;
  bool lone_surrogate = false;
  bool invalid_utf8 = false;
};

// A member of the payload being read, and whether a typed field has taken it.
struct WxcodeField {
  std::string_view key;
  json::Value value;
  bool claimed = false;
};

// Memory that is used again for each marker.
struct WxcodeScratch {
  std::vector<WxcodeField> fields;
  std::vector<std::string_view> missing;
  std::vector<Extra> extra;  // what read_wxcode found no typed home for
};

// Reads the six known types. What is wrong with the form goes to `findings`; fields without a typed
// home go to `scratch.extra`. An unknown TYPE is an `unknown` event with its data.
[[nodiscard]] Payload read_wxcode(const WxcodeMarker& marker, Arena& arena, Findings& findings,
                                  WxcodeScratch& scratch);

}  // namespace dragoman
