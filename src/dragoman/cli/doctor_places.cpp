// SPDX-License-Identifier: Apache-2.0
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "dragoman/cli/doctor.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/log/sqlite_schema.hpp"

namespace dragoman::cli {
namespace {

using State = DoctorFinding::State;

DoctorFinding broken(std::string name, std::string detail, std::string mend) {
  return {std::move(name), State::broken, std::move(detail), std::move(mend)};
}

// Why no directory can be made at `path`, which is not there. Root may write everywhere, but not
// where the kernel alone makes the entries.
std::optional<std::string> cannot_make(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::path above = path.parent_path();
  while (!std::filesystem::exists(above, failed) && above != above.parent_path())
    above = above.parent_path();
  if (::access(above.c_str(), W_OK | X_OK) != 0)
    return fmt::format("nothing can be made in {}: {}", above.string(), std::strerror(errno));
  struct statfs system {};
  if (::statfs(above.c_str(), &system) != 0) return std::nullopt;
  if (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC)
    return fmt::format("nothing can be made in {}: the kernel's own", above.string());
  return std::nullopt;
}

// Absent: there is nothing yet.
std::optional<DoctorFinding> look_at_directory(const std::string& name, const std::string& path,
                                               int access) {
  if (path.empty()) return broken(name, "HOME is not set", "export HOME=/home/you");
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return broken(name, fmt::format("{}: {}", path, std::strerror(errno)), "");
  }
  if (!S_ISDIR(info.st_mode))
    return broken(name, path + " is not a directory", fmt::format("mv '{}' '{}.old'", path, path));
  if (::access(path.c_str(), access) != 0)
    return broken(name, fmt::format("{}: {}", path, std::strerror(errno)),
                  fmt::format("chmod u+rwx '{}'", path));
  return DoctorFinding{name, State::ok, path, ""};
}

std::uint32_t big_endian(const char* bytes) {
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number = number << 8U | static_cast<unsigned char>(bytes[i]);
  return number;
}

// What its first bytes say against it. SQLite itself is not asked: it would make files beside it.
std::optional<std::string> fault_in_database(const std::string& path) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  std::array<char, 100> header{};
  std::ifstream file(path, std::ios::binary);
  file.read(header.data(), header.size());
  if (file.gcount() == 0) return "is empty, so something has cut it off";
  if (file.gcount() < static_cast<std::streamsize>(header.size()) ||
      std::string_view(header.data(), kMagic.size()) != kMagic)
    return "is not a database";
  if (big_endian(&header[68]) != kApplicationId) return "is a database of another program";
  if (big_endian(&header[60]) > kSchemaVersion) return "was written by a newer dragoman";
  return std::nullopt;
}

std::string name_another(const std::string& origin) {
  return origin == "--store" ? "name another: --store sqlite:PATH, or --store nats://HOST"
                             : fmt::format("mend {}: sqlite:PATH, or nats://HOST", origin);
}

DoctorFinding look_at_file(const std::string& path, const std::string& origin) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    return broken("store", fmt::format("{}: {}", path, std::strerror(errno)), name_another(origin));
  if (!S_ISREG(info.st_mode))
    return broken("store", path + " is not a regular file", name_another(origin));
  const std::string directory = std::filesystem::path(path).parent_path().string();
  if (::access(path.c_str(), R_OK | W_OK) != 0)
    return broken("store", fmt::format("{}: {}", path, std::strerror(errno)),
                  fmt::format("chmod u+rw '{}'", path));
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
    return broken("store", fmt::format("{}: {}", directory, std::strerror(errno)),
                  fmt::format("chmod u+rwx '{}'", directory));
  if (const auto fault = fault_in_database(path))
    return broken("store", fmt::format("{} {}", path, *fault),
                  fmt::format("mv '{}' '{}.old', or {}", path, path, name_another(origin)));
  return {"store", State::ok, path, ""};
}

}  // namespace

DoctorFinding look_at_configuration(const std::string& path) {
  return look_at_directory("configuration", path, R_OK | X_OK)
      .value_or(DoctorFinding{"configuration", State::ok, path + " (not there yet)", ""});
}

DoctorFinding look_at_state(const std::string& path) {
  if (auto found = look_at_directory("state", path, R_OK | W_OK | X_OK)) return *std::move(found);
  if (const auto why = cannot_make(path))
    return broken("state", fmt::format("{}: {}", path, *why),
                  "export DRAGOMAN_STATE_DIR=/a/directory/of/yours");
  return {"state", State::ok, path + " (not there yet)", ""};
}

DoctorFinding look_at_store_file(const Invocation& invocation, const config::Config& settings) {
  const config::Value& configured = settings.value("store");
  const bool named = invocation.has("store") || !configured.texts.empty();
  const std::string origin = invocation.has("store") || !named ? "--store" : configured.where;
  const auto path = store_path(invocation, settings);
  if (!path) {
    std::string message = path.error().message;
    if (message.starts_with("--store: ")) message.replace(0, 7, origin);
    return broken("store", message, name_another(origin));
  }
  struct stat info {};
  const int error = ::stat(path->c_str(), &info) == 0 ? 0 : errno;
  if (error != ENOENT) return look_at_file(*path, origin);
  const std::string directory = std::filesystem::path(*path).parent_path().string();
  std::error_code unknown;
  // Directories are made where they are missing. That of nobody's choice is the state directory,
  // which has a line of its own.
  const bool there = std::filesystem::exists(directory, unknown);
  if (const auto why = named && !there ? cannot_make(directory) : std::nullopt)
    return broken("store", fmt::format("{}: {}", *path, *why), name_another(origin));
  if (named && there && ::access(directory.c_str(), W_OK | X_OK) != 0)
    return broken("store", fmt::format("{}: {}", directory, std::strerror(errno)),
                  fmt::format("chmod u+rwx '{}'", directory));
  return {"store", State::ok, *path + " (not there yet)", ""};
}

}  // namespace dragoman::cli
