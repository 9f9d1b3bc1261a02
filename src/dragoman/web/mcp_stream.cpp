// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/mcp_stream.hpp"

#include <charconv>

#include <fmt/format.h>

#include "dragoman/mcp/compose.hpp"

namespace dragoman::web {
namespace {

// Messages are one line: one data field.
std::string event(std::string_view id, std::string_view message) {
  std::string out;
  out.reserve(message.size() + id.size() + 32);
  if (!id.empty()) out.append("id: ").append(id).append("\n");
  return out.append("event: message\ndata: ").append(message).append("\n\n");
}

std::string event_id(std::uint64_t stream, std::uint64_t number) {
  return fmt::format("{}-{}", stream, number);
}

struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;
};

std::optional<EventId> read_event_id(std::string_view text) {
  EventId id;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, id.stream);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, id.number);
  if (second.ec != std::errc() || second.ptr != end) return std::nullopt;
  return id;
}

}  // namespace

http::Response event_stream_head(std::string_view session_id) {
  http::Response head;
  head.fields.add("Content-Type", "text/event-stream");
  head.fields.add("Cache-Control", "no-cache, no-transform");
  head.fields.add("X-Accel-Buffering", "no");
  if (!session_id.empty()) head.fields.add("Mcp-Session-Id", std::string(session_id));
  return head;
}

http::Response mcp_json(int status, std::string body, std::string_view session_id) {
  http::Response response;
  response.status = status;
  response.fields.add("Content-Type", "application/json");
  if (!session_id.empty()) response.fields.add("Mcp-Session-Id", std::string(session_id));
  response.body = std::move(body);
  return response;
}

http::Response mcp_error(int status, int code, std::string_view message) {
  return mcp_json(status, mcp::compose_error("null", {code, std::string(message)}));
}

void EventShelf::prime(std::uint64_t stream, Line& line) {
  // Empty data: the client remembers the id and is told how soon to come back.
  (void)line.to->write(fmt::format("id: {}\nretry: 500\ndata: \n\n", event_id(stream, line.last)));
}

std::uint64_t EventShelf::open(std::shared_ptr<http::Stream> to) {
  const Lock lock(mutex_);
  const std::uint64_t stream = ++last_stream_;
  Line& line = lines_[stream];
  line.to = std::move(to);
  prime(stream, line);
  forget();
  return stream;
}

bool EventShelf::has_standing() {
  const Lock lock(mutex_);
  const auto found = lines_.find(0);
  return found != lines_.end() && found->second.to && found->second.to->open();
}

void EventShelf::open_standing(std::shared_ptr<http::Stream> to) {
  const Lock lock(mutex_);
  Line& line = lines_[0];
  line.to = std::move(to);
  prime(0, line);
}

http::Stream::Piece EventShelf::keep(std::uint64_t stream, Line& line, std::string_view message) {
  const std::uint64_t number = ++line.last;
  auto piece = std::make_shared<const std::string>(event(event_id(stream, number), message));
  bytes_ += piece->size();
  line.kept.push_back({number, piece});
  return piece;
}

void EventShelf::add(std::uint64_t stream, std::string_view message) {
  const Lock lock(mutex_);
  const auto found = lines_.find(stream);
  if (found == lines_.end()) return;
  const auto piece = keep(stream, found->second, message);
  if (found->second.to) (void)found->second.to->write(piece);
  forget();
}

void EventShelf::forget() {
  // Whole ended streams first, oldest first; then the oldest events of the oldest stream.
  while (lines_.size() > kMostStreams || bytes_ > kMostBytes) {
    auto oldest = lines_.end();
    for (auto it = lines_.begin(); it != lines_.end(); ++it) {
      if (it->second.finished) {
        oldest = it;
        break;
      }
    }
    if (oldest != lines_.end()) {
      for (const Kept& kept : oldest->second.kept) bytes_ -= kept.piece->size();
      lines_.erase(oldest);
      continue;
    }
    bool dropped = false;
    for (auto& [stream, line] : lines_) {
      if (bytes_ <= kMostBytes || line.kept.empty()) continue;
      bytes_ -= line.kept.front().piece->size();
      line.kept.pop_front();
      dropped = true;
      break;
    }
    if (!dropped) return;
  }
}

void EventShelf::release(std::uint64_t stream) {
  const Lock lock(mutex_);
  const auto found = lines_.find(stream);
  if (found == lines_.end() || !found->second.to) return;
  found->second.to->finish();
  found->second.to.reset();
}

