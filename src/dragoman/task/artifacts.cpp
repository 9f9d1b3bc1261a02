// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/artifacts.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "dragoman/base/sha256.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/process/descriptor.hpp"

namespace dragoman::task {

namespace {

using process::Descriptor;

constexpr std::size_t kMostArtifacts = 100;
constexpr std::size_t kLargestHashed = std::size_t{16} << 20U;
constexpr std::size_t kMostHashed = std::size_t{128} << 20U;  // of all of them

Descriptor open_beneath(int directory, const std::string& path) {
  struct open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
  return Descriptor(
      static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof(how))));
}

// All of the file, when it still has that size.
bool read_all(int fd, std::size_t size, std::string& out) {
  out.resize(size);
  for (std::size_t at = 0; at < size;) {
    const ssize_t count = ::read(fd, out.data() + at, size - at);
    if (count <= 0) return false;
    at += static_cast<std::size_t>(count);
  }
  return true;
}

void put_artifact(json::Writer& w, int directory, const std::string& path, std::size_t& hashed) {
  const Descriptor file = open_beneath(directory, path);
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  w.begin_object().name("type").string("file");
  w.name("ref").string(path);
  w.name("size").count(size);
  std::string bytes;
  hashed += size;
  if (size <= kLargestHashed && hashed <= kMostHashed && read_all(file.get(), size, bytes))
    w.name("sha256").string(sha256_hex(bytes));
  w.end_object();
}

}  // namespace

std::string artifacts_of(const std::string& directory, const FileOperations& files) {
  std::vector<std::string> paths = files.added_files;
  paths.insert(paths.end(), files.modified_files.begin(), files.modified_files.end());
  std::sort(paths.begin(), paths.end());
  if (paths.size() > kMostArtifacts) paths.resize(kMostArtifacts);
  std::string out;
  json::Writer w(out);
  w.begin_array();
  const Descriptor root(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root.is_open()) {
    std::size_t hashed = 0;
    for (const auto& path : paths) put_artifact(w, root.get(), path, hashed);
  }
  w.end_array();
  return out;
}

}  // namespace dragoman::task
