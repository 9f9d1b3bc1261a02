// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/cannot_go_on.hpp"

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <exception>

namespace dragoman::cli {
namespace {

void say(const char* words) { (void)!::write(STDERR_FILENO, words, std::strlen(words)); }

// There may be no memory: nothing here needs any.
[[noreturn]] void cannot_go_on() {
  constexpr int kOwnFailure = 125;
  static std::atomic_flag said;
  if (!said.test_and_set()) {
    say("dragoman: cannot go on: ");
    try {
      if (const auto failure = std::current_exception()) std::rethrow_exception(failure);
      say("out of threads or memory");
    } catch (const std::exception& e) {
      say(e.what());
    } catch (...) {
      say("unknown failure");
    }
    say("\n");
  }
  ::_exit(kOwnFailure);
}

}  // namespace

void contain_failures() { std::set_terminate(cannot_go_on); }

}  // namespace dragoman::cli
