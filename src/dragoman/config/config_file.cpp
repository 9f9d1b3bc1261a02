// SPDX-License-Identifier: Apache-2.0
// The one place that knows toml++.
#include "dragoman/config/config_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace dragoman::config {
namespace {

constexpr std::size_t kLargest = 1 << 20;  // a configuration that long is something else
// A name with so many parts would be as many tables in each other, which are read and removed
// recursively.
constexpr std::ptrdiff_t kMostDots = 4096;

// The beginning of the file, one byte more than there may be; absent: errno says why.
std::optional<std::string> bytes_of(const std::filesystem::path& path, Whose whose) {
  const bool strangers = whose == Whose::strangers;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (strangers ? O_NONBLOCK : 0));
  if (fd < 0) return std::nullopt;
  struct stat info {};
  std::string text;
  int fault = ::fstat(fd, &info) == 0 ? 0 : errno;
  if (fault == 0 && strangers && S_ISDIR(info.st_mode)) fault = EISDIR;
  if (fault == 0 && strangers && !S_ISREG(info.st_mode)) fault = EINVAL;
  std::array<char, 16384> piece{};
  while (fault == 0 && text.size() <= kLargest) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fault = errno;
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  }
  (void)::close(fd);
  errno = fault;
  return fault == 0 ? std::optional(std::move(text)) : std::nullopt;
}

void add_list(const toml::array& array, Assignment& to) {
  for (const toml::node& node : array) {
    const auto* const text = node.as_string();
    if (text == nullptr) return;
    to.texts.push_back(text->get());
  }
  to.kind = Assignment::Kind::list;
}

void add_table(const toml::table& table, const std::string& prefix, std::vector<Assignment>& to) {
  for (const auto& [key, node] : table) {
    std::string name = prefix + std::string(key.str());
    if (const auto* const inner = node.as_table()) {
      add_table(*inner, name + ".", to);
      continue;
    }
    Assignment found{std::move(name), Assignment::Kind::other, {}, node.source().begin.line};
    if (const auto* const text = node.as_string()) {
      found.kind = Assignment::Kind::text;
      found.texts.push_back(text->get());
    } else if (const auto* const flag = node.as_boolean()) {
      found.kind = Assignment::Kind::flag;
      found.texts.emplace_back(flag->get() ? "true" : "false");
    } else if (const auto* const integer = node.as_integer()) {
      found.kind = Assignment::Kind::integer;
      found.texts.push_back(std::to_string(integer->get()));
    } else if (const auto* const array = node.as_array()) {
      add_list(*array, found);
    }
    to.push_back(std::move(found));
  }
}

}  // namespace

Result<std::optional<std::vector<Assignment>>> read_file(const std::filesystem::path& path,
                                                         Whose whose) {
  const auto bytes = bytes_of(path, whose);
  if (!bytes) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::vector<Assignment>>();
    const char* const why = errno == EINVAL ? "it is not a file" : std::strerror(errno);
    return Error{ErrorCode::validation, fmt::format("read {}: {}", path.string(), why),
                 "unreadable"};
  }
  const std::string& text = *bytes;
  if (text.size() > kLargest)
    return Error{ErrorCode::validation, fmt::format("{}: larger than 1 MiB", path.string())};
  if (std::ranges::count(text, '.') > kMostDots)
    return Error{ErrorCode::validation,
                 fmt::format("{}: more than {} dots in it", path.string(), kMostDots)};
  try {
    std::vector<Assignment> found;
    add_table(toml::parse(text), "", found);
    // A table is sorted by name; people read their files by line.
    std::ranges::stable_sort(found, {}, &Assignment::line);
    return std::optional(std::move(found));
  } catch (const toml::parse_error& e) {
    return Error{ErrorCode::validation,
                 fmt::format("{}:{}: {}", path.string(), e.source().begin.line, e.description())};
  }
}

}  // namespace dragoman::config
