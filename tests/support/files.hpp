// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::test {

// Where the sources and the build are: for golden inputs, samples and the program under test.
std::filesystem::path source_dir();
std::filesystem::path binary_dir();

// The whole file as bytes. A missing file fails the running test and gives an empty string.
std::string read_file(const std::filesystem::path& path);

// Replaces the file; failing to do so fails the running test.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// A fresh directory, removed with everything in it when the object goes.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The files below `directory` that have these words, as paths from there.
std::vector<std::string> files_with(const std::filesystem::path& directory,
                                    const std::string& words);

}  // namespace dragoman::test
