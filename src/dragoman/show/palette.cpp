// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/palette.hpp"

#include <cstdlib>
#include <optional>

#include <fmt/format.h>

namespace dragoman::show {
namespace {

// How an ink is made: attributes, a colour of the specification, and what stands for it where there
// are only sixteen.
struct Recipe {
  std::string_view attributes;
  std::optional<Rgb> foreground;
  std::optional<Rgb> background;
  std::string_view sixteen;
};

constexpr Rgb kViolet{0x7C, 0x3A, 0xED};
constexpr Rgb kWhite{0xFF, 0xFF, 0xFF};

constexpr std::array<Recipe, kInks> kRecipes = {{
    {"", {}, {}, ""},                          // plain
    {"1", kWhite, kViolet, "1;97;45"},         // header
    {"", kViolet, {}, "35"},                   // accent
    {"", Rgb{0x6B, 0x72, 0x80}, {}, "90"},     // pending
    {"", Rgb{0x3B, 0x82, 0xF6}, {}, "34"},     // in_progress
    {"", Rgb{0x10, 0xB9, 0x81}, {}, "32"},     // completed
    {"", Rgb{0xEF, 0x44, 0x44}, {}, "31"},     // failed
    {"", Rgb{0xF5, 0x9E, 0x0B}, {}, "33"},     // paused
    {"2", {}, {}, "2"},                        // dim
    {"1", {}, {}, "1"},                        // bold
    {"1;4", {}, {}, "1;4"},                    // heading
    {"3", {}, {}, "3"},                        // emphasis
    {"", Rgb{0x0E, 0x9A, 0xA7}, {}, "36"},     // code
    {"4", Rgb{0x3B, 0x82, 0xF6}, {}, "4;34"},  // link
    {"9", {}, {}, "9"},                        // struck
}};

constexpr std::array<std::uint8_t, 6> kCube = {0, 95, 135, 175, 215, 255};

int squared(int a, int b) { return (a - b) * (a - b); }

int distance(Rgb a, Rgb b) {
  return squared(a.red, b.red) + squared(a.green, b.green) + squared(a.blue, b.blue);
}

std::size_t nearest_step(std::uint8_t value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < kCube.size(); ++i) {
    if (std::abs(kCube[i] - value) < std::abs(kCube[best] - value)) best = i;
  }
  return best;
}

void add(std::string& codes, std::string_view code) {
  if (code.empty()) return;
  if (!codes.empty()) codes.push_back(';');
  codes.append(code);
}

std::string color_code(ColorDepth depth, std::string_view ground, Rgb color) {
  if (depth == ColorDepth::rgb24) {
    return fmt::format("{};2;{};{};{}", ground, color.red, color.green, color.blue);
  }
  return fmt::format("{};5;{}", ground, nearest_256(color));
}

std::string sequence(const Recipe& recipe, ColorDepth depth) {
  std::string codes;
  if (depth == ColorDepth::ansi16) {
    codes = recipe.sixteen;
  } else {
    add(codes, recipe.attributes);
    if (recipe.foreground.has_value()) add(codes, color_code(depth, "38", *recipe.foreground));
    if (recipe.background.has_value()) add(codes, color_code(depth, "48", *recipe.background));
  }
  return codes.empty() ? std::string() : fmt::format("\x1b[{}m", codes);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::uint8_t nearest_256(Rgb color) {
  const std::size_t r = nearest_step(color.red);
  const std::size_t g = nearest_step(color.green);
  const std::size_t b = nearest_step(color.blue);
  const int in_cube = distance(color, {kCube[r], kCube[g], kCube[b]});
  const int mean = (color.red + color.green + color.blue) / 3;
  const int step = mean < 8 ? 0 : (mean > 238 ? 23 : (mean - 3) / 10);
  const auto gray = static_cast<std::uint8_t>(8 + 10 * step);
  if (distance(color, {gray, gray, gray}) < in_cube) return static_cast<std::uint8_t>(232 + step);
  return static_cast<std::uint8_t>(16 + 36 * r + 6 * g + b);
}

Ink ink_of_status(std::string_view status) {
  if (status == "pending") return Ink::pending;
  if (status == "in_progress") return Ink::in_progress;
  if (status == "completed") return Ink::completed;
  if (status == "failed") return Ink::failed;
  if (status == "paused") return Ink::paused;
  return Ink::plain;
}

ColorDepth detect_color(const ColorHints& hints) {
  if (hints.when == "never") return ColorDepth::none;
  if (hints.when != "always") {
    if (!hints.no_color.empty()) return ColorDepth::none;
    const bool forced = !hints.clicolor_force.empty() && hints.clicolor_force != "0";
    const bool dumb = hints.term.empty() || hints.term == "dumb";
    if (!forced && (!hints.terminal || dumb)) return ColorDepth::none;
  }
  if (hints.colorterm == "truecolor" || hints.colorterm == "24bit" ||
      contains(hints.term, "direct")) {
    return ColorDepth::rgb24;
  }
  if (contains(hints.term, "256")) return ColorDepth::ansi256;
  return ColorDepth::ansi16;
}

Palette::Palette(ColorDepth depth) : colored_(depth != ColorDepth::none) {
  if (!colored_) return;
  for (std::size_t i = 0; i < kInks; ++i) on_[i] = sequence(kRecipes[i], depth);
}

}  // namespace dragoman::show