void EventShelf::finish(std::uint64_t stream, std::string_view last) {
  const Lock lock(mutex_);
  const auto found = lines_.find(stream);
  if (found == lines_.end()) return;
  Line& line = found->second;
  const auto piece = last.empty() ? nullptr : keep(stream, line, last);
  if (line.to) line.to->finish(piece);
  line.to.reset();
  // Finished only behind that: its own answer is not what has to make room.
  forget();
  line.finished = true;
}

bool EventShelf::knows(std::string_view id) {
  const auto from = read_event_id(id);
  if (!from) return false;
  const Lock lock(mutex_);
  const auto found = lines_.find(from->stream);
  return found != lines_.end() && from->number <= found->second.last;
}

void EventShelf::resume(std::string_view id, const std::shared_ptr<http::Stream>& to) {
  const auto from = read_event_id(id);
  const Lock lock(mutex_);
  const auto found = from ? lines_.find(from->stream) : lines_.end();
  if (found == lines_.end()) return to->finish();
  Line& line = found->second;
  // In one piece: what is kept may be more than a connection's queue takes in several.
  std::string missed;
  for (const Kept& kept : line.kept) {
    if (kept.number > from->number) missed += *kept.piece;
  }
  if (line.finished) return to->finish(std::make_shared<const std::string>(std::move(missed)));
  (void)to->write(std::move(missed));
  // Whoever had it before has lost it: each message goes to one connection.
  if (line.to) line.to->finish();
  line.to = to;
}

void EventShelf::keep_alive() {
  const Lock lock(mutex_);
  for (auto& [stream, line] : lines_) {
    if (line.to && line.to->queued() == 0) (void)line.to->write(std::string(": keep-alive\n\n"));
  }
}

void EventShelf::close() {
  const Lock lock(mutex_);
  for (auto& [stream, line] : lines_) {
    if (line.to) line.to->finish();
  }
  lines_.clear();
  bytes_ = 0;
}

void PostChannel::open() {
  if (stream_ || !reply_) return;
  stream_ = reply_->stream(event_stream_head(session_id_));
  reply_.reset();
  if (!stream_) return;
  if (closed_) {
    opening_ = std::this_thread::get_id();
    stream_->when({}, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->peer_left();
    });
    opening_ = std::thread::id();
  }
  if (shelf_) line_ = shelf_->open(stream_);
}

void PostChannel::peer_left() {
  if (opening_.load() == std::this_thread::get_id()) {
    left_ = true;
  } else {
    closed_();
  }
}

void PostChannel::become_stream() {
  {
    const Lock lock(mutex_);
    if (!done_) open();
  }
  if (left_) closed_();
}

bool PostChannel::is_stream() {
  const Lock lock(mutex_);
  return !done_ && stream_ != nullptr;
}

void PostChannel::keep_alive() {
  const Lock lock(mutex_);
  if (line_ == 0 && stream_ && stream_->queued() == 0) {
    (void)stream_->write(std::string(": keep-alive\n\n"));
  }
}

void PostChannel::send(std::string_view message) {
  const Lock lock(mutex_);
  if (done_) return;
  open();
  if (line_ != 0) {
    shelf_->add(line_, message);
  } else if (stream_) {
    (void)stream_->write(event({}, message));
  }
}

void PostChannel::finish(std::string message, int http) {
  const Lock lock(mutex_);
  if (done_) return;
  done_ = true;
  if (reply_) {
    reply_->send(mcp_json(http, std::move(message), session_id_));
    reply_.reset();
  } else if (line_ != 0) {
    shelf_->finish(line_, message);
  } else if (stream_) {
    stream_->finish(std::make_shared<const std::string>(event({}, message)));
  }
  stream_.reset();
}

void PostChannel::accept() {
  const Lock lock(mutex_);
  if (done_) return;
  done_ = true;
  if (reply_) reply_->send({.status = 202, .fields = {}, .body = {}});
  reply_.reset();
}

void PostChannel::abandon() {
  const Lock lock(mutex_);
  if (done_) return;
  done_ = true;
  if (reply_) reply_->send({.status = 202, .fields = {}, .body = {}});
  reply_.reset();
  if (line_ != 0) shelf_->finish(line_);
  if (line_ == 0 && stream_) stream_->finish();
  stream_.reset();
}

void PostChannel::release() {
  const Lock lock(mutex_);
  if (done_ || !shelf_) return;
  open();
  shelf_->release(line_);
}

}  // namespace dragoman::web
