// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/changes.hpp"

#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/eventually.hpp"
#include "tests/support/few_descriptors.hpp"
#include "tests/support/files.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;

TEST(Changes, WithoutADescriptorToEndItsThreadByItLooksNowAndThen) {
  const TempDir directory;
  auto changes = std::make_unique<Changes>((directory.path() / "log.db").string());
  std::uint64_t seen = 0;
  {
    const FewDescriptors one_for_inotify(1);
    seen = changes->count();
  }
  EXPECT_EQ(changes->wait(seen, 30s), seen) << "whoever waits looks again";
  changes->note();
  EXPECT_NE(changes->wait(seen, 30s), seen);
  const auto ended = std::make_shared<std::atomic<bool>>(false);
  std::thread([ended, gone = std::move(changes)]() mutable {
    gone.reset();
    *ended = true;
  }).detach();
  EXPECT_TRUE(eventually([&] { return ended->load(); }));
}

}  // namespace
}  // namespace dragoman::test
