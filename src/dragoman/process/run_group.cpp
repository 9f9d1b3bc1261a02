// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/run_group.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "dragoman/process/run_mark.hpp"

namespace dragoman::process {
namespace {

// dragoman-run-MARK-N
constexpr std::string_view kGroupPrefix = "dragoman-run-";

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The line of version 2 in a /proc/PID/cgroup, "0::/user.slice".
std::string group_in(const std::string& groups) {
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::/")) return line.substr(3);
  }
  return {};
}

// Where the tree of version 2 is mounted as a whole, from /proc/self/mountinfo.
std::string mount_point() {
  std::istringstream lines(text_of("/proc/self/mountinfo"));
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string skipped;
    std::string root;
    std::string where;
    if (fields >> skipped >> skipped >> skipped >> root >> where && root == "/") return where;
  }
  return {};
}

std::string directory_of(const std::string& group) {
  const std::string mounted = group.empty() ? std::string() : mount_point();
  if (mounted.empty()) return {};
  return group == "/" ? mounted : mounted + group;
}

// "MARK" of "dragoman-run-MARK-N"; empty: it is none of ours.
std::string mark_of(std::string_view name) {
  const std::size_t last = name.rfind('-');
  if (!name.starts_with(kGroupPrefix) || last <= kGroupPrefix.size()) return {};
  return std::string(name.substr(kGroupPrefix.size(), last - kGroupPrefix.size()));
}

// The agent may have made groups of its own in it.
void remove_group(const std::string& path) {
  if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return;
  std::error_code failed;
  for (std::filesystem::directory_iterator each(path, failed), end; !failed && each != end;
       each.increment(failed)) {
    std::error_code unknown;
    if (each->is_directory(unknown) && !each->is_symlink(unknown))
      remove_group(each->path().native());
  }
  (void)::rmdir(path.c_str());
}

// Where a killed run and its guard were the last to know of a group, it stays behind.
void remove_abandoned(const std::string& parent) {
  std::error_code failed;
  for (std::filesystem::directory_iterator each(parent, failed), end; !failed && each != end;
       each.increment(failed)) {
    const std::string mark = mark_of(each->path().filename().native());
    if (!mark.empty() && names_the_dead(mark)) remove_group(each->path().native());
  }
}

void kill_all_in(int killer) { (void)!::write(killer, "1", 1); }

}  // namespace

std::unique_ptr<RunGroup> RunGroup::make(const std::string& mark) {
  static std::atomic<unsigned> made = 0;
  const std::string parent = directory_of(group_in(text_of("/proc/self/cgroup")));
  if (parent.empty() || ::access(parent.c_str(), W_OK) != 0) return nullptr;
  const unsigned number = ++made;
  if (number == 1) remove_abandoned(parent);
  std::string path = fmt::format("{}/{}{}-{}", parent, kGroupPrefix, mark, number);
  if (::mkdir(path.c_str(), 0755) != 0) return nullptr;
  Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Descriptor killer(::openat(directory.get(), "cgroup.kill", O_WRONLY | O_CLOEXEC));
  const bool complete = directory.is_open() && killer.is_open();
  std::unique_ptr<RunGroup> group(
      new RunGroup(std::move(path), std::move(directory), std::move(killer)));
  return complete ? std::move(group) : nullptr;
}

RunGroup::RunGroup(std::string path, Descriptor directory, Descriptor killer)
    : path_(std::move(path)), directory_(std::move(directory)), killer_(std::move(killer)) {}

void RunGroup::kill() const { kill_all_in(killer_.get()); }
void RunGroup::remove() const { remove_group(path_); }

std::string mark_in_group(const std::string& groups) {
  if (groups.find(kGroupPrefix) == std::string::npos) return {};  // as of most processes
  for (const auto& name : std::filesystem::path(group_in(groups))) {
    if (std::string mark = mark_of(name.native()); !mark.empty()) return mark;
  }
  return {};
}

void kill_group(const std::string& groups) {
  std::filesystem::path ours;
  for (const auto& name : std::filesystem::path(group_in(groups))) {
    ours /= name;
    if (!mark_of(name.native()).empty()) break;
  }
  const std::string path = directory_of(ours.native());
  const Descriptor killer(::open((path + "/cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC));
  if (killer.is_open()) kill_all_in(killer.get());
  remove_group(path);
}

}  // namespace dragoman::process
