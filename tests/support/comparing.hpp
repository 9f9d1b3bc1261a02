// SPDX-License-Identifier: Apache-2.0
// Events compared by what they say.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/keep.hpp"

namespace dragoman::test {

// "status {…}"
inline std::string data_of(const Event& event) {
  std::string out(name(event.kind()));
  out.push_back(' ');
  append_data(out, event);
  return out;
}

// What a reader cannot know is left out: ids of markers come from where they stand, the context of
// a comment from the text around it, the header of a bracket question from its text.
inline Event comparable(Event event) {
  const bool marker = event.origin.dialect != Dialect::claude;
  if (auto* p = std::get_if<ToolStarted>(&event.payload); p != nullptr && marker) p->id = {};
  if (auto* p = std::get_if<ToolFinished>(&event.payload); p != nullptr && marker) p->id = {};
  if (auto* p = std::get_if<Question>(&event.payload)) {
    if (marker) p->id = {};
    if (p->source == QuestionSource::comment) p->context = {};
    if (p->source == QuestionSource::marker) p->header = {};
  }
  event.extra = {};
  event.partial = false;
  return event;
}

// Stops at the first difference: whole documents are hard to read.
inline void expect_same_events(const std::vector<std::string>& got,
                               const std::vector<std::string>& wanted) {
  for (std::size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) {
    ASSERT_EQ(got[i], wanted[i]) << "event " << i;
  }
  ASSERT_EQ(got.size(), wanted.size());
}

}  // namespace dragoman::test
