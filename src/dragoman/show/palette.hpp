// SPDX-License-Identifier: Apache-2.0
// The colours of the specification on terminals with many, few and no colours.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/show/renderer.hpp"

namespace dragoman::show {

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

// The nearest of the 256 colours every terminal with 256 has in the same place (16 to 255).
[[nodiscard]] std::uint8_t nearest_256(Rgb color);

// What text is, not how it looks.
enum class Ink : std::uint8_t {
  plain,
  header,       // white on #7C3AED
  accent,       // #7C3AED: frames of header and next action
  pending,      // #6B7280
  in_progress,  // #3B82F6
  completed,    // #10B981
  failed,       // #EF4444
  paused,       // #F59E0B
  dim,
  bold,
  heading,
  emphasis,
  code,
  link,
  struck,
};
inline constexpr std::size_t kInks = 15;

// "pending" and its like; what an agent invents is plain.
[[nodiscard]] Ink ink_of_status(std::string_view status);

// What the surroundings say about colour.
struct ColorHints {
  std::string_view when = "auto";   // --color: auto, always, never
  std::string_view no_color;        // NO_COLOR
  std::string_view clicolor_force;  // CLICOLOR_FORCE
  std::string_view colorterm;       // COLORTERM
  std::string_view term;            // TERM
  bool terminal = false;            // whether the output is one
};
[[nodiscard]] ColorDepth detect_color(const ColorHints& hints);

class Palette {
 public:
  explicit Palette(ColorDepth depth);

  // The escape sequence that switches to the ink; empty without colours.
  [[nodiscard]] std::string_view on(Ink ink) const { return on_[static_cast<std::size_t>(ink)]; }
  // Back to plain, from an ink that is not plain.
  [[nodiscard]] std::string_view off() const { return colored_ ? "\x1b[0m" : ""; }
  [[nodiscard]] bool colored() const { return colored_; }

  void put(std::string& out, Ink ink, std::string_view text) const {
    if (ink == Ink::plain || !colored_) {
      out.append(text);
    } else {
      out.append(on(ink)).append(text).append(off());
    }
  }

 private:
  std::array<std::string, kInks> on_;
  bool colored_;
};

}  // namespace dragoman::show
