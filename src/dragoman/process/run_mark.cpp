// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/run_mark.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "dragoman/process/own_environment.hpp"
#include "dragoman/process/process_table.hpp"

namespace dragoman::process {
namespace {

struct Owner {
  std::uint64_t space = 0;
  pid_t pid = 0;
  std::uint64_t start_time = 0;
};

std::uint64_t own_space() {
  struct stat info {};
  return ::stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

template <class Number>
bool take_number(std::string_view& text, char behind, Number& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (behind == '\0') return text.empty();
  if (!text.starts_with(behind)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<Owner> owner_named(std::string_view mark) {
  Owner owner;
  if (!take_number(mark, '-', owner.space) || !take_number(mark, '-', owner.pid) ||
      !take_number(mark, '\0', owner.start_time) || owner.pid <= 0) {
    return std::nullopt;
  }
  return owner;
}

bool is_dead(const Owner& owner) {
  TableEntry entry;
  if (read_entry(owner.pid, entry)) {
    return entry.start_time != owner.start_time || entry.state == 'Z' || entry.state == 'X';
  }
  return ::kill(owner.pid, 0) != 0 && errno == ESRCH;
}

}  // namespace

std::string own_mark() {
  TableEntry self;
  (void)read_entry(::getpid(), self);
  return fmt::format("{}-{}-{}", own_space(), ::getpid(), self.start_time);
}

void put_run_mark(std::vector<std::string>& environment, const std::string& mark) {
  std::string line(kRunMark);
  for (const std::string& outer : own_environment()) {
    if (outer.starts_with(kRunMark)) line = outer + ":";
  }
  std::erase_if(environment, [](const std::string& one) { return one.starts_with(kRunMark); });
  environment.push_back(line + mark);
}

bool names_the_dead(std::string_view marks) {
  const std::uint64_t space = own_space();
  while (!marks.empty()) {
    const std::size_t colon = std::min(marks.find(':'), marks.size());
    const auto owner = owner_named(marks.substr(0, colon));
    if (owner && owner->space == space && is_dead(*owner)) return true;
    marks.remove_prefix(std::min(colon + 1, marks.size()));
  }
  return false;
}

}  // namespace dragoman::process
