// SPDX-License-Identifier: Apache-2.0
// Events by hand, and what a writer makes of them.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/dialect/writer.hpp"

namespace dragoman::test {

template <typename T>
Event event_of(T payload, Dialect dialect = Dialect::text, Channel channel = Channel::stdout_) {
  Event event;
  event.payload = std::move(payload);
  event.origin.dialect = dialect;
  event.origin.channel = channel;
  return event;
}

inline Event text_event(std::string_view text) {
  DisplayText payload;
  payload.text = text;
  return event_of(payload);
}

// Everything the writer gives; a refused event fails the running test.
inline std::string written(Target target, const std::vector<Event>& events) {
  const auto writer = make_writer(target);
  std::string out;
  for (const Event& event : events) {
    const auto result = writer->write(event, out);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
  }
  writer->finish(out);
  return out;
}

// Why the writer refuses the event; "" when it does not. Nothing may have been written.
inline std::string refusal(Target target, const Event& event) {
  const auto writer = make_writer(target);
  std::string out = "before";
  const auto result = writer->write(event, out);
  if (result) return "";
  EXPECT_EQ(out, "before");
  return result.error().message;
}

}  // namespace dragoman::test
