// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/ask/desk.hpp"
#include "dragoman/base/duration.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/completion.hpp"
#include "dragoman/cli/named_run.hpp"
#include "dragoman/cli/task_listing.hpp"
#include "dragoman/cli/task_store.hpp"

namespace dragoman::cli {
namespace {

constexpr std::size_t kMostRuns = 50;

// As the shell wants an offered word and what it means: behind a tab, for zsh behind a colon.
std::string offered_line(const std::string& shell, std::string word, std::string_view meaning) {
  const std::string line = printable(meaning);
  if (shell != "zsh") return fmt::format("{}\t{}\n", word, utf8::prefix(line, 60));
  for (const char c : {'\\', ':'}) {
    for (std::size_t at = 0; (at = word.find(c, at)) != std::string::npos; at += 2)
      word.insert(at, 1, '\\');
  }
  return fmt::format("{}:{}\n", word, utf8::prefix(line, 60));
}

// The newest runs, each behind how long ago it was. Those of a fleet are not asked for: its servers
// may be far away, and a shell waits.
std::string offered_runs(const std::string& shell, Log* log) {
  task::RunPlaces places = own_recordings(".");
  places.log = log;
  places.directory.clear();
  const auto runs = task::newest_runs(places, kMostRuns);
  if (!runs || runs->empty()) return {};
  std::string out = offered_line(shell, "last", "the newest run of this directory");
  const std::int64_t now = task::now_ms();
  for (const task::FoundRun& run : *runs)
    out += offered_line(shell, run.id, age_words(now - run.created_at) + " " + run.title);
  return out;
}

std::string offered_questions(const std::string& shell, Log* log) {
  if (log == nullptr) return {};
  const auto open = ask::Desk(*log).open_questions();
  std::string out;
  if (!open) return out;
  for (const ask::QuestionRecord& question : *open)
    out += offered_line(shell, answered_as(question, *open), question.text);
  return out;
}

// A shell that completes wants words, and no complaint.
int offer(const std::string& shell, const Invocation& invocation, Console& console) {
  const auto log = open_store_if_there(invocation, console, Reach::here);
  Log* const store = log ? log->get() : nullptr;
  console.out().write(invocation.value("of") == name(Live::questions)
                          ? offered_questions(shell, store)
                          : offered_runs(shell, store));
  return kOk;
}

int run_completion(const Invocation& invocation, Console& console) {
  const std::string& shell = invocation.arguments()[0];
  if (invocation.has("of")) return offer(shell, invocation, console);
  const auto& commands = all_commands();
  console.out().write(shell == "bash"  ? bash_completion(commands)
                      : shell == "zsh" ? zsh_completion(commands)
                                       : fish_completion(commands));
  return kOk;
}

}  // namespace

std::string_view name(Live live) {
  switch (live) {
    case Live::none:
      return "";
    case Live::runs:
      return "runs";
    case Live::questions:
      return "questions";
  }
  return "";
}

std::string joined(const std::vector<std::string_view>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> options_in_front(const std::vector<CommandSpec>& commands) {
  std::vector<std::string> names;
  const auto add = [&names](const std::vector<OptionSpec>& options) {
    for (const OptionSpec& option : options) {
      const std::string name = "--" + option.name;
      if (!option.value.empty() && std::ranges::find(names, name) == names.end())
        names.push_back(name);
    }
  };
  add(everywhere_options());
  for (const CommandSpec& command : commands) {
    if (!command.parts.empty()) add(command.options);
  }
  return names;
}

std::vector<std::string> unfinished_names(const std::vector<CommandSpec>& commands) {
  std::vector<std::string> names;
  for (const CommandSpec& command : commands) {
    if (command.parts.empty()) continue;
    names.push_back(command.name);
    names.push_back("help " + command.name);
  }
  names.emplace_back("help");
  return names;
}

std::vector<std::string> names_of_starters(const std::vector<CommandSpec>& commands) {
  std::vector<std::string> names;
  for (const CommandSpec& command : commands) {
    if (command.behind_dashes == "CMD…") names.push_back(command.name);
    for (const std::string& part : names_of_starters(command.parts)) names.push_back(part);
  }
  return names;
}

CommandSpec completion_command() {
  return {"completion",
          "a completion script for your shell",
          "",
          {color_option(),
           {.name = "of",
            .value = "KIND",
            .help = "the words that the script offers",
            .choices = {name(Live::runs), name(Live::questions)},
            .hidden = true}},
          {{"SHELL", "which shell", true, false, false, {"bash", "zsh", "fish"}}},
          {"source <(dragoman completion bash)",
           "dragoman completion fish > ~/.config/fish/completions/dragoman.fish"},
          run_completion};
}

}  // namespace dragoman::cli
