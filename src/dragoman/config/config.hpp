// SPDX-License-Identifier: Apache-2.0
// What is configured, and by whom: environment > project file > user's file > standard.
// (A flag on the command line is above all of them, and the command line's to see.)
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/config/settings.hpp"

namespace dragoman::config {

enum class Source : std::uint8_t { standard, user, project, environment };
[[nodiscard]] std::string_view name(Source source);

struct Value {
  std::vector<std::string> texts;  // checked against its setting; one, unless it is a list
  Source source = Source::standard;
  std::string where;  // "/home/a/.config/dragoman/config.toml:3", "CODEX_MAX_CONCURRENCY"
  friend bool operator==(const Value&, const Value&) = default;
};

// Where to look. `environment` has lines NAME=value.
struct Places {
  std::vector<std::string> environment;
  std::filesystem::path working_directory;    // the project file is looked for here and above
  std::optional<std::filesystem::path> file;  // --config: instead of the user's file; must exist
};

// $XDG_CONFIG_HOME/dragoman, and $DRAGOMAN_STATE_DIR or $XDG_STATE_HOME/dragoman; a relative path
// in one of them is ignored, as the XDG specification asks (in our own variable Config::load
// refuses it). Empty: there is no home directory.
[[nodiscard]] std::filesystem::path config_directory(const std::vector<std::string>& environment);
[[nodiscard]] std::filesystem::path state_directory(const std::vector<std::string>& environment);

// `.dragoman.toml` in `directory` or the nearest one above it, not above the root of a repository.
[[nodiscard]] std::optional<std::filesystem::path> find_project_file(
    const std::filesystem::path& directory);

class Config {
 public:
  // An absent file is an empty one. A value that is wrong, or a file that is no TOML, is an error
  // that names file and line: guessing what was meant would start an agent with other limits.
  [[nodiscard]] static Result<Config> load(const Places& places);

  // Never null for a key of settings(); texts are empty where nothing is said and the command
  // decides.
  [[nodiscard]] const Value& value(std::string_view key) const;
  [[nodiscard]] const std::string& text(std::string_view key) const;  // empty: nothing is said

  // What the user's file says below a table whose names are the user's own, such as "surface.";
  // keys in full. Whoever asks checks them.
  [[nodiscard]] const std::map<std::string, Value, std::less<>>& named_tables() const {
    return named_;
  }

  // "FILE:LINE: …": keys that nobody knows, and those a project file may not set.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  [[nodiscard]] const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  std::map<std::string, Value, std::less<>> values_;
  std::map<std::string, Value, std::less<>> named_;
  std::vector<std::string> warnings_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace dragoman::config
