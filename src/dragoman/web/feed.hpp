// SPDX-License-Identifier: Apache-2.0
// Event streams for browsers: one cursor on the log for all who look at the same thing.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/http/server.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/web/costs.hpp"
#include "dragoman/web/totals.hpp"
#include "dragoman/web/views.hpp"

namespace dragoman::web {

struct FeedOptions {
  std::chrono::milliseconds pace{20};           // at most one look at the log in this time
  std::chrono::milliseconds heartbeat{15'000};  // a comment to everyone, so that dead ones show
  std::chrono::milliseconds count_every{2000};  // records that are gone show in the count alone
  std::size_t most_replayed = 1000;  // changes of the overview; who missed more is told to resync
};

// What may wait for one reader.
inline constexpr std::size_t kQueueBytes = 384 * 1024;

struct FeedStatistics {
  std::uint64_t clients = 0;
  std::uint64_t events = 0;  // read from the log for streams
  std::uint64_t resyncs = 0;
};

// Law: a reader of a run gets every event from the number it asked for, once and in order, however
// slowly it reads; nothing is held for it but a bounded queue, because the log has it all. A number
// that the log does not have gives one "resync", and the stream goes on behind the last event. A
// slow reader delays nobody.
//
// One thread looks at the log and writes; what several readers are to get is encoded once. The
// server of the streams has to stop before this goes away.
class Feed {
 public:
  explicit Feed(Log& log, FeedOptions options = {});
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  // `from`: the number of the first event, or what Last-Event-ID says, plus one. Not a number:
  // resync.
  struct Start {
    enum class Kind : std::uint8_t { number, now, unknown } kind = Kind::number;
    std::uint64_t after = 0;  // number: everything behind this one
  };
  void follow_run(std::string id, Start start, std::shared_ptr<http::Stream> stream);
  void follow_overview(Start start, std::shared_ptr<http::Stream> stream);

  // Everything up to this revision has been seen: what to follow the overview from.
  [[nodiscard]] std::uint64_t revision() const { return revision_.load(); }
  [[nodiscard]] FeedStatistics statistics() const;
  [[nodiscard]] Totals totals() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Piece = http::Stream::Piece;

  struct Reader {
    std::shared_ptr<http::Stream> stream;
    std::uint64_t next = 1;  // of a run: the first number it has not got
    bool behind = false;     // has to catch up when there is room
    bool state_due = false;  // and to be told the run's state
  };
  // What was sent last is kept, so that readers who are a little behind need no look at the log.
  struct Sent {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    Piece piece;
  };
  struct Channel {
    std::string id;
    std::uint64_t head = 0;  // the last number that was read
    std::deque<Sent> recent;
    std::size_t recent_bytes = 0;
    std::vector<Reader> readers;
    Piece state;
    bool over = false;  // the run has ended
    bool more = false;  // than could be read in one turn
    int looked_in_vain = 0;
    Clock::time_point next_look{};
  };
  struct Newcomer {
    std::string run;  // empty: the overview
    Start start;
    std::shared_ptr<http::Stream> stream;
  };

  // Events of the overview; the last one carries the revision as its id.
  class Events {
   public:
    void add(std::string_view name, std::string_view json);
    [[nodiscard]] bool empty() const { return text_.empty(); }
    [[nodiscard]] Piece piece(std::uint64_t revision) &&;

   private:
    std::string text_;
    std::size_t last_ = 0;  // where the last event begins
  };

  void come(Newcomer newcomer);
  void watch();
  void work();
  void prepare();
  void take_newcomers(std::vector<Newcomer> newcomers);
  void welcome(Channel& channel, Newcomer& newcomer);
  void welcome_to_overview(Newcomer& newcomer);
  void look_at_runs();
  void look_at_run(Channel& channel);
  void look_at_overview();
  [[nodiscard]] std::vector<LogRecord> changed(std::string_view bucket, std::uint64_t& after);
  void see_tasks(const std::vector<LogRecord>& records, Events& out);
  void see_questions(const std::vector<LogRecord>& records, Events& out);
  void tell_state(const task::Task& task);
  void find_removed(Events& out);
  void send_overview(const Piece& piece);
  [[nodiscard]] bool catch_up(Channel& channel, Reader& reader);
  [[nodiscard]] bool give(Channel& channel, Reader& reader, const Sent& sent);
  void catch_all_up();
  void heartbeat();
  void drop_closed();
  [[nodiscard]] std::vector<Sent> encode(const std::vector<LogEntry>& entries);
  [[nodiscard]] std::string run_json(const task::Task& task);
  [[nodiscard]] Piece state_piece(const task::Task& task);
  [[nodiscard]] Channel& channel_of(const std::string& run);

  Log& log_;
  FeedOptions options_;
  Costs costs_;
  std::atomic<std::uint64_t> revision_ = 0;
  std::atomic<std::uint64_t> clients_ = 0;
  std::atomic<std::uint64_t> events_ = 0;
  std::atomic<std::uint64_t> resyncs_ = 0;

  mutable Mutex mutex_;
  Condition wake_;
  std::vector<Newcomer> newcomers_ DRAGOMAN_GUARDED_BY(mutex_);
  Totals totals_ DRAGOMAN_GUARDED_BY(mutex_);
  bool changed_ DRAGOMAN_GUARDED_BY(mutex_) = true;
  bool closed_ DRAGOMAN_GUARDED_BY(mutex_) = false;  // a stream has ended
  bool stop_ DRAGOMAN_GUARDED_BY(mutex_) = false;

  // Of the working thread alone.
  std::unordered_map<std::string, Channel> channels_;
  std::vector<Reader> overview_;
  std::uint64_t tasks_seen_ = 0;
  std::uint64_t questions_seen_ = 0;
  std::unordered_map<std::string, Totals::Counted> known_;  // tasks, by their ids
  OpenQuestions open_;
  bool anyone_behind_ = false;
  bool more_waiting_ = false;  // in the log, for some channel
  Clock::time_point counted_;

  std::thread watcher_;
  std::thread worker_;
};

}  // namespace dragoman::web
