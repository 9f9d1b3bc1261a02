// SPDX-License-Identifier: Apache-2.0
// Events in a few words, so that a test can list what it expects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman::test {

// What a reader made of some input.
struct Reading {
  std::vector<std::string> events;  // brief(), text left out
  std::string shown;                // all display text, joined
  std::vector<std::string> json;    // canonical lines, neighbouring text joined
};

// "status in_progress 'message' 25%", "malformed bad_json", "quoted fence", "glued_marker info", …
[[nodiscard]] std::string brief(const Event& event);

[[nodiscard]] Reading read_text(std::string_view input, Mode mode = Mode::standard);
// The same with the input cut before each of `cuts` (ascending).
[[nodiscard]] Reading read_text_cut(std::string_view input, const std::vector<std::size_t>& cuts,
                                    Mode mode = Mode::standard);
[[nodiscard]] Reading read_with(Reader& reader, std::string_view input,
                                const std::vector<std::size_t>& cuts);

}  // namespace dragoman::test
