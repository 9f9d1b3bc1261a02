// SPDX-License-Identifier: Apache-2.0
// Answers of the MCP endpoint: one JSON document, or a stream of events that a legacy client can
// take up again where it lost it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "dragoman/base/mutex.hpp"
#include "dragoman/http/server.hpp"
#include "dragoman/mcp/channel.hpp"

namespace dragoman::web {

[[nodiscard]] http::Response event_stream_head(std::string_view session_id = {});
[[nodiscard]] http::Response mcp_json(int status, std::string body,
                                      std::string_view session_id = {});
[[nodiscard]] http::Response mcp_error(int status, int code, std::string_view message);

// The streams of one legacy session: what was sent on each, kept to be sent again, within a bound.
// Event ids are "<stream>-<number>".
class EventShelf {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
  static constexpr std::size_t kMostStreams = 64;

  // A new stream, with the connection it goes to. Sends the event that makes it resumable.
  [[nodiscard]] std::uint64_t open(std::shared_ptr<http::Stream> to);
  // The stream for what belongs to no request, number 0. One connection has it at a time.
  [[nodiscard]] bool has_standing();
  void open_standing(std::shared_ptr<http::Stream> to);
  void add(std::uint64_t stream, std::string_view message);
  // Its connection ends; what comes later waits for whoever takes the stream up.
  void release(std::uint64_t stream);
  // Nothing follows, or nothing but this.
  void finish(std::uint64_t stream, std::string_view last = {});
  // Sends what came after `event_id` on its stream to `to`, and from now on the rest.
  void resume(std::string_view event_id, const std::shared_ptr<http::Stream>& to);
  // False: not an id of ours, or its stream is forgotten.
  [[nodiscard]] bool knows(std::string_view event_id);
  void keep_alive();
  void close();

 private:
  struct Kept {
    std::uint64_t number = 0;
    http::Stream::Piece piece;
  };
  struct Line {
    std::shared_ptr<http::Stream> to;
    std::deque<Kept> kept;
    std::uint64_t last = 0;
    bool finished = false;
  };
  void prime(std::uint64_t stream, Line& line) DRAGOMAN_REQUIRES(mutex_);
  http::Stream::Piece keep(std::uint64_t stream, Line& line, std::string_view message)
      DRAGOMAN_REQUIRES(mutex_);
  void forget() DRAGOMAN_REQUIRES(mutex_);

  Mutex mutex_;
  std::map<std::uint64_t, Line> lines_ DRAGOMAN_GUARDED_BY(mutex_);
  std::uint64_t last_stream_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
};

// The way back of one POST. It becomes a stream when something is sent ahead of the answer, or when
// the answer takes longer than the call of the handler.
class PostChannel final : public mcp::Channel, public std::enable_shared_from_this<PostChannel> {
 public:
  // `shelf`: of a legacy session.
  PostChannel(http::Reply reply, std::shared_ptr<EventShelf> shelf)
      : reply_(std::move(reply)), shelf_(std::move(shelf)) {}

  // Both before anybody else knows the channel. `closed`: the connection has ended; told once, also
  // after the answer.
  void set_session_id(std::string id) { session_id_ = std::move(id); }
  void set_closed(std::function<void()> closed) { closed_ = std::move(closed); }
  // Becomes a stream unless it is answered already. To be called after the message was handled.
  void become_stream();
  [[nodiscard]] bool is_stream();
  void keep_alive();

  void send(std::string_view message) override;
  void finish(std::string message, int http) override;
  void accept() override;
  void abandon() override;
  void release() override;

 private:
  void open() DRAGOMAN_REQUIRES(mutex_);
  void peer_left();

  std::function<void()> closed_;
  // The stream may tell that it has ended while it is being opened, in the same thread, which holds
  // locks then: that is passed on later.
  std::atomic<std::thread::id> opening_;
  std::atomic<bool> left_ = false;

  Mutex mutex_;
  std::optional<http::Reply> reply_ DRAGOMAN_GUARDED_BY(mutex_);
  const std::shared_ptr<EventShelf> shelf_;
  std::string session_id_;  // set before anybody else knows the channel
  std::shared_ptr<http::Stream> stream_ DRAGOMAN_GUARDED_BY(mutex_);
  std::uint64_t line_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
  bool done_ DRAGOMAN_GUARDED_BY(mutex_) = false;
};

// What belongs to no request, for whoever holds the session's standing stream.
class StandingChannel final : public mcp::Channel {
 public:
  explicit StandingChannel(std::shared_ptr<EventShelf> shelf) : shelf_(std::move(shelf)) {}
  void send(std::string_view message) override { shelf_->add(0, message); }
  void finish(std::string message, int /*http*/) override { send(message); }
  void accept() override {}
  void abandon() override {}

 private:
  const std::shared_ptr<EventShelf> shelf_;
};

}  // namespace dragoman::web
