// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <vector>

#include <gtest/gtest.h>

namespace dragoman::test {

// While it lives, so many more descriptors can be opened, and no other.
class FewDescriptors {
 public:
  explicit FewDescriptors(int left) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    std::vector<int> free;
    for (int i = 0; i <= left; ++i) free.push_back(::dup(0));
    rlimit few = before_;
    few.rlim_cur = static_cast<rlim_t>(free.back());
    for (const int one : free) ::close(one);
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace dragoman::test
