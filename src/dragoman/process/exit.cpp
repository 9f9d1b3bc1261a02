// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/exit.hpp"

#include <cstring>

#include <fmt/format.h>

namespace dragoman::process {

int exit_code_of(const Exit& exit) {
  switch (exit.how) {
    case Exit::How::exited:
      return exit.code;
    case Exit::How::signal:
      return 128 + exit.code;
    case Exit::How::lost:
      return 125;
  }
  return 125;
}

std::string describe(const Exit& exit) {
  switch (exit.how) {
    case Exit::How::exited:
      return fmt::format("exit code {}", exit.code);
    case Exit::How::signal: {
      const char* const short_name = ::sigabbrev_np(exit.code);
      return fmt::format("signal {} ({})", exit.code, short_name == nullptr ? "?" : short_name);
    }
    case Exit::How::lost:
      return "lost: its guard was killed, nobody saw how it ended";
  }
  return {};
}

}  // namespace dragoman::process
