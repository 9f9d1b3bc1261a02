// SPDX-License-Identifier: Apache-2.0
// An agent that does what it is told, faults included: the words of its command line are done one
// after the other.
//
//   lines N          N lines of JSON on stdout           bytes N     N bytes on stdout
//   errors N         N lines on stderr                   say TEXT    TEXT and a newline
//   sleep MS         be silent                           exit N      end with code N
//   spin MS          use the processor                   die N       end by signal N
//   ignore-term      TERM does nothing from now on       term-burst N  on TERM write N bytes, exit
//   0 escape FILE      a grandchild in a session of its own, forked twice, without stdio, that
//   ignores
//                    TERM and sleeps forever; its pid is appended to FILE
//   child FILE       a child in our group that sleeps forever; its pid is appended to FILE
//   hold MS          a grandchild that keeps stdout open for MS
//   cat              stdin to stdout until its end       read-stdin  block in a read of stdin
//   dribble N MS     a byte each MS, N times             close-stdin
//   state            signals, descriptors, session, directory     environment  every variable
//   arguments …      prints the words that follow, each ended by a NUL, and ends
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace {

std::size_t burst = 0;

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0) std::_Exit(2);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void write_bytes(std::size_t count) {
  static const std::string block = [] {
    std::string text;
    while (text.size() < 65536) text += "The quick brown fox jumps over the lazy dog, again.\n";
    text.resize(65536);
    return text;
  }();
  while (count > 0) {
    const std::size_t piece = std::min(count, block.size());
    write_all(1, std::string_view(block).substr(0, piece));
    count -= piece;
  }
}

void pause_for(long milliseconds) {
  timespec left{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  while (::nanosleep(&left, &left) != 0) {
  }
}

void sleep_forever() {
  for (;;) ::pause();
}

void note_pid(const std::string& file) { std::ofstream(file, std::ios::app) << ::getpid() << '\n'; }

void escape(const std::string& file) {
  if (::fork() != 0) return;
  (void)::setsid();
  if (::fork() != 0) std::_Exit(0);
  (void)std::signal(SIGTERM, SIG_IGN);
  (void)std::signal(SIGHUP, SIG_IGN);
  for (int fd = 0; fd < 3; ++fd) (void)::close(fd);
  note_pid(file);
  sleep_forever();
}

void child(const std::string& file) {
  if (::fork() != 0) return;
  note_pid(file);
  sleep_forever();
}

void hold(long milliseconds) {
  if (::fork() != 0) return;
  (void)std::signal(SIGTERM, SIG_IGN);
  pause_for(milliseconds);
  std::_Exit(0);
}

void cat() {
  std::array<char, 65536> buffer{};
  ssize_t got = 0;
  while ((got = ::read(0, buffer.data(), buffer.size())) > 0) {
    write_all(1, {buffer.data(), static_cast<std::size_t>(got)});
  }
}

void spin(long milliseconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (Clock::now() < end) {
  }
}

void print_state() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Sig") || line.starts_with("Umask")) write_all(1, line + "\n");
  }
  std::string fds = "fds:";
  for (int fd = 0; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1 && fd != 3) fds += " " + std::to_string(fd);
  }
  write_all(1, fds + "\n");
  write_all(1, std::string("leads session: ") + (::getsid(0) == ::getpid() ? "yes" : "no") + "\n");
  write_all(1, std::string("leads group: ") + (::getpgrp() == ::getpid() ? "yes" : "no") + "\n");
  write_all(1, std::string("terminal: ") + (::isatty(1) == 1 ? "yes" : "no") + "\n");
  winsize window{};
  if (::ioctl(1, TIOCGWINSZ, &window) == 0) {
    write_all(1, "columns: " + std::to_string(window.ws_col) + "\n");
  }
  std::array<char, 4096> directory{};
  if (::getcwd(directory.data(), directory.size()) != nullptr) {
    write_all(1, std::string("directory: ") + directory.data() + "\n");
  }
}

void print_lines(int fd, long count) {
  std::string text;
  for (long i = 1; i <= count; ++i) {
    text += "{\"type\":\"fake\",\"line\":" + std::to_string(i) + "}\n";
    if (text.size() > 4096 || i == count) {
      write_all(fd, text);
      text.clear();
    }
  }
}

using Words = std::vector<std::string>;
using Action = std::function<void(const Words&)>;
struct Verb {
  std::size_t operands;
  Action run;
};

const std::map<std::string, Verb>& verbs() {
  static const std::map<std::string, Verb> all = {
      {"lines", {1, [](const Words& w) { print_lines(1, std::atol(w[0].c_str())); }}},
      {"errors", {1, [](const Words& w) { print_lines(2, std::atol(w[0].c_str())); }}},
      {"bytes", {1, [](const Words& w) { write_bytes(std::strtoull(w[0].c_str(), nullptr, 10)); }}},
      {"say", {1, [](const Words& w) { write_all(1, w[0] + "\n"); }}},
      {"sleep", {1, [](const Words& w) { pause_for(std::atol(w[0].c_str())); }}},
      {"spin", {1, [](const Words& w) { spin(std::atol(w[0].c_str())); }}},
      {"exit", {1, [](const Words& w) { std::_Exit(std::atoi(w[0].c_str())); }}},
      {"die", {1, [](const Words& w) { (void)std::raise(std::atoi(w[0].c_str())); }}},
      {"ignore-term", {0, [](const Words&) { (void)std::signal(SIGTERM, SIG_IGN); }}},
      {"term-burst",
       {1,
        [](const Words& w) {
          burst = std::strtoull(w[0].c_str(), nullptr, 10);
          write_bytes(0);  // makes the block before the handler needs it
          (void)std::signal(SIGTERM, [](int) {
            write_bytes(burst);
            std::_Exit(0);
          });
        }}},
      {"escape", {1, [](const Words& w) { escape(w[0]); }}},
      {"child", {1, [](const Words& w) { child(w[0]); }}},
      {"hold", {1, [](const Words& w) { hold(std::atol(w[0].c_str())); }}},
      {"cat", {0, [](const Words&) { cat(); }}},
      {"read-stdin",
       {0,
        [](const Words&) {
          char c = 0;
          (void)!::read(0, &c, 1);
        }}},
      {"close-stdin", {0, [](const Words&) { (void)::close(0); }}},
      {"dribble",
       {2,
        [](const Words& w) {
          for (long i = 0; i < std::atol(w[0].c_str()); ++i) {
            write_all(1, ".");
            pause_for(std::atol(w[1].c_str()));
          }
        }}},
      {"state", {0, [](const Words&) { print_state(); }}},
      {"environment",
       {0,
        [](const Words&) {
          for (char** line = environ; *line != nullptr; ++line) {
            write_all(1, std::string(*line) + "\n");
          }
        }}},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc;) {
    const std::string word = argv[i++];
    if (word == "arguments") {
      for (; i < argc; ++i) write_all(1, {argv[i], std::strlen(argv[i]) + 1});
      return 0;
    }
    const auto verb = verbs().find(word);
    if (verb == verbs().end() || i + static_cast<int>(verb->second.operands) > argc) {
      (void)std::fprintf(stderr, "fake_agent: cannot do '%s'\n", word.c_str());
      return 64;
    }
    Words operands;
    for (std::size_t n = 0; n < verb->second.operands; ++n) operands.emplace_back(argv[i++]);
    verb->second.run(operands);
  }
  return 0;
}
