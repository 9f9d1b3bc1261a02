// SPDX-License-Identifier: Apache-2.0
// The one place that knows CLI11.
#include "dragoman/cli/arguments.hpp"

#include <algorithm>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "dragoman/base/words.hpp"
#include "dragoman/cli/suggest.hpp"

namespace dragoman::cli {
namespace {

std::string full_name(const OptionSpec& option) {
  if (option.name.size() == 1) return "-" + option.name;
  return option.letter == 0 ? fmt::format("--{}", option.name)
                            : fmt::format("-{},--{}", option.letter, option.name);
}

// The spec as CLI11 wants it, and where it puts what it finds.
class Grammar {
 public:
  explicit Grammar(const CommandSpec& spec) : spec_(spec) {
    app_.set_help_flag();
    // CLI11 would read an argument "[a,b]" as a list of two; what it does not know is ours to sort.
    app_.allow_extras();
    for (const OptionSpec& option : spec.options) add(option);
  }

  std::variant<Invocation, UsageError> parse(std::vector<std::string> words) {
    if (const OptionSpec* const option = given_empty(words)) {
      return UsageError{
          fmt::format("{}: --{} needs a value: {}", spec_.name, option->name, option->value),
          see_help()};
    }
    const auto dashes = std::find(words.begin(), words.end(), "--");
    const std::vector<std::string> behind(dashes == words.end() ? dashes : dashes + 1, words.end());
    words.erase(dashes, words.end());
    std::reverse(words.begin(), words.end());
    try {
      app_.parse(std::move(words));
    } catch (const CLI::ArgumentMismatch& e) {
      return UsageError{missing_value(e.what()), see_help()};
    } catch (const CLI::ParseError& e) {
      return UsageError{e.what(), see_help()};
    }
    for (const std::string& word : app_.remaining()) {
      if (word.starts_with('-') && word != "-") return unknown(word);
      arguments_.push_back(word);
    }
    arguments_.insert(arguments_.end(), behind.begin(), behind.end());
    return collect();
  }

 private:
  void add(const OptionSpec& option) {
    auto& slot = slots_[option.name];
    if (option.value.empty()) {
      app_.add_flag(full_name(option), slot.flag);
      return;
    }
    CLI::Option* const added = app_.add_option(full_name(option), slot.values)->expected(1);
    added->allow_extra_args(false);  // one value each time; what follows is an argument
    added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  // "--kinds=": CLI11 would take the next word for its value.
  [[nodiscard]] const OptionSpec* given_empty(const std::vector<std::string>& words) const {
    for (const std::string& word : words) {
      if (word == "--") return nullptr;
      for (const OptionSpec& option : spec_.options) {
        if (!option.value.empty() && word == "--" + option.name + "=") return &option;
      }
    }
    return nullptr;
  }

  [[nodiscard]] std::string see_help() const {
    return fmt::format("see 'dragoman help {}'", spec_.name);
  }

  [[nodiscard]] UsageError too_many(const std::string& word) const {
    return {fmt::format("{}: too many arguments: '{}'", spec_.name, printable(word)), see_help()};
  }

  [[nodiscard]] UsageError unknown(const std::string& word) const {
    std::vector<std::string> names;
    names.reserve(spec_.options.size());
    for (const OptionSpec& option : spec_.options) {
      if (!option.hidden) names.push_back("--" + option.name);
    }
    const std::string name = word.substr(0, word.find('='));
    std::string hint = did_you_mean(name, names);
    return {fmt::format("{}: unknown option '{}'", spec_.name, printable(name)),
            hint.empty() ? see_help() : hint};
  }

  [[nodiscard]] std::string missing_value(std::string_view what) const {
    for (const OptionSpec& option : spec_.options) {
      if (what.starts_with("--" + option.name + ":") ||
          what.starts_with("--" + option.name + " ")) {
        return fmt::format("{}: --{} needs a value: {}", spec_.name, option.name, option.value);
      }
    }
    return fmt::format("{}: {}", spec_.name, what);
  }

  std::variant<Invocation, UsageError> collect() {
    Invocation invocation(spec_);
    for (const OptionSpec& option : spec_.options) {
      const Slot& slot = slots_[option.name];
      if (!slot.flag && slot.values.empty()) continue;
      if (slot.values.size() > 1 && !option.repeatable) {
        return UsageError{fmt::format("{}: --{} is given more than once", spec_.name, option.name),
                          {}};
      }
      for (const std::string& value : slot.values) {
        if (auto bad = not_a_choice("--" + option.name, value, option.choices)) {
          bad->exit_code = option.refusal;
          return *bad;
        }
      }
      invocation.add_option(option.name, slot.values);
    }
    return collect_arguments(std::move(invocation));
  }

  std::variant<Invocation, UsageError> collect_arguments(Invocation invocation) const {
    for (std::size_t i = 0; i < spec_.arguments.size(); ++i) {
      const ArgumentSpec& argument = spec_.arguments[i];
      if (argument.required && i >= arguments_.size()) {
        return UsageError{fmt::format("{}: {} is missing", spec_.name, argument.name),
                          argument.choices.empty()
                              ? see_help()
                              : fmt::format("{} is {}", argument.name, listed(argument.choices))};
      }
    }
    const std::size_t most = spec_.arguments.size();
    if (arguments_.size() > most && (most == 0 || !spec_.arguments.back().many))
      return too_many(arguments_[most]);
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const ArgumentSpec& argument = spec_.arguments[std::min(i, spec_.arguments.size() - 1)];
      if (auto bad = not_a_choice(argument.name, arguments_[i], argument.choices)) return *bad;
      invocation.add_argument(arguments_[i]);
    }
    return invocation;
  }

  [[nodiscard]] std::optional<UsageError> not_a_choice(
      const std::string& what, const std::string& value,
      const std::vector<std::string_view>& choices) const {
    if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) {
      return std::nullopt;
    }
    std::string hint = did_you_mean(value, {choices.begin(), choices.end()});
    return UsageError{
        fmt::format("{}: {}: '{}' is not {}", spec_.name, what, printable(value), listed(choices)),
        hint};
  }

  struct Slot {
    bool flag = false;
    std::vector<std::string> values;
  };

  const CommandSpec& spec_;
  CLI::App app_;
  std::map<std::string, Slot> slots_;
  std::vector<std::string> arguments_;
};

}  // namespace

std::optional<std::string> Invocation::value(std::string_view option) const {
  const auto found = options_.find(option);
  if (found == options_.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

const std::vector<std::string>& Invocation::values(std::string_view option) const {
  static const std::vector<std::string> kNone;
  const auto found = options_.find(option);
  return found == options_.end() ? kNone : found->second;
}

std::variant<Invocation, UsageError> parse_arguments(const CommandSpec& spec,
                                                     std::vector<std::string> words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (spec.behind_dashes.empty() || dashes == words.end()) {
    return Grammar(spec).parse(std::move(words));
  }
  std::vector<std::string> behind(dashes + 1, words.end());
  words.erase(dashes, words.end());
  auto parsed = Grammar(spec).parse(std::move(words));
  if (auto* const invocation = std::get_if<Invocation>(&parsed)) {
    invocation->set_behind_dashes(std::move(behind));
  }
  return parsed;
}

}  // namespace dragoman::cli
