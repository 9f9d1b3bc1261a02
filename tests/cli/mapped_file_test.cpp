// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/mapped_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "dragoman/cli/io.hpp"
#include "tests/support/files.hpp"

namespace dragoman::cli {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;

// A file of that many bytes, the n-th of which is the n-th letter.
class Letters {
 public:
  explicit Letters(std::size_t size) {
    std::string text(size, ' ');
    for (std::size_t i = 0; i < size; ++i) text[i] = letter(i);
    const std::string path = (dir_.path() / "letters").string();
    test::write_file(path, text);
    fd_ = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  }
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] static char letter(std::size_t i) { return static_cast<char>('a' + i % 23); }

 private:
  test::TempDir dir_;
  Descriptor fd_;
};

TEST(MappedFile, ShowsEveryByteOnce) {
  for (const std::size_t size : {kMegabyte, kMegabyte + 1, 3 * kMegabyte - 1, 5 * kMegabyte}) {
    const Letters letters(size);
    auto file = MappedFile::open(letters.fd());
    ASSERT_TRUE(file) << size;
    std::size_t seen = 0;
    for (std::string_view piece = file->next(); !piece.empty(); piece = file->next()) {
      for (std::size_t i = 0; i < piece.size(); i += 997) {
        ASSERT_EQ(piece[i], Letters::letter(seen + i)) << size << " " << seen + i;
      }
      seen += piece.size();
      ASSERT_EQ(file->position(), seen);
    }
    EXPECT_EQ(seen, size);
    EXPECT_FALSE(file->lost());
  }
}

TEST(MappedFile, LeavesSmallFilesAndOtherPlacesAlone) {
  const Letters small(kMegabyte - 1);
  EXPECT_FALSE(MappedFile::open(small.fd()));
  const Letters large(kMegabyte);
  ASSERT_EQ(::lseek(large.fd(), 7, SEEK_SET), 7);
  EXPECT_FALSE(MappedFile::open(large.fd())) << "somebody has read the start of it already";
  ASSERT_EQ(::lseek(large.fd(), 0, SEEK_SET), 0);
  const auto first = MappedFile::open(large.fd());
  EXPECT_TRUE(first);
  EXPECT_FALSE(MappedFile::open(large.fd())) << "one at a time";
}

TEST(MappedFile, EndsEarlierWhereTheFileHasBecomeShorter) {
  const Letters letters(4 * kMegabyte);
  auto file = MappedFile::open(letters.fd());
  ASSERT_EQ(file->next().size(), kMegabyte);
  ASSERT_EQ(::ftruncate(letters.fd(), 2 * kMegabyte + 5), 0);
  EXPECT_EQ(file->next().size(), kMegabyte);
  EXPECT_EQ(file->next().size(), 5U);
  EXPECT_TRUE(file->next().empty());
  EXPECT_FALSE(file->lost());
}

TEST(MappedFile, BytesThatGoAwayUnderTheHandReadAsZerosAndAreReported) {
  for (const std::size_t left : {std::size_t{0}, std::size_t{5000}, kMegabyte - 1}) {
    const Letters letters(2 * kMegabyte);
    auto file = MappedFile::open(letters.fd());
    const std::string_view piece = file->next();
    ASSERT_EQ(::ftruncate(letters.fd(), static_cast<off_t>(left)), 0);
    EXPECT_EQ(std::count(piece.begin(), piece.end(), '\0'),
              static_cast<std::ptrdiff_t>(piece.size() - left));
    EXPECT_TRUE(file->lost()) << left;
  }
}

}  // namespace
}  // namespace dragoman::cli
