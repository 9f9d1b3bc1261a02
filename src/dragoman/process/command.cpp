// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/command.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

namespace dragoman::process {
namespace {

constexpr std::string_view kUsualPath = "/usr/local/bin:/usr/bin:/bin";

std::string_view path_of(const std::vector<std::string>& environment) {
  for (const std::string& line : environment) {
    if (line.starts_with("PATH=")) return std::string_view(line).substr(5);
  }
  return kUsualPath;
}

// 0, or the errno that execve would give.
int why_not_executable(const std::string& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode)) return EACCES;
  return ::access(file.c_str(), X_OK) == 0 ? 0 : errno;
}

bool is_absent(int error) { return error == ENOENT || error == ENOTDIR; }

Error cannot_execute(const std::string& file, int error) {
  return {is_absent(error) ? ErrorCode::not_found : ErrorCode::unsupported,
          fmt::format("start '{}': {}", file, std::strerror(error))};
}

}  // namespace

Result<std::string> find_program(const std::string& program,
                                 const std::vector<std::string>& environment) {
  if (program.empty()) return Error{ErrorCode::not_found, "start '': no program is named"};
  if (program.find('\0') != std::string::npos) {
    return Error{ErrorCode::validation, "start: the program's name has a NUL byte"};
  }
  if (program.find('/') != std::string::npos) {
    const int error = why_not_executable(program);
    if (error != 0) return cannot_execute(program, error);
    return program;
  }
  std::string_view path = path_of(environment);
  std::string refused;  // found, but not executable: a later directory may do better
  int refusal = 0;
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    const std::string_view directory = path.substr(0, colon);
    path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
    // An empty or relative entry depends on where we are: nothing is run from there by accident.
    if (!directory.starts_with('/')) continue;
    std::string file = fmt::format("{}/{}", directory, program);
    const int error = why_not_executable(file);
    if (error == 0) return file;
    if (!is_absent(error) && refused.empty()) {
      refused = std::move(file);
      refusal = error;
    }
  }
  if (!refused.empty()) return cannot_execute(refused, refusal);
  return Error{ErrorCode::not_found, fmt::format("start '{}': no such program in PATH", program)};
}

int exit_code_of(const Error& start_failure) {
  switch (start_failure.code) {
    case ErrorCode::not_found:
      return 127;
    case ErrorCode::unsupported:
      return 126;
    case ErrorCode::validation:
    case ErrorCode::timeout:
    case ErrorCode::tool_error:
    case ErrorCode::internal:
      return 125;
  }
  return 125;
}

}  // namespace dragoman::process
