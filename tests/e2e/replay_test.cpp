// SPDX-License-Identifier: Apache-2.0
// A recorded run in the place of the agent.
#include "tests/e2e/run_support.hpp"

namespace dragoman::test {
namespace {

constexpr std::string_view kSession = R"(#!/bin/sh
read -r prompt
cat <<'EOF'
{"type":"system","subtype":"init","session_id":"11111111-2222-4333-8444-555555555555","cwd":"/w","model":"m","uuid":"u1"}
{"type":"assistant","message":{"id":"1","role":"assistant","content":[{"type":"text","text":"Größe 😀"}],"usage":{"input_tokens":4,"output_tokens":2}},"session_id":"11111111-2222-4333-8444-555555555555","uuid":"u2"}
{"type":"result","subtype":"success","is_error":false,"result":"Größe 😀","session_id":"11111111-2222-4333-8444-555555555555","usage":{"input_tokens":4,"output_tokens":2},"uuid":"u3"}
EOF
cat > /dev/null
)";

class Replay : public ::testing::Test {
 protected:
  void SetUp() override {
    place_.script("claude", std::string(kSession));
    ASSERT_EQ(place_.run({"--as", "quiet", "--record", recording(), "go"}).exit_code, 0);
  }
  [[nodiscard]] std::string recording() const { return (place_.root() / "recorded").string(); }

  // From now on `claude` is the recording, with that fault.
  void stand_in(const std::string& fault) {
    place_.script("claude", "#!/bin/sh\nexec " + dragoman_program().string() + " replay " +
                                recording() + " --as-agent --speed 0" +
                                (fault.empty() ? "" : " --fault " + fault) + " -- \"$@\"\n");
  }
  [[nodiscard]] Ended run(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--as", "json", "--no-record", "--grace", "200ms", "go"});
    return place_.run(std::move(more));
  }

  RunPlace place_;
};

TEST_F(Replay, ShowsTheSameEvents) {
  Start start = place_.start({});
  start.arguments = {"replay", recording(), "--speed", "0", "--as", "json"};
  const Ended ended = dragoman(start);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(of_kind(ended.out, "text").at(0)["text"], "Größe 😀");
}

// Both channels by turns: read from the bytes alone, lines of one are held back until the other is
// done.
TEST_F(Replay, ShowsThemInTheirOrderAndAtTheirTime) {
  const Ended run = place_.run(
      {"--as", "json", "--record", (place_.work() / "rec").string(), "--", "/bin/sh", "-c",
       "for i in 1 2 3; do echo out $i; sleep 0.3; echo err $i >&2; "
       "sleep 0.1; done; echo '[CODEX_COMPLETE] Task completed in 2 iterations'"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  Start start = place_.start({});
  start.arguments = {"replay", (place_.work() / "rec").string(), "--speed", "0", "--as", "json"};
  const Ended played = dragoman(start);
  EXPECT_NE(played.out.find("err 3"), std::string::npos);
  EXPECT_EQ(played.out, run.out);
}

TEST_F(Replay, EndsAsTheRunDid) {
  const Ended run = place_.run({"--as", "json", "--record", (place_.work() / "rec").string(), "--",
                                "/bin/sh", "-c", "echo one; exit 3"});
  Start start = place_.start({});
  start.arguments = {"replay", (place_.work() / "rec").string(), "--speed", "0", "--as", "json"};
  const Ended ended = dragoman(start);
  EXPECT_EQ(verdict_in(run.out), "failed");
  EXPECT_EQ(verdict_in(ended.out), "failed");
}

// It counted from the first output on.
TEST_F(Replay, SaysHowLongTheRunTook) {
  const Ended run = place_.run({"--as", "quiet", "--record", (place_.work() / "rec").string(), "--",
                                "/bin/sh", "-c", "sleep 1.1; echo one"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  Start start = place_.start({});
  start.arguments = {"replay", (place_.work() / "rec").string(), "--speed", "0"};
  const std::string out = dragoman(start).out;
  EXPECT_NE(out.find("completed after 1."), std::string::npos) << out;
}

TEST_F(Replay, RefusesAStartThatIsNone) {
  for (const std::string start_number : {"abc", "1.7", "0", "-1"}) {
    Start start = place_.start({});
    start.arguments = {"replay", recording(), "--as-agent", "--start", start_number};
    const Ended ended = dragoman(start);
    EXPECT_EQ(ended.exit_code, 2) << start_number;
    EXPECT_NE(ended.err.find("is not a whole number from 1 on"), std::string::npos) << ended.err;
  }
}

TEST_F(Replay, StandsInForTheAgent) {
  stand_in("");
  const Ended ended = run();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(of_kind(ended.out, "text").at(0)["text"], "Größe 😀");
  EXPECT_EQ(verdict_in(ended.out), "completed");
}

struct FaultRow {
  std::string fault;
  int exit_code;
  std::string verdict;
  std::vector<std::string> options = {};
};

TEST_F(Replay, WithFaultsGivesTheRightVerdict) {
  const std::vector<FaultRow> table = {
      {"split-utf8", 0, "completed"},
      {"unknown-event", 0, "completed"},
      {"duplicate-usage", 0, "completed"},
      {"huge-line=17000000", 0, "completed"},
      {"orphan", 0, "completed"},
      {"error-exit-zero", 1, "failed"},
      {"cut=150", 1, "incomplete"},
      {"hang-after-result", 0, "completed", {"--after-result", "300ms"}},
      {"hang-on-stdin", 124, "timeout", {"--idle-timeout", "300ms"}},
  };
  for (const FaultRow& row : table) {
    stand_in(row.fault);
    const Ended ended = run(row.options);
    EXPECT_EQ(ended.exit_code, row.exit_code) << row.fault << "\n" << ended.err;
    EXPECT_EQ(verdict_in(ended.out), row.verdict) << row.fault;
  }
}

TEST_F(Replay, CountsRepeatedUsageOnce) {
  stand_in("duplicate-usage");
  const Ended ended = run();
  EXPECT_EQ(of_kind(ended.out, "usage").size(), 2U) << ended.out;
}

}  // namespace
}  // namespace dragoman::test
