// SPDX-License-Identifier: Apache-2.0
#include "tests/support/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "tests/support/signals.hpp"

namespace dragoman::test {
namespace {

constexpr uid_t kNobody = 65534;

std::filesystem::path make_directory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "dragoman-run-XXXXXX").string();
  EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
  return pattern;
}

void redirect(int fd, const std::string& path, int flags) {
  const int opened = ::open(path.c_str(), flags, 0644);
  if (opened < 0 || ::dup2(opened, fd) < 0) ::_exit(120);
  ::close(opened);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Running::Running(const std::filesystem::path& program, const Start& start)
    : directory_(make_directory()) {
  write_file(directory_ / "in", start.input);
  std::vector<std::string> words = start.arguments;
  words.insert(words.begin(), program.string());
  // Nobody's home: it does not exist, and who makes it leaves nothing behind.
  std::vector<std::string> variables = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8",
                                        "HOME=" + (directory_ / "home").string()};
  variables.insert(variables.begin(), start.environment.begin(), start.environment.end());
  std::vector<char*> argv = pointers(words);
  std::vector<char*> envp = pointers(variables);
  const std::string out = start.stdout_to.empty() ? (directory_ / "out").string() : start.stdout_to;
  pid_ = ::fork();
  if (pid_ != 0) return;
  redirect(0, (directory_ / "in").string(), O_RDONLY);
  redirect(1, out, O_WRONLY | O_CREAT);
  redirect(2, (directory_ / "err").string(), O_WRONLY | O_CREAT);
  if (start.close_stdout) ::close(1);
  if (!start.directory.empty() && ::chdir(start.directory.c_str()) != 0) ::_exit(121);
  if (start.as_nobody && ::getuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
    ::_exit(122);
  }
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(127);
}

Running::~Running() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string Running::out_so_far() const {
  return std::filesystem::exists(directory_ / "out") ? read_file(directory_ / "out") : "";
}

std::string Running::err_so_far() const {
  return std::filesystem::exists(directory_ / "err") ? read_file(directory_ / "err") : "";
}

void Running::send(int signal) const { send_signal(pid_, signal); }

bool Running::has_ended() const {
  siginfo_t ended{};
  (void)::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
  return ended.si_pid == pid_;
}

Ended Running::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return {out_so_far(), err_so_far(), code};
}

std::filesystem::path dragoman_program() { return binary_dir() / "dragoman"; }

Ended dragoman(const Start& start) { return Running(dragoman_program(), start).wait(); }

}  // namespace dragoman::test
