// SPDX-License-Identifier: Apache-2.0
// What doctor finds. Nothing is made, opened for writing or moved by looking.
#pragma once

#include <cstdint>
#include <string>

#include "dragoman/cli/command.hpp"
#include "dragoman/config/config.hpp"

namespace dragoman::cli {

struct DoctorFinding {
  enum class State : std::uint8_t {
    ok,
    missing,  // something that some work needs is not there
    ignored,  // something is there and has no effect
    broken,   // something is there and cannot be used, or cannot be made
  };

  std::string name;
  State state = State::ok;
  std::string detail;
  std::string mend;  // the command that mends it
};

// It need not exist; where it does, it can be read.
[[nodiscard]] DoctorFinding look_at_configuration(const std::string& path);
// It need not exist; where it does not, it can be made.
[[nodiscard]] DoctorFinding look_at_state(const std::string& path);
// The file of --store, of the configuration, or of nobody's choice. Not for a fleet's store.
[[nodiscard]] DoctorFinding look_at_store_file(const Invocation& invocation,
                                               const config::Config& settings);

}  // namespace dragoman::cli
