// SPDX-License-Identifier: Apache-2.0
// From the words of `dragoman run` to what is to be run.
#pragma once

#include <string>
#include <vector>

#include "dragoman/cli/command.hpp"
#include "dragoman/engine/run_spec.hpp"
#include "dragoman/surface/settings.hpp"

namespace dragoman::cli {

enum class RunView : std::uint8_t { terminal, json, quiet };

struct RunSetup {
  engine::RunSpec spec;
  engine::Surroundings surroundings;
  RunView view = RunView::terminal;
  bool jsonl = false;       // --io jsonl: answers on stdin, events on stdout
  std::string begun_stdin;  // what was read behind the prompt's line
  bool no_input = false;    // nothing is asked
  bool prompt_from_stdin = false;
  std::string chosen;                  // the run that --resume means; empty: it said so itself
  std::string store;                   // the registry's database; empty: not registered
  std::string config;                  // the file of --config, for a runner as well
  std::vector<std::string> surfaces;   // where its questions go besides
  surface::Settings surface_settings;  // only with surfaces
  std::vector<std::string> warnings;   // about the configuration
};

[[nodiscard]] Result<RunSetup> run_setup(const Invocation& invocation);

}  // namespace dragoman::cli
