// SPDX-License-Identifier: Apache-2.0
// The six known WXCODE markers in their plain form, straight from the bytes to the event.
#pragma once

#include <span>

#include "dragoman/dialect/plain_payload.hpp"
#include "dragoman/dialect/wxcode_fields.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

class PlainWxcode {
 public:
  // Where the event goes, and what it needs to know.
  struct To {
    std::span<Event, kKinds> events;  // by kind; each is filled again and again
    std::uint64_t offset = 0;         // of the marker
    OpenTools& tools;
    Arena& arena;
  };

  // Reads the marker at `at` ("<!-- WXCODE:…") and fills the payload of its event with what
  // read_wxcode would make of it. Null: it is not one of the six, not plain, or has anything about
  // it that deserves a finding; read_wxcode has to judge it. Nothing that counts has changed then.
  [[nodiscard]] Event* read(const char* at, const char* end, const To& to);

  [[nodiscard]] const char* end() const { return payload_.end() + 4; }  // behind "-->"

 private:
  template <typename T, std::size_t N>
  Event* read_as(bool (PlainWxcode::*reads)(T&, const To&), const char* at, const char (&type)[N],
                 const char* end, const To& to);
  [[nodiscard]] bool ends();
  bool read_header(CommandStarted& header, const To& to);
  bool read_tool(ToolStarted& tool, const To& to);
  bool read_result(ToolFinished& result, const To& to);
  bool read_status(Status& status, const To& to);
  bool read_next(NextAction& next, const To& to);
  bool read_error(Failure& failure, const To& to);

  PlainPayload payload_;
};

}  // namespace dragoman
