// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "dragoman/base/result.hpp"
#include "dragoman/process/command.hpp"
#include "dragoman/process/exit.hpp"

namespace dragoman::mcp {

struct Called {
  std::string out;
  std::string err;
  process::Exit exit;
  bool timed_out = false;
  bool cut = false;  // there was more on stdout than `most`

  [[nodiscard]] bool exited_with(int code) const {
    return exit.how == process::Exit::How::exited && exit.code == code;
  }
};

// Runs a program to its end, `input` on its stdin. Everything it started is gone afterwards.
[[nodiscard]] Result<Called> call_program(process::Command command, const std::string& input,
                                          std::chrono::milliseconds within, std::size_t most);

}  // namespace dragoman::mcp
