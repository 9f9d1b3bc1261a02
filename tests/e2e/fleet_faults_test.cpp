// SPDX-License-Identifier: Apache-2.0
// Workers that die, freeze, are cut off or are wrong about the time.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/e2e/fleet.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using task::Task;

// Of a file with a time in each line; who wrote it may have been killed in the middle of one.
std::int64_t last_time(const std::string& path) {
  std::istringstream in(read_file(path));
  std::int64_t last = 0;
  for (std::int64_t time = 0; in >> time;) last = std::max(last, time);
  return last;
}

// N1
TEST_F(Fleet, AWorkerThatIsKilledIsReplaced) {
  const std::size_t rounds = std::max<std::size_t>(2, scaled(100));
  start_worker("a", "1");
  start_worker("b", "1");
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string mark = fmt::format("mark{}", round);
    const std::string id =
        submit(fmt::format("echo {0} begun >> \"$1\"; sleep 2; echo {0} ended >> \"$1\"", mark));
    const std::string victim = worker_of(id);
    ASSERT_TRUE(workers_.contains(victim)) << victim;
    ASSERT_TRUE(eventually([&] { return !ledger_lines(mark + " begun").empty(); }));
    workers_[victim]->send(SIGKILL);
    const auto killed = std::chrono::steady_clock::now();
    ASSERT_TRUE(eventually([&] { return ledger_lines(mark + " begun").size() == 2; }, kLong));
    const auto waited = std::chrono::steady_clock::now() - killed;
    EXPECT_LE(waited, std::chrono::milliseconds(kLeaseMs + 30'000)) << "round " << round;
    const Task done = end_of(id);
    EXPECT_EQ(done.state, "completed");
    EXPECT_EQ(done.attempt, 2);
    EXPECT_NE(done.worker, victim);
    EXPECT_EQ(ledger_lines(mark + " ended").size(), 1U);
    start_worker(victim, "1");
  }
  EXPECT_TRUE(queue_is_empty());
}

// N2
TEST_F(Fleet, AFrozenWorkerWritesNothingWhenItWakes) {
  const std::size_t rounds = std::max<std::size_t>(1, scaled(50));
  start_worker("a", "1");
  start_worker("b", "1");
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string mark = fmt::format("mark{}", round);
    // The first attempt would go on for ever, the second is quick.
    const std::string id = submit(fmt::format(
        "echo {0} begun $$ >> \"$1\"; [ $(grep -c '{0} begun' \"$1\") = 1 ] && sleep 1000; exit 0",
        mark));
    const std::string frozen = worker_of(id);
    ASSERT_TRUE(workers_.contains(frozen)) << frozen;
    ASSERT_TRUE(eventually([&] { return !ledger_lines(mark + " begun").empty(); }));
    workers_[frozen]->send(SIGSTOP);
    const Task done = end_of(id);
    EXPECT_EQ(done.state, "completed");
    EXPECT_EQ(done.attempt, 2);
    EXPECT_NE(done.worker, frozen);
    const auto events = log_->last(task::event_stream(id));
    const pid_t stale = std::stoi(ledger_lines(mark + " begun")[0].substr(mark.size() + 7));
    ASSERT_GT(stale, 1);
    EXPECT_EQ(::kill(stale, 0), 0);  // nobody could end it meanwhile
    workers_[frozen]->send(SIGCONT);
    const auto woken = std::chrono::steady_clock::now();
    EXPECT_TRUE(eventually([&] { return ::kill(stale, 0) != 0; }));
    RecordProperty(fmt::format("stale_child_ms_{}", round),
                   static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                        std::chrono::steady_clock::now() - woken)
                                        .count()));
    // It works on under the same name, and has changed nothing.
    EXPECT_EQ(end_of(submit("exit 0")).state, "completed");
    const Task after = now(id);
    EXPECT_EQ(after.revision, done.revision);
    EXPECT_EQ(*log_->last(task::event_stream(id)), *events);
  }
}

