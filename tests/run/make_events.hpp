// SPDX-License-Identifier: Apache-2.0
// Events as readers would make them, for the folds.
#pragma once

#include <initializer_list>
#include <vector>

#include "dragoman/event/event.hpp"
#include "dragoman/run/fold.hpp"

namespace dragoman::test {

inline Event from(Dialect dialect, Payload payload) {
  Event event;
  event.payload = payload;
  event.origin.dialect = dialect;
  return event;
}
inline Event claude(Payload payload) { return from(Dialect::claude, payload); }
inline Event codex(Payload payload) { return from(Dialect::codex, payload); }
inline Event markers(Payload payload) { return from(Dialect::markers, payload); }
inline Event wxcode(Payload payload) { return from(Dialect::wxcode, payload); }
// A marker in Claude's own words.
inline Event carried(Payload payload) {
  Event event = from(Dialect::wxcode, payload);
  event.origin.via = Dialect::claude;
  return event;
}

inline SessionStarted session(std::string_view id) { return {.session_id = id}; }
inline TurnFinished turn(bool ok, std::string_view subtype) {
  return {.ok = ok, .subtype = subtype};
}
inline Status status(std::string_view word) { return {.status = word}; }
inline CompletionClaimed claim(std::string_view by) { return {.by = by}; }

inline RunSummary fold(const std::vector<Event>& events) {
  RunFold fold;
  for (const Event& event : events) fold.on_event(event);
  return fold.summary();
}

}  // namespace dragoman::test
