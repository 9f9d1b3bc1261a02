// SPDX-License-Identifier: Apache-2.0
// Files of a recording: private, appended to, replaced in one step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"

namespace dragoman::record {

class File {
 public:
  File() = default;
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;

  // A new file, 0600; it must not exist.
  [[nodiscard]] static Result<File> create(const std::filesystem::path& path);
  // The same, but made by the first append: what is never written to costs nothing.
  [[nodiscard]] static File when_written(std::filesystem::path path);
  // To be gone on with, or made by the first append; a link is none.
  [[nodiscard]] static Result<File> go_on(const std::filesystem::path& path);
  // The same for a file of lines: half of one at its end is taken away. True: there was one.
  [[nodiscard]] static Result<File> go_on_with_lines(const std::filesystem::path& path, bool& cut);
  // An existing one; a link is none.
  [[nodiscard]] static Result<File> open(const std::filesystem::path& path);

  // How many bytes are in the file now; fewer than all: the error says why.
  struct Appended {
    std::size_t bytes = 0;
    int error = 0;
  };
  [[nodiscard]] Appended append(std::string_view bytes);
  // The same, but none of them when not all fit: a file of lines has whole ones then.
  [[nodiscard]] Appended append_whole(std::string_view bytes);
  // At most `size` bytes from `offset`.
  [[nodiscard]] std::size_t read(char* to, std::size_t size, std::uint64_t offset) const;
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] bool is_open() const { return fd_ >= 0 || !later_.empty(); }

 private:
  explicit File(int fd) : fd_(fd) {}
  int fd_ = -1;
  std::filesystem::path later_;  // of a file that is not made yet
};

// Readers see the old file or the new one, whole. Nothing is synced: a recording survives our death
// in full; of a power cut it may lose what the system had not written yet.
[[nodiscard]] Result<void> replace_file(const std::filesystem::path& path, std::string_view bytes);
// Absent is not an error. A file larger than `most` is one.
[[nodiscard]] Result<std::optional<std::string>> read_whole(const std::filesystem::path& path,
                                                            std::uint64_t most);

}  // namespace dragoman::record
