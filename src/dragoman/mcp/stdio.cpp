// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/stdio.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "dragoman/base/mutex.hpp"
#include "dragoman/mcp/compose.hpp"
#include "dragoman/mcp/session.hpp"

namespace dragoman::mcp {
namespace {

// Whole lines, from any thread. While the reader has more lines to hand on its answers are
// collected, so that many small requests cost one write.
class Lines final : public Channel {
 public:
  explicit Lines(int fd) : fd_(fd) {}

  void send(std::string_view message) override { put(message); }
  void finish(std::string message, int /*http*/) override { put(message); }
  void accept() override {}
  void abandon() override {}

  void hold() { holding_ = true; }
  void let_go() {
    const Lock lock(mutex_);
    holding_ = false;
    flush();
  }
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  // Larger ones would let the peer wait for the last answer before it can do anything with the
  // first: both sides would take turns instead of working at the same time.
  static constexpr std::size_t kPiece = 16 * 1024;

  void put(std::string_view message) {
    const bool reader = std::this_thread::get_id() == reader_;
    const Lock lock(mutex_);
    buffer_.append(message).push_back('\n');
    if (!reader || !holding_ || buffer_.size() >= kPiece) flush();
  }

  void flush() DRAGOMAN_REQUIRES(mutex_) {
    std::string_view rest = buffer_;
    while (!rest.empty() && !broken_) {
      const ssize_t written = ::write(fd_, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        broken_ = true;
      } else {
        rest.remove_prefix(static_cast<std::size_t>(written));
      }
    }
    buffer_.clear();
    if (buffer_.capacity() > 4 * kPiece) buffer_.shrink_to_fit();
  }

  const int fd_;
  const std::thread::id reader_ = std::this_thread::get_id();
  std::atomic<bool> broken_ = false;
  bool holding_ = false;  // the reader's own
  Mutex mutex_;
  std::string buffer_ DRAGOMAN_GUARDED_BY(mutex_);
};

// Cuts what is read into lines; of one that is too long only its length is remembered.
class LineReader {
 public:
  LineReader(Session& session, std::shared_ptr<Lines> lines)
      : session_(session), lines_(std::move(lines)) {}

  void push(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const bool whole = end != std::string_view::npos;
      const std::string_view piece = bytes.substr(0, whole ? end : bytes.size());
      bytes.remove_prefix(whole ? end + 1 : bytes.size());
      if (whole && held_.empty() && !skipping_) {
        take(piece);
        continue;
      }
      if (!skipping_) held_.append(piece);
      if (held_.size() > kMaxMessage) {
        skipping_ = true;
        held_ = std::string();
      }
      if (whole) end_line();
    }
  }

  void finish() {
    if (!held_.empty() || skipping_) end_line();
  }

 private:
  void end_line() {
    if (skipping_) {
      lines_->finish(compose_error("null", {kInvalidRequest,
                                            "Invalid Request: the message is larger than 16 MiB"}),
                     400);
    } else {
      take(held_);
    }
    skipping_ = false;
    held_.clear();
    if (held_.capacity() > 1024 * 1024) held_.shrink_to_fit();
  }

  void take(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    session_.handle(line, lines_);
  }

  Session& session_;
  const std::shared_ptr<Lines> lines_;
  std::string held_;
  bool skipping_ = false;
};

bool idle_within(Session& session, std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (session.in_flight() > 0) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace

StdioEnd serve_stdio(Server& server, int in, int out) {
  const auto lines = std::make_shared<Lines>(out);
  const auto session = Session::make(server, lines);
  LineReader reader(*session, lines);
  constexpr std::size_t kRead = 64 * 1024;
  const auto buffer = std::make_unique<char[]>(kRead);
  while (!lines->broken()) {
    const ssize_t count = ::read(in, buffer.get(), kRead);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    lines->hold();
    reader.push({buffer.get(), static_cast<std::size_t>(count)});
    lines->let_go();
  }
  if (!lines->broken()) reader.finish();
  session->end_input();
  bool idle = idle_within(*session, std::chrono::milliseconds(lines->broken() ? 0 : 1000));
  if (!idle) {
    session->hurry();
    idle = idle_within(*session, 2 * kNotice);
  }
  if (!idle) return StdioEnd::abandoned;
  return lines->broken() ? StdioEnd::broken : StdioEnd::answered;
}

}  // namespace dragoman::mcp
