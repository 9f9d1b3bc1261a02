// SPDX-License-Identifier: Apache-2.0
// Events in, bytes of a dialect out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

// Whether a dialect has words for an event.
enum class Written : std::uint8_t {
  yes,
  no,  // it has none: nothing was written, and the caller can count what is left out
};

// Turns events into one dialect.
//
// What is written reads back as the event it was written from, as far as the dialect can express
// it; docs/dialects says what each leaves out. Nothing that an event carries can be taken for
// something else: text that looks like a marker is written so that no reader takes it for one.
//
// An event that the dialect forbids (an unknown status, a progress of 120, no title) is an Error
// and leaves `out` as it was. Some dialects need to know what follows before they can write an
// event, so bytes may come with a later call; finish() gives the rest.
class Writer {
 public:
  virtual ~Writer() = default;

  virtual Result<Written> write(const Event& event, std::string& out) = 0;

  // The events are over. Call it once; nothing may be written afterwards.
  virtual void finish(std::string& out) = 0;
};

// What can be written. The last three are for other programs; we do not read them back.
enum class Target : std::uint8_t { wxcode, question, markers, claude, delegator, ag_ui, acp, otlp };

[[nodiscard]] std::string_view name(Target target);  // ag_ui is "ag-ui"
[[nodiscard]] std::optional<Target> target_named(std::string_view name);
[[nodiscard]] std::span<const Target> all_targets();

struct WriterOptions {
  // When the writing happens, for envelopes that carry a time made from events that have none.
  std::optional<Timestamp> now;
};

[[nodiscard]] std::unique_ptr<Writer> make_writer(Target target, WriterOptions options = {});

}  // namespace dragoman