// N4: nobody can be reached, from the worker's side.
TEST_F(Fleet, AWorkerOutOfReachEndsItsAgentsBeforeTheirLeasesEnd) {
  start_worker("a", "3");
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(submit(
        fmt::format("echo begun{0} >> \"$1\"; [ $(grep -c begun{0} \"$1\") = 2 ] && exit 0; "
                    "while :; do date +%s%3N >> \"$1.alive{0}\"; echo word; sleep 0.05; done",
                    i)));
  }
  const auto sign = [&](int i) { return fmt::format("{}.alive{}", ledger().string(), i); };
  ASSERT_TRUE(eventually([&] {
    return std::filesystem::exists(sign(0)) && std::filesystem::exists(sign(1)) &&
           std::filesystem::exists(sign(2));
  }));
  // A heartbeat is sent every quarter of a lease: the last one that arrived was before this moment.
  for (std::size_t i = 0; i < cluster_->size(); ++i) cluster_->send(i, SIGSTOP);
  const auto cut = time_of_day();
  const auto alive = [&] {
    std::int64_t last = 0;
    for (int i = 0; i < 3; ++i) last = std::max<std::int64_t>(last, last_time(sign(i)));
    return last;
  };
  ASSERT_TRUE(eventually([&] {
    const auto here = time_of_day();
    return here - alive() > 1000 && here - cut > kLeaseMs;
  }));
  EXPECT_LT(alive(), cut + kLeaseMs);
  RecordProperty("agents_ended_after_ms", static_cast<int>(alive() - cut));
  for (std::size_t i = 0; i < cluster_->size(); ++i) cluster_->send(i, SIGCONT);
  // The same worker is back, and begins again.
  for (const auto& id : ids) {
    const Task done = end_of(id);
    EXPECT_EQ(done.state, "completed");
    EXPECT_EQ(done.attempt, 2);
    EXPECT_EQ(done.worker, "a");
  }
}

// A network of its own for one worker, with a cable that can be cut. Absent where that is not
// permitted.
class Cable {
 public:
  static constexpr const char* kHost = "10.213.77.1";
  static constexpr const char* kWorker = "10.213.77.2";

  Cable() {
    name_ = fmt::format("dgm{}", ::getpid() % 100000);
    good_ = ip("netns add " + name_) &&
            ip(fmt::format("link add {0}h type veth peer name {0}w netns {0}", name_)) &&
            ip(fmt::format("addr add {}/30 dev {}h", kHost, name_)) &&
            ip(fmt::format("link set {}h up", name_)) &&
            ip(fmt::format("-n {0} addr add {1}/30 dev {0}w", name_, kWorker)) &&
            ip(fmt::format("-n {0} link set {0}w up", name_)) &&
            ip(fmt::format("-n {} link set lo up", name_));
  }
  ~Cable() {
    (void)ip(fmt::format("link del {}h", name_));
    (void)ip("netns del " + name_);
  }
  Cable(const Cable&) = delete;
  Cable& operator=(const Cable&) = delete;

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  enum class Fault : std::uint8_t {
    cut,   // nothing goes either way
    mute,  // what the worker says is lost
    deaf,  // it is heard, and hears nothing
  };
  bool begin(Fault fault) { return change(fault, "add", "down"); }
  bool mend(Fault fault) { return change(fault, "del", "up"); }

 private:
  bool change(Fault fault, const char* route, const char* link) {
    switch (fault) {
      case Fault::cut:
        return ip(fmt::format("link set {}h {}", name_, link));
      case Fault::mute:
        return ip(fmt::format("-n {} route {} blackhole {}/32", name_, route, kHost));
      case Fault::deaf:
        return ip(fmt::format("route {} blackhole {}/32", route, kWorker));
    }
    return false;
  }
  static bool ip(const std::string& words) {
    return std::system(("ip " + words + " 2>/dev/null").c_str()) == 0;
  }
  std::string name_;
  bool good_ = false;
};

