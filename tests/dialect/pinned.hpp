// SPDX-License-Identifier: Apache-2.0
// A row of the tables that say how a line is read, whatever else changes.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "brief.hpp"

namespace dragoman::test {

struct Pinned {
  std::string name;
  std::string input;
  std::vector<std::string> events;
  std::string shown;
};

// Also when the input is cut anywhere.
inline void expect_reads_as(const std::string& input, const std::vector<std::string>& events,
                            const std::string& shown) {
  const Reading reading = read_text(input);
  EXPECT_EQ(reading.events, events) << input;
  EXPECT_EQ(reading.shown, shown) << input;
  for (std::size_t cut = 1; cut < input.size(); ++cut) {
    ASSERT_EQ(read_text_cut(input, {cut}).json, reading.json)
        << "cut at " << cut << " of " << input;
  }
}

}  // namespace dragoman::test
