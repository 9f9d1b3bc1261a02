// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/run_id.hpp"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(RunId, HasEightLettersThatAreNotTakenForOthers) {
  EXPECT_TRUE(is_run_id("r-k3vqm2xa"));
  for (const char* bad : {"", "r-", "r-k3vqm2x", "r-k3vqm2xab", "r-K3VQM2XA", "r-k3vqm0x1",
                          "T-local-k3vqm2xa", "k3vqm2xa", "r-k3vq/2xa"})
    EXPECT_FALSE(is_run_id(bad)) << bad;
}

TEST(RunId, OfTheDelegatorsToolsIsOfAnyLength) {
  for (const char* good : {"T-local-abc", "T-local-mwo20d237dye8bc55iafvq0g", "T-cloud-abc"})
    EXPECT_TRUE(is_task_id(good)) << good;
  for (const char* bad : {"", "T-local-", "T-local-a", "T-local-a'; --", "X-local-abc"})
    EXPECT_FALSE(is_task_id(bad)) << bad;
}

TEST(RunId, AndItsTaskIdSayEachOther) {
  EXPECT_EQ(task_id_of("r-k3vqm2xa"), "T-local-k3vqm2xa");
  EXPECT_EQ(run_id_of("T-local-k3vqm2xa"), "r-k3vqm2xa");
  for (const char* same :
       {"T-local-mwo20d237dye8bc55iafvq0g", "T-cloud-k3vqm2xa", "r-k3", "x", ""}) {
    EXPECT_EQ(task_id_of(same), same);
    EXPECT_EQ(run_id_of(same), same);
  }
}

TEST(RunId, IsTheNameOfADirectoryWhateverTheAttempt) {
  EXPECT_EQ(run_id_in("r-k3vqm2xa"), "r-k3vqm2xa");
  EXPECT_EQ(run_id_in("r-k3vqm2xa-2"), "r-k3vqm2xa");
  EXPECT_EQ(run_id_in("T-local-mwo20d237dye8bc5-12"), "T-local-mwo20d237dye8bc5");
  for (const char* none : {"", "first", "20261115-100522-3f9a0c17", "r-k3vqm2xa-", "r-k3vqm2xa-b"})
    EXPECT_EQ(run_id_in(none), "") << none;
}

}  // namespace
}  // namespace dragoman
