// SPDX-License-Identifier: Apache-2.0
// Comments on GitHub: written so that an agent's words are inert, read so that hidden ones are
// ignored. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/surface/surface.hpp"

namespace dragoman::surface {

inline constexpr std::size_t kGithubLongest = 60'000;  // characters; GitHub refuses 65536

[[nodiscard]] std::string github_comment(const Message& message);  // Markdown
[[nodiscard]] std::string github_body(const Message& message);     // {"body":…}

// The option that a reaction stands for, from 1; 0: none.
[[nodiscard]] std::size_t github_option(std::string_view reaction);

// What a reader of the page sees: without HTML comments and characters that cannot be seen.
[[nodiscard]] std::string visible_text(std::string_view markdown);

struct Reply {
  std::string ref;  // empty: it does not say which question
  std::string value;
  friend bool operator==(const Reply&, const Reply&) = default;
};
// A number ("1", "1, 3"), a label of one of the questions, or "/answer REF words". Absent: people
// talk to each other.
[[nodiscard]] std::optional<Reply> read_reply(std::string_view comment,
                                              const std::vector<Shown>& open);

}  // namespace dragoman::surface
