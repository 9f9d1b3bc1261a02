// SPDX-License-Identifier: Apache-2.0
// The program under test, started as a user would start it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman::test {

struct Start {
  std::vector<std::string> arguments;
  std::string input;                          // its stdin
  std::filesystem::path directory = {};       // where it runs
  std::vector<std::string> environment = {};  // NAME=VALUE on top of a bare one
  std::string stdout_to = {};                 // a path such as /dev/full; empty: captured
  bool close_stdout = false;
  bool as_nobody = false;  // gives up being root, who may read everything
};

struct Ended {
  std::string out;
  std::string err;
  int exit_code = -1;  // 128 + n when it died of signal n
};

// A started program; it is killed when the object goes.
class Running {
 public:
  Running(const std::filesystem::path& program, const Start& start);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  [[nodiscard]] std::string out_so_far() const;
  [[nodiscard]] std::string err_so_far() const;
  void send(int signal) const;
  [[nodiscard]] bool has_ended() const;
  Ended wait();

 private:
  std::filesystem::path directory_;  // of our own files
  pid_t pid_ = -1;
};

// Starts build/…/dragoman and waits for its end.
[[nodiscard]] Ended dragoman(const Start& start);
[[nodiscard]] std::filesystem::path dragoman_program();

}  // namespace dragoman::test
