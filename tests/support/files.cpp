// SPDX-License-Identifier: Apache-2.0
#include "tests/support/files.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include <gtest/gtest.h>

namespace dragoman::test {

std::filesystem::path source_dir() { return DRAGOMAN_SOURCE_DIR; }

std::filesystem::path binary_dir() { return DRAGOMAN_BINARY_DIR; }

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    ADD_FAILURE() << "cannot read " << path;
    return {};
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) ADD_FAILURE() << "cannot write " << path;
}

std::vector<std::string> files_with(const std::filesystem::path& directory,
                                    const std::string& words) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file() && read_file(entry.path()).find(words) != std::string::npos)
      found.push_back(entry.path().lexically_relative(directory).string());
  }
  return found;
}

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "dragoman-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    ADD_FAILURE() << "cannot make a directory like " << pattern;
    return;
  }
  path_ = pattern;
}

TempDir::~TempDir() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace dragoman::test
