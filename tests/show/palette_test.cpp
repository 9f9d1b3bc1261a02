// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/palette.hpp"

#include <gtest/gtest.h>

namespace dragoman::show {
namespace {

TEST(Palette, HasTheColoursOfTheSpecificationInEveryDepth) {
  const struct {
    Ink ink;
    std::string_view rgb;
    std::string_view many;
    std::string_view few;
  } kRows[] = {
      {Ink::header, "\x1b[1;38;2;255;255;255;48;2;124;58;237m", "\x1b[1;38;5;231;48;5;99m",
       "\x1b[1;97;45m"},
      {Ink::accent, "\x1b[38;2;124;58;237m", "\x1b[38;5;99m", "\x1b[35m"},
      {Ink::pending, "\x1b[38;2;107;114;128m", "\x1b[38;5;243m", "\x1b[90m"},
      {Ink::in_progress, "\x1b[38;2;59;130;246m", "\x1b[38;5;69m", "\x1b[34m"},
      {Ink::completed, "\x1b[38;2;16;185;129m", "\x1b[38;5;36m", "\x1b[32m"},
      {Ink::failed, "\x1b[38;2;239;68;68m", "\x1b[38;5;203m", "\x1b[31m"},
      {Ink::paused, "\x1b[38;2;245;158;11m", "\x1b[38;5;214m", "\x1b[33m"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Palette(ColorDepth::rgb24).on(row.ink), row.rgb);
    EXPECT_EQ(Palette(ColorDepth::ansi256).on(row.ink), row.many);
    EXPECT_EQ(Palette(ColorDepth::ansi16).on(row.ink), row.few);
    EXPECT_EQ(Palette(ColorDepth::none).on(row.ink), "");
  }
}

TEST(Palette, FindsTheDepthFromTheSurroundings) {
  const auto depth = [](ColorHints hints) { return detect_color(hints); };
  EXPECT_EQ(depth({.term = "xterm-256color", .terminal = true}), ColorDepth::ansi256);
  EXPECT_EQ(depth({.colorterm = "truecolor", .term = "xterm-256color", .terminal = true}),
            ColorDepth::rgb24);
  EXPECT_EQ(depth({.term = "xterm", .terminal = true}), ColorDepth::ansi16);
  EXPECT_EQ(depth({.term = "dumb", .terminal = true}), ColorDepth::none);
  EXPECT_EQ(depth({.term = "xterm"}), ColorDepth::none);
  EXPECT_EQ(depth({.no_color = "1", .term = "xterm", .terminal = true}), ColorDepth::none);
  EXPECT_EQ(depth({.clicolor_force = "1", .term = "xterm"}), ColorDepth::ansi16);
  EXPECT_EQ(depth({.clicolor_force = "0", .term = "xterm"}), ColorDepth::none);
  EXPECT_EQ(depth({.when = "never", .clicolor_force = "1", .term = "xterm", .terminal = true}),
            ColorDepth::none);
  EXPECT_EQ(depth({.when = "always", .no_color = "1", .term = "dumb"}), ColorDepth::ansi16);
}

}  // namespace
}  // namespace dragoman::show
