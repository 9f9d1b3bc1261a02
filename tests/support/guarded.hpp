// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include <gtest/gtest.h>

namespace dragoman::test {

// A copy of some bytes that ends exactly where readable memory ends: reading one byte more kills
// the test, in every build.
class GuardedBytes {
 public:
  explicit GuardedBytes(std::size_t capacity) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    readable_ = (capacity + page) / page * page;
    mapped_ = readable_ + page;
    void* const memory =
        ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    memory_ = static_cast<char*>(memory);
    EXPECT_EQ(::mprotect(memory_ + readable_, page, PROT_NONE), 0);
  }
  ~GuardedBytes() { ::munmap(memory_, mapped_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  // Replaces what an earlier call gave.
  std::string_view put(std::string_view text) {
    char* const to = memory_ + readable_ - text.size();
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

 private:
  char* memory_ = nullptr;
  std::size_t readable_ = 0;
  std::size_t mapped_ = 0;
};

}  // namespace dragoman::test
