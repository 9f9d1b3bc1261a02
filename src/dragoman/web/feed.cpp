// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/feed.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace dragoman::web {

namespace {

constexpr std::size_t kBatch = 500;             // entries read at once for somebody behind
constexpr std::size_t kLiveBatch = 2000;        // and for everyone
constexpr std::size_t kPieceBytes = 64 * 1024;  // a piece is closed when it is so large
constexpr std::size_t kRecentBytes = 1024 * 1024;
constexpr int kRounds = 4;  // of one reader, before others have their turn
constexpr std::chrono::milliseconds kSlowLook{2000};

bool has_room(const http::Stream& stream, std::size_t size) {
  const std::size_t queued = stream.queued();
  return queued == 0 || queued + size <= kQueueBytes;
}

http::Stream::Piece piece_of(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

std::string resync(std::uint64_t last) {
  return fmt::format("id: {0}\nevent: resync\ndata: {{\"last\":{0}}}\n\n", last);
}

}  // namespace

// Pieces of at most kPieceBytes, unless one event alone is larger.
std::vector<Feed::Sent> Feed::encode(const std::vector<LogEntry>& entries) {
  std::vector<Sent> pieces;
  std::string text;
  std::uint64_t first = 0;
  for (const auto& entry : entries) {
    if (text.empty()) first = entry.seq;
    text += fmt::format("id: {}\nevent: event\ndata: ", entry.seq);
    text.append(entry.body).append("\n\n");
    if (text.size() < kPieceBytes && &entry != &entries.back()) continue;
    pieces.push_back({first, entry.seq, piece_of(std::move(text))});
    text.clear();
  }
  return pieces;
}

Feed::Channel& Feed::channel_of(const std::string& run) {
  auto [found, fresh] = channels_.try_emplace(run);
  Channel& channel = found->second;
  if (fresh) {
    channel.id = run;
    const auto last = log_.last(task::event_stream(run));
    channel.head = last ? *last : 0;
  }
  return channel;
}

void Feed::welcome(Channel& channel, Newcomer& newcomer) {
  do {
    look_at_run(channel);
  } while (channel.more);  // so that its head is the last number there is
  Reader reader;
  reader.stream = std::move(newcomer.stream);
  reader.next = channel.head + 1;
  const Start& start = newcomer.start;
  if (start.kind == Start::Kind::unknown ||
      (start.kind == Start::Kind::number && start.after > channel.head)) {
    ++resyncs_;
    reader.stream->write(resync(channel.head));
  } else if (start.kind == Start::Kind::number) {
    reader.next = start.after + 1;
  }
  if (const auto task = task::find_task(log_, channel.id); task && *task) {
    channel.over = (*task)->terminal();
    channel.state = state_piece(**task);
    reader.stream->write(channel.state);
  }
  reader.behind = !catch_up(channel, reader);
  anyone_behind_ = anyone_behind_ || reader.behind;
  channel.readers.push_back(std::move(reader));
}

// False: there is no room; it stays behind.
bool Feed::give(Channel& channel, Reader& reader, const Sent& sent) {
  if (reader.next > sent.last) return true;
  if (reader.behind || reader.next != sent.first) return catch_up(channel, reader);
  if (!has_room(*reader.stream, sent.piece->size())) return false;
  reader.stream->write(sent.piece);
  reader.next = sent.last + 1;
  return true;
}

bool Feed::catch_up(Channel& channel, Reader& reader) {
  for (int round = 0; reader.next <= channel.head && reader.stream->open(); ++round) {
    if (round == kRounds || !has_room(*reader.stream, kPieceBytes)) return false;
    const auto same = [&](const Sent& sent) { return sent.first == reader.next; };
    const auto recent = std::find_if(channel.recent.begin(), channel.recent.end(), same);
    if (recent != channel.recent.end()) {
      if (!has_room(*reader.stream, recent->piece->size())) return false;
      reader.stream->write(recent->piece);
      reader.next = recent->last + 1;
      continue;
    }
    const std::uint64_t wanted = std::min<std::uint64_t>(kBatch, channel.head - reader.next + 1);
    const auto entries = log_.read(task::event_stream(channel.id), reader.next, wanted);
    if (!entries) return false;
    if (entries->empty() || entries->front().seq != reader.next) {
      // It asked for what the log does not keep any more.
      ++resyncs_;
      reader.stream->write(resync(channel.head));
      reader.next = channel.head + 1;
      break;
    }
    for (const Sent& sent : encode(*entries)) {
      if (!has_room(*reader.stream, sent.piece->size())) return false;
      reader.stream->write(sent.piece);
      reader.next = sent.last + 1;
    }
  }
  if (reader.state_due && channel.state != nullptr) {
    if (!has_room(*reader.stream, channel.state->size())) return false;
    reader.stream->write(channel.state);
    reader.state_due = false;
  }
  return true;
}

void Feed::look_at_run(Channel& channel) {
  channel.more = false;
  for (int round = 0; round < kRounds; ++round) {
    const auto entries = log_.read(task::event_stream(channel.id), channel.head + 1, kLiveBatch);
    if (!entries || entries->empty()) {
      ++channel.looked_in_vain;
      return;
    }
    events_ += entries->size();
    for (Sent& sent : encode(*entries)) {
      channel.head = sent.last;
      for (Reader& reader : channel.readers) {
        reader.behind = !give(channel, reader, sent);
        anyone_behind_ = anyone_behind_ || reader.behind;
      }
      channel.recent_bytes += sent.piece->size();
      channel.recent.push_back(std::move(sent));
      while (channel.recent_bytes > kRecentBytes && !channel.recent.empty()) {
        channel.recent_bytes -= channel.recent.front().piece->size();
        channel.recent.pop_front();
      }
    }
    channel.looked_in_vain = 0;
    channel.more = more_may_follow(*entries, kLiveBatch);
    if (!channel.more) return;
  }
}

// Runs that are over, and where many are watched those that are quiet, are looked at less often.
void Feed::look_at_runs() {
  const auto now = Clock::now();
  const auto many = std::min<std::chrono::milliseconds>(
      options_.pace * static_cast<int>(1 + channels_.size() / 40), std::chrono::milliseconds(500));
  more_waiting_ = false;
  for (auto& [id, channel] : channels_) {
    if (now < channel.next_look && !channel.more) continue;
    look_at_run(channel);
    more_waiting_ = more_waiting_ || channel.more;
    const bool quiet = channel.looked_in_vain > 0;
    channel.next_look = now + (!quiet         ? std::chrono::milliseconds(0)
                               : channel.over ? kSlowLook
                                              : many - options_.pace);
  }
}

void Feed::catch_all_up() {
  anyone_behind_ = false;
  for (auto& [id, channel] : channels_) {
    for (Reader& reader : channel.readers) {
      if (!reader.behind) continue;
      reader.behind = !catch_up(channel, reader);
      anyone_behind_ = anyone_behind_ || reader.behind;
    }
  }
  // Who could not take a change of the overview asks for the whole of it.
  for (Reader& reader : overview_) {
    if (!reader.behind) continue;
    reader.behind = !has_room(*reader.stream, kPieceBytes);
    if (!reader.behind) {
      ++resyncs_;
      reader.stream->write(resync(revision_));
    }
    anyone_behind_ = anyone_behind_ || reader.behind;
  }
}

void Feed::heartbeat() {
  static const Piece kComment = piece_of(":\n\n");
  const auto beat = [](const Reader& reader) {
    if (reader.stream->queued() == 0) reader.stream->write(kComment);
  };
  for (auto& [id, channel] : channels_)
    std::for_each(channel.readers.begin(), channel.readers.end(), beat);
  std::for_each(overview_.begin(), overview_.end(), beat);
}

void Feed::drop_closed() {
  const auto gone = [](const Reader& reader) { return !reader.stream->open(); };
  std::size_t left = 0;
  for (auto channel = channels_.begin(); channel != channels_.end();) {
    std::erase_if(channel->second.readers, gone);
    left += channel->second.readers.size();
    channel = channel->second.readers.empty() ? channels_.erase(channel) : std::next(channel);
  }
  std::erase_if(overview_, gone);
  clients_ = left + overview_.size();
}

void Feed::take_newcomers(std::vector<Newcomer> newcomers) {
  for (Newcomer& newcomer : newcomers) {
    if (newcomer.run.empty()) {
      welcome_to_overview(newcomer);
    } else {
      welcome(channel_of(newcomer.run), newcomer);
    }
    ++clients_;
  }
}

void Feed::work() {
  prepare();
  auto beat_at = Clock::now() + options_.heartbeat;
  for (;;) {
    std::vector<Newcomer> newcomers;
    bool look = false;
    bool drop = false;
    {
      Lock lock(mutex_);
      const auto until =
          Clock::now() + (anyone_behind_ || more_waiting_ ? options_.pace : kSlowLook / 2);
      while (!stop_ && !changed_ && !closed_ && newcomers_.empty() && Clock::now() < until)
        wake_.wait_until(lock.mutex(), until);
      if (stop_) return;
      look = std::exchange(changed_, false);
      drop = std::exchange(closed_, false);
      newcomers.swap(newcomers_);
    }
    if (drop) drop_closed();
    take_newcomers(std::move(newcomers));
    if (look) look_at_overview();
    look_at_runs();
    if (anyone_behind_) catch_all_up();
    if (Clock::now() > beat_at) {
      beat_at = Clock::now() + options_.heartbeat;
      heartbeat();
      drop_closed();
    }
    if (look || anyone_behind_) std::this_thread::sleep_for(options_.pace);
  }
}

// Blocks in the log so that the working thread need not.
void Feed::watch() {
  std::uint64_t seen = 0;
  for (;;) {
    const std::uint64_t now = log_.wait_for_change(seen, std::chrono::milliseconds(200));
    const Lock lock(mutex_);
    if (stop_) return;
    if (now == seen) continue;
    seen = now;
    changed_ = true;
    wake_.notify_all();
  }
}

Feed::Feed(Log& log, FeedOptions options)
    : log_(log), options_(options), costs_(log), watcher_([this] { watch(); }), worker_([this] {
        work();
      }) {}

Feed::~Feed() {
  {
    const Lock lock(mutex_);
    stop_ = true;
    wake_.notify_all();
  }
  watcher_.join();
  worker_.join();
}

void Feed::follow_run(std::string id, Start start, std::shared_ptr<http::Stream> stream) {
  come({std::move(id), start, std::move(stream)});
}

void Feed::follow_overview(Start start, std::shared_ptr<http::Stream> stream) {
  come({{}, start, std::move(stream)});
}

void Feed::come(Newcomer newcomer) {
  newcomer.stream->when({}, [this] {
    const Lock lock(mutex_);
    closed_ = true;
    wake_.notify_all();
  });
  const Lock lock(mutex_);
  newcomers_.push_back(std::move(newcomer));
  wake_.notify_all();
}

FeedStatistics Feed::statistics() const { return {clients_, events_, resyncs_}; }

Totals Feed::totals() const {
  const Lock lock(mutex_);
  return totals_;
}

}  // namespace dragoman::web
