// SPDX-License-Identifier: Apache-2.0
// The six known WXCODE markers in their plain form, straight from the bytes to the event.
#pragma once

#include "dragoman/dialect/plain_payload.hpp"
#include "dragoman/dialect/wxcode_fields.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

class PlainWxcode {
 public:
  // Reads the marker at `at` ("<!-- WXCODE:…"). False: it is not one of the six, not plain, or has
  // anything about it that deserves a finding; read_wxcode has to judge it. Nothing has changed
  // then but the arena.
  [[nodiscard]] bool read(const char* at, const char* end, Arena& arena);

  [[nodiscard]] const char* end() const { return payload_.end() + 4; }  // behind "-->"

  [[nodiscard]] Kind kind() const;
  // Makes the event, which is what read_wxcode would make of it. `offset` is that of the marker.
  void fill(Payload& payload, std::uint64_t offset, OpenTools& tools, Arena& arena) const;

 private:
  enum class Type : std::uint8_t { header, tool, tool_result, status, next_action, error };

  bool take(Type type, const char* at, Arena& arena);
  [[nodiscard]] bool ends() const;
  bool read_header();
  bool read_tool();
  bool read_result();
  bool read_status();
  bool read_next();
  bool read_error();
  void fill_status(Status& status) const;
  void fill_header(CommandStarted& header) const;
  void fill_tool(ToolStarted& tool, std::uint64_t offset, OpenTools& tools, Arena& arena) const;
  void fill_tool_result(ToolFinished& result, OpenTools& tools, Arena& arena) const;
  void fill_next_action(NextAction& next) const;
  void fill_error(Failure& failure) const;
  [[nodiscard]] std::optional<Number> number(std::size_t slot) const;

  PlainPayload payload_;
  Type type_ = Type::status;
};

}  // namespace dragoman
