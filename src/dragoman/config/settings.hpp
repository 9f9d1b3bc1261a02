// SPDX-License-Identifier: Apache-2.0
// Everything that can be configured. One table is the source of reading, checking and documents.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace dragoman::config {

enum class Type : std::uint8_t { text, choice, flag, integer, duration, list };
[[nodiscard]] std::string_view name(Type type);

// A project file comes with a repository that somebody else may have written. It may say how long
// things take and how they look, never what is started, with which rights, or where data goes.
enum class InProject : std::uint8_t { refused, allowed };

struct Setting {
  std::string_view key;  // "run.idle_timeout": table and name in the file
  Type type = Type::text;
  InProject in_project = InProject::refused;
  std::string_view standard;  // as a file would say it; empty: the command decides
  std::string_view variable;  // of the environment; empty: none
  std::string_view help;
  std::vector<std::string_view> choices = {};  // of a choice
  std::int64_t least = 0;                      // of an integer
  std::int64_t most = 0;
};

[[nodiscard]] std::span<const Setting> settings();
[[nodiscard]] const Setting* find_setting(std::string_view key);

}  // namespace dragoman::config
