// SPDX-License-Identifier: Apache-2.0
// From the words of `dragoman run` to what a session needs.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/agent/session.hpp"
#include "dragoman/cli/command.hpp"
#include "dragoman/redact/filter.hpp"
#include "dragoman/surface/settings.hpp"

namespace dragoman::cli {

enum class RunView : std::uint8_t { terminal, json, quiet };

// What a process has from whoever started it.
struct RunSurroundings {
  std::vector<std::string> environment;
  std::filesystem::path directory;
  std::optional<std::string> input;  // what stands on stdin; absent: ours is read
};
[[nodiscard]] RunSurroundings own_surroundings();

struct RunSetup {
  const agent::AgentRow* agent = nullptr;
  agent::Plan plan;
  RunView view = RunView::terminal;
  bool jsonl = false;       // --io jsonl: answers on stdin, events on stdout
  std::string begun_stdin;  // what was read behind the prompt's line
  bool no_input = false;    // nobody is asked
  bool prompt_from_stdin = false;
  bool git_changes = false;  // the end says what git sees changed
  std::string resumed;       // the run before, where `request.words` are from it
  std::string run_id;
  std::filesystem::path state;                 // empty: there is none
  std::filesystem::path record;                // empty: nothing is kept
  std::string store;                           // the registry's database; empty: not registered
  std::vector<std::string> surfaces;           // where its questions go besides
  surface::Settings surface_settings;          // only with surfaces
  std::shared_ptr<const redact::Rules> rules;  // what is taken out of everything
  std::vector<std::string> warnings;           // about the configuration
};

[[nodiscard]] Result<RunSetup> run_setup(const Invocation& invocation,
                                         const RunSurroundings& surroundings);

}  // namespace dragoman::cli
