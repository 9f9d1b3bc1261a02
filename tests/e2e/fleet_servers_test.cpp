// SPDX-License-Identifier: Apache-2.0
// Servers of a fleet that die, one by one and all at once, while there is work to do.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/log/nats_jetstream.hpp"
#include "dragoman/log/nats_space.hpp"
#include "tests/e2e/fleet.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using task::Task;

// One numbers the entries of a stream, another one elsewhere reads them, whatever dies meanwhile.
class Ticker {
 public:
  Ticker(const std::string& writes_to, const std::string& reads_from) {
    auto to = open_log(writes_to, "");
    auto from = open_log(reads_from, "");
    EXPECT_TRUE(to && from);
    if (!to || !from) return;
    to_ = *std::move(to);
    from_ = *std::move(from);
    writer_ = std::thread([this] { write(); });
    reader_ = std::thread([this] { read(); });
  }
  ~Ticker() { stop(); }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  // How many there were; the reader has them all.
  std::uint64_t stop() {
    stop_ = true;
    if (writer_.joinable()) writer_.join();
    if (reader_.joinable()) reader_.join();
    return written_;
  }

 private:
  void write() {
    while (!stop_ && written_ < 1'000'000) {
      const std::uint64_t next = written_ + 1;
      const auto done = write_one(*to_, Append{"ticks", {std::to_string(next)}, written_});
      // A refusal says that an earlier try was stored and its answer lost: nobody else writes.
      if (done && (done->applied || done->number == next)) written_ = next;
      let_pass(steady_clock::now() + milliseconds(10));
    }
    over_ = true;
  }
  void read() {
    for (std::uint64_t seen = 0; !over_ || seen < written_;) {
      const auto entries = from_->follow("ticks", seen + 1, 100, milliseconds(200));
      if (!entries) continue;
      for (const auto& entry : *entries) {
        EXPECT_EQ(entry.seq, seen + 1);
        EXPECT_EQ(entry.body, std::to_string(entry.seq));
        seen = entry.seq;
      }
    }
  }

  std::unique_ptr<Log> to_;
  std::unique_ptr<Log> from_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> over_ = false;
  std::atomic<std::uint64_t> written_ = 0;
  std::thread writer_;
  std::thread reader_;
};

class FleetOfDyingServers : public Fleet {
 protected:
  // The server that decides about records and queues; absent while there is none.
  std::optional<std::size_t> leader() {
    auto connection = NatsConnection::open(*parse_nats_url(url_));
    if (!connection) return std::nullopt;
    JetStream stream(*connection);
    const auto state = stream.state(NatsSpace{space_}.bucket_stream());
    if (!state || !*state || (*state)->leader.size() != 2) return std::nullopt;
    return static_cast<std::size_t>((*state)->leader[1] - '0');  // n0, n1, n2
  }
  bool replicas_are_current() {
    auto connection = NatsConnection::open(*parse_nats_url(url_));
    if (!connection) return false;
    JetStream stream(*connection);
    const NatsSpace space{space_};
    for (const auto& name : {space.bucket_stream(), space.event_stream(), space.work_stream()}) {
      const auto state = stream.state(name);
      if (!state || !*state || (*state)->leader.empty() || !(*state)->behind.empty()) return false;
    }
    return true;
  }
  // Until a submit is acknowledged: what is not, may or may not run.
  std::string submit_patiently(const std::string& mark) {
    std::string id;
    EXPECT_TRUE(eventually(
        [&] {
          auto ack = service_->submit(task_of(fmt::format("echo {} >> \"$1\"", mark)));
          if (ack) id = ack->task.id;
          return ack.has_value();
        },
        kLong));
    return id;
  }
  bool has_quorum() { return log_->last("x").has_value() && log_->get("x", "x").has_value(); }
  // Kills one and starts it again. How long the others' work stood still behind the new quorum.
  std::int64_t lose(std::size_t server) {
    cluster_->kill(server);
    EXPECT_TRUE(eventually([&] { return has_quorum(); }, kLong));
    const auto quorum = steady_clock::now();
    (void)end_of(submit_patiently("probe"));
    const std::int64_t stood = milliseconds_since(quorum);
    cluster_->start(server);
    EXPECT_TRUE(cluster_->wait_until_ready());
    // One server at a time: the next one dies when this one has everything again.
    EXPECT_TRUE(eventually([&] { return replicas_are_current(); }, kLong));
    return stood;
  }
  // The task has ended well, its events are there without a gap and end once.
  Task expect_done(const std::string& id) {
    const Task done = end_of(id);
    EXPECT_EQ(done.state, "completed") << done.reason << " " << done.summary;
    std::vector<LogEntry> events;
    EXPECT_TRUE(eventually([&] {
      auto read = log_->read(task::event_stream(id), 1, 1000);
      if (read) events = *std::move(read);
      return read.has_value();
    }));
    std::size_t finished = 0;
    for (std::size_t n = 0; n < events.size(); ++n) {
      EXPECT_EQ(events[n].seq, n + 1);
      finished += events[n].body.find("\"kind\":\"finished\"") != std::string::npos ? 1 : 0;
    }
    EXPECT_GE(finished, 1U);
    EXPECT_LE(finished, static_cast<std::size_t>(done.attempt));
    return done;
  }
};

// N3
TEST_F(FleetOfDyingServers, NothingIsLostOrDoubled) {
  const std::size_t tasks = std::max<std::size_t>(30, scaled(1000));
  const std::size_t kills = std::max<std::size_t>(2, scaled(20));
  for (const char* name : {"a", "b", "c"}) start_worker(name, "2");
  Ticker ticker(cluster_->url_of(0, space_), cluster_->url_of(1, space_));
  std::vector<std::string> ids;
  std::int64_t stood_still = 0;
  for (std::size_t i = 0, killed = 0; i < tasks; ++i) {
    ids.push_back(submit_patiently(fmt::format("task{}.", i)));
    if (killed == kills || i % (tasks / kills) != tasks / kills / 2) continue;
    const auto first = leader();
    const std::size_t server = killed % 2 == 0 && first ? *first : killed % cluster_->size();
    stood_still = std::max(stood_still, lose(server));
    ++killed;
  }
  // All of them, for longer than a lease.
  ids.push_back(submit("sleep 6; echo long >> \"$1\""));
  (void)worker_of(ids.back());
  for (std::size_t i = 0; i < cluster_->size(); ++i) cluster_->kill(i);
  let_pass(steady_clock::now() + milliseconds(tasks < 1000 ? kLeaseMs + 1000 : 10'000));
  for (std::size_t i = 0; i < cluster_->size(); ++i) cluster_->start(i);
  std::map<std::string, std::uint64_t> ends;
  std::size_t reruns = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Task done = expect_done(ids[i]);
    ends[ids[i]] = done.revision;
    reruns += done.attempt > 1 ? 1 : 0;
    if (i + 1 == ids.size()) break;
    const std::size_t ran = ledger_lines(fmt::format("task{}.", i)).size();
    EXPECT_GE(ran, 1U);
    EXPECT_LE(ran, static_cast<std::size_t>(done.attempt));
  }
  EXPECT_TRUE(queue_is_empty());
  EXPECT_GT(ticker.stop(), 0U);
  // Who was late with its result has been refused.
  for (const auto& [id, revision] : ends) EXPECT_EQ(now(id).revision, revision) << id;
  RecordProperty("reruns", static_cast<int>(reruns));
  RecordProperty("work_stood_still_ms", static_cast<int>(stood_still));
}

}  // namespace
}  // namespace dragoman::test
