// SPDX-License-Identifier: Apache-2.0
// A file's bytes where the kernel keeps them, instead of a copy.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dragoman::cli {

// Shows a regular file piece by piece, which saves the copy that read(2) makes. A piece that was
// taken back costs no memory, however long the file is.
//
// Bytes of a mapped file can go away under the hand that reads them, when somebody cuts the file
// off or the disk fails. That is no reason to die: what is gone reads as zeros, and lost() says so.
// One at a time, since that takes a signal handler.
class MappedFile {
 public:
  static constexpr std::size_t kWorthwhile = std::size_t{1}
                                             << 20U;  // below, there is nothing to gain

  // None: too small, already mapping another, or not possible.
  static std::optional<MappedFile> open(int fd);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  // The next bytes, valid until the next call; none at the end: where the file ended when it was
  // opened, or earlier when it has become shorter since.
  [[nodiscard]] std::string_view next();
  // How much was given out: where reading goes on in a file that has grown.
  [[nodiscard]] std::size_t position() const { return position_; }
  // Some of what was given out was no longer there.
  [[nodiscard]] bool lost() const;

 private:
  MappedFile(int fd, const char* bytes, std::size_t size) : fd_(fd), bytes_(bytes), size_(size) {}

  int fd_;
  const char* bytes_;
  std::size_t size_;
  std::size_t position_ = 0;
  std::size_t piece_ = 0;  // where the last one began
};

}  // namespace dragoman::cli
