// SPDX-License-Identifier: Apache-2.0
// What a command takes. One table is the source of parsing, help and completion.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/cli/console.hpp"

namespace dragoman::cli {

// Words that completion offers where others are taken as well.
using Offer = std::vector<std::string_view> (*)();

// What a shell asks this program for, at the moment of completing: the ids of runs, or of open
// questions.
enum class Live : std::uint8_t { none, runs, questions };
[[nodiscard]] std::string_view name(Live live);

struct OptionSpec {
  std::string name;   // without dashes: "from"
  std::string value;  // what the help calls it: "DIALECT"; empty: a switch
  std::string help;
  std::vector<std::string_view> choices = {};  // empty: anything
  char letter = 0;                             // 'q' for -q
  bool repeatable = false;
  bool takes_file = false;
  bool everywhere = false;  // every command takes it: told once, not in each command's help
  bool hidden = false;      // for tests of ours: neither help nor completion tells of it
  Offer offers = nullptr;
  bool takes_directory = false;
  bool lists = false;     // several of its words, with commas between them
  int refusal = kUsage;   // the exit code of a value that is none of the choices
  bool required = false;  // the help shows it in the usage; refusing its absence is the command's
  Live live = Live::none;
};

struct ArgumentSpec {
  std::string name;  // "FILE"
  std::string help;
  bool required = false;
  bool many = false;
  bool takes_file = false;
  std::vector<std::string_view> choices = {};
  Offer offers = nullptr;
  Live live = Live::none;
};

class Invocation;

struct CommandSpec {
  std::string name;
  std::string summary;  // one line of the list
  std::string details;  // paragraphs of its help
  std::vector<OptionSpec> options;
  std::vector<ArgumentSpec> arguments;
  std::vector<std::string> examples;
  int (*run)(const Invocation&, Console&) = nullptr;
  std::vector<CommandSpec> parts = {};  // commands of a command: emit header, emit status, …
  // What the help calls the words behind "--" ("CMD…"). They are somebody else's command line and
  // are not looked at. Empty: "--" only ends the options, as everywhere.
  std::string behind_dashes = {};
  // What the help shows behind the name instead of options and arguments, where those do not tell
  // how the command is used.
  std::string usage = {};
};

// A command with what was given to it, checked against its spec.
class Invocation {
 public:
  explicit Invocation(const CommandSpec& spec) : spec_(&spec) {}

  [[nodiscard]] const CommandSpec& spec() const { return *spec_; }
  [[nodiscard]] bool has(std::string_view option) const { return options_.contains(option); }
  [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
  [[nodiscard]] const std::vector<std::string>& values(std::string_view option) const;
  [[nodiscard]] const std::vector<std::string>& arguments() const { return arguments_; }
  // The words behind "--", of commands that take a command line; absent: there was no "--".
  [[nodiscard]] const std::optional<std::vector<std::string>>& behind_dashes() const {
    return behind_dashes_;
  }

  void add_option(const std::string& name, std::vector<std::string> values) {
    options_.insert_or_assign(name, std::move(values));
  }
  void add_argument(std::string value) { arguments_.push_back(std::move(value)); }
  void set_behind_dashes(std::vector<std::string> words) { behind_dashes_ = std::move(words); }

 private:
  const CommandSpec* spec_;
  std::map<std::string, std::vector<std::string>, std::less<>> options_;
  std::vector<std::string> arguments_;
  std::optional<std::vector<std::string>> behind_dashes_;
};

// Every command, in the order in which help lists them.
[[nodiscard]] const std::vector<CommandSpec>& all_commands();
[[nodiscard]] const CommandSpec* find_command_spec(std::string_view name);

// What every command takes besides its own options; a command's own of the same name or letter goes
// first, because it says what it does there.
[[nodiscard]] const std::vector<OptionSpec>& everywhere_options();

// Options that many commands share.
[[nodiscard]] OptionSpec color_option();
[[nodiscard]] OptionSpec quiet_option();
[[nodiscard]] OptionSpec verbose_option();
[[nodiscard]] OptionSpec json_option();
[[nodiscard]] OptionSpec from_option();
[[nodiscard]] OptionSpec mode_option();
[[nodiscard]] OptionSpec line_cap_option();
[[nodiscard]] ArgumentSpec files_argument();

}  // namespace dragoman::cli
