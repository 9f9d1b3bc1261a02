// SPDX-License-Identifier: Apache-2.0
// A real terminal to look at: tmux.
#pragma once

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {

// `command`, which writes its process number into `file` first.
inline std::string noting_its_pid(const std::filesystem::path& file, const std::string& command) {
  return "sh -c \"echo \\$\\$ > " + file.string() + "; exec " + command + "\"";
}
inline pid_t noted_pid(const std::filesystem::path& file) {
  EXPECT_TRUE(eventually([&] {
    return std::filesystem::exists(file) && read_file(file).find('\n') != std::string::npos;
  }));
  return std::stoi(read_file(file));
}

// A tmux server of its own with one window; it ends with the object.
class Tmux {
 public:
  Tmux(const std::string& command, int columns) {
    tmux({"-f", "/dev/null", "new-session", "-d", "-x", std::to_string(columns), "-y", "12",
          "env LC_ALL=C.UTF-8 sh -c 'trap : INT; " + command + "; echo exit=$?; exec sleep 600'"});
  }
  ~Tmux() { tmux({"kill-server"}); }
  Tmux(const Tmux&) = delete;
  Tmux& operator=(const Tmux&) = delete;

  void type(const std::string& line) const { tmux({"send-keys", line, "Enter"}); }

  std::string tmux(std::vector<std::string> words) const {
    words.insert(words.begin(), {"-u", "-L", socket_});
    return Running("/usr/bin/tmux", {.arguments = words,
                                     .directory = directory_.path(),
                                     .environment = {"TMUX_TMPDIR=" + directory_.path().string(),
                                                     "LC_ALL=C.UTF-8", "TERM=xterm-256color"}})
        .wait()
        .out;
  }
  [[nodiscard]] std::string screen() const { return tmux({"capture-pane", "-p"}); }
  [[nodiscard]] std::string everything() const { return tmux({"capture-pane", "-p", "-S", "-"}); }
  [[nodiscard]] std::string cursor() const { return tmux({"display", "-p", "#{cursor_flag}"}); }
  // Whether keys are seen when they are pressed.
  [[nodiscard]] bool echoes() const {
    std::string path = tmux({"display", "-p", "#{pane_tty}"});
    if (!path.empty()) path.pop_back();
    const int tty = ::open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios now{};
    const bool known = ::tcgetattr(tty, &now) == 0;
    ::close(tty);
    EXPECT_TRUE(known) << path;
    return (now.c_lflag & ECHO) != 0;
  }
  [[nodiscard]] bool shows(const std::string& text) const {
    return eventually([&] { return everything().find(text) != std::string::npos; });
  }

 private:
  TempDir directory_;
  std::string socket_ = fmt::format("dragoman-{}", ::getpid());
};

}  // namespace dragoman::test