// N4: out of reach for three leases, in each direction; then it is mended.
TEST_F(Fleet, AWorkerBehindABrokenCableEndsItsAgentAndOthersTakeOver) {
  Cable cable;
  if (!cable.good()) GTEST_SKIP() << "network namespaces are not permitted here";
  begin(std::make_unique<NatsCluster>(3, Cable::kHost));
  start_worker("far", WorkerOptions{.labels = {"site=far"}, .network = cable.name()});
  const std::size_t rounds = std::max<std::size_t>(1, scaled(9));
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto fault = static_cast<Cable::Fault>(round % 3);
    const std::string file = fmt::format("{}.{}", ledger().string(), round);
    const std::string id = submit(fmt::format(
        "echo begun{0}. >> \"$1\"; [ $(grep -c 'begun{0}[.]' \"$1\") = 2 ] && {{ date +%s%3N > "
        "{1}.second; exit 0; }}; while :; do date +%s%3N >> {1}.alive; sleep 0.05; done",
        round, file));
    ASSERT_EQ(worker_of(id), "far");
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(file + ".alive"); }));
    start_worker("near");
    ASSERT_TRUE(cable.begin(fault));
    const auto broken = steady_clock::now();
    const Task done = end_of(id);
    EXPECT_EQ(done.state, "completed");
    EXPECT_EQ(done.worker, "near");
    EXPECT_EQ(done.attempt, 2);
    const auto last_sign = last_time(file + ".alive");
    const auto second = last_time(file + ".second");
    EXPECT_LT(last_sign, second);  // one agent at a time
    RecordProperty(fmt::format("ms_between_the_two_{}", round),
                   static_cast<int>(second - last_sign));
    let_pass(broken + milliseconds(3 * kLeaseMs));
    ASSERT_TRUE(cable.mend(fault));
    // It is back at work, and has changed nothing of what it lost.
    Task there;
    there.needs = {"site=far"};
    EXPECT_EQ(end_of(submit("exit 0", there)).worker, "far");
    EXPECT_EQ(now(id).revision, done.revision);
    EXPECT_EQ(ledger_lines(fmt::format("begun{}.", round)).size(), 2U);
    workers_.erase("near");
  }
}

// N5: whatever workers take for the time of day, leases are judged by the servers' clock.
TEST_F(Fleet, WorkersWithWrongClocksTakeNothingEarlyAndNothingLate) {
  start_worker("ahead", WorkerOptions{.capacity = "2", .clock_wrong_by = 600});
  start_worker("behind", WorkerOptions{.capacity = "2", .clock_wrong_by = -600});
  // Longer than a lease: nobody takes it from who has it.
  std::vector<std::string> slow;
  for (int i = 0; i < 4; ++i)
    slow.push_back(submit(fmt::format("sleep 6; echo slow{} >> \"$1\"", i)));
  const std::size_t count = std::max<std::size_t>(20, scaled(1000));
  std::vector<std::string> quick;
  for (std::size_t i = 0; i < count; ++i)
    quick.push_back(submit(fmt::format("echo quick{}. >> \"$1\"", i)));
  std::set<std::string> workers;
  for (const auto& id : slow) {
    const Task done = end_of(id);
    EXPECT_EQ(done.attempt, 1);
    workers.insert(done.worker);
  }
  EXPECT_EQ(workers, (std::set<std::string>{"ahead", "behind"}));
  EXPECT_EQ(ledger_lines("slow").size(), 4U);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(end_of(quick[i]).attempt, 1);
    EXPECT_EQ(ledger_lines(fmt::format("quick{}.", i)).size(), 1U);
  }
  // A dead one's task is taken when its lease has ended, neither before nor long after.
  for (const char* victim : {"ahead", "behind"}) {
    const std::string other = victim == std::string("ahead") ? "behind" : "ahead";
    workers_[other]->send(SIGSTOP);
    const std::string id = submit(
        fmt::format("echo {0} >> \"$1\"; [ $(grep -c {0} \"$1\") = 2 ] || sleep 100", victim));
    ASSERT_EQ(worker_of(id), victim);
    ASSERT_TRUE(eventually([&] { return !ledger_lines(victim).empty(); }));
    workers_[victim]->send(SIGKILL);
    const auto killed = steady_clock::now();
    workers_[other]->send(SIGCONT);
    const Task done = end_of(id);
    EXPECT_EQ(done.worker, other);
    EXPECT_EQ(done.attempt, 2);
    const std::int64_t waited = milliseconds_since(killed);
    EXPECT_GE(waited, kLeaseMs * 3 / 4 - 200);  // since its last heartbeat
    EXPECT_LE(waited, kLeaseMs + 30'000);
    RecordProperty(fmt::format("taken_over_from_{}_after_ms", victim), static_cast<int>(waited));
    start_worker(victim,
                 WorkerOptions{.capacity = "2", .clock_wrong_by = other == "behind" ? 600 : -600});
  }
}

}  // namespace
}  // namespace dragoman::test
