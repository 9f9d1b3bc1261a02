// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/file_change.hpp"

#include <sys/stat.h>

namespace dragoman::cli {

Change change_of(const std::string& path, const Input& input, std::uint64_t read) {
  struct stat open {};
  (void)::fstat(input.fd(), &open);
  const auto size = static_cast<std::uint64_t>(open.st_size);
  if (size > read) return Change::grown;
  if (size < read) return Change::cut_off;
  if (path == "-") return Change::none;  // stdin, whatever file has that name
  struct stat named {};
  if (::stat(path.c_str(), &named) != 0) return Change::none;
  const bool same = named.st_dev == open.st_dev && named.st_ino == open.st_ino;
  return same ? Change::none : Change::replaced;
}

}  // namespace dragoman::cli
