// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/random.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(Random, NoTwoAreTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(seen.insert(random_bytes(16)).second);
    EXPECT_TRUE(seen.insert(random_hex(16)).second);
    EXPECT_TRUE(seen.insert(std::to_string(random_number())).second);
  }
}

// One call of the system gives at most 256 bytes for certain.
TEST(Random, EveryByteIsFilled) {
  std::string together(100'000, '\0');
  for (int i = 0; i < 16; ++i) {
    const std::string bytes = random_bytes(together.size());
    for (std::size_t at = 0; at < bytes.size(); ++at) together[at] |= bytes[at];
  }
  EXPECT_EQ(together.find('\0'), std::string::npos);
  EXPECT_EQ(random_hex(3).size(), 6U);
  EXPECT_EQ(random_hex(0), "");
}

// From here on the kernel refuses the call.
void refuse_getrandom() {
  std::array<sock_filter, 4> steps = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program = {steps.size(), steps.data()};
  (void)::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) std::exit(1);
}

TEST(Random, WhereThereAreNoneTheProgramEnds) {
  EXPECT_EXIT(
      {
        refuse_getrandom();
        (void)random_bytes(1);
        std::exit(0);
      },
      testing::ExitedWithCode(125), "gives no random bytes");
}

}  // namespace
}  // namespace dragoman
