// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/input_queue.hpp"

#include <pthread.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string_view>
#include <utility>

namespace dragoman::process {
namespace {

// write() without the SIGPIPE that would end us. It belongs to the calling thread, so it is kept
// back there and taken away again; what the rest of the program does with SIGPIPE is none of our
// business.
ssize_t write_quietly(int fd, const char* bytes, std::size_t size) {
  sigset_t pipe_only;
  sigset_t before;
  sigset_t waiting;
  (void)::sigemptyset(&pipe_only);
  (void)::sigaddset(&pipe_only, SIGPIPE);
  (void)::sigpending(&waiting);
  const bool was_waiting = ::sigismember(&waiting, SIGPIPE) == 1;
  (void)::pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
  const ssize_t written = ::write(fd, bytes, size);
  const int error = errno;
  if (written < 0 && error == EPIPE && !was_waiting) {
    const timespec at_once{};
    while (::sigtimedwait(&pipe_only, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

// A terminal hands input over by the line, as long as its program has not told it otherwise. This
// hands over what there is of one; where there is nothing, the program reads an end of file.
constexpr char kHandOver = '\x04';
constexpr std::string_view kLineEnds = "\n\x04";
// What it keeps of a line is 4095 bytes; the rest would be gone.
constexpr std::size_t kLongestLine = 4000;

bool reads_by_line(int terminal) {
  termios settings{};
  return ::tcgetattr(terminal, &settings) == 0 && (settings.c_lflag & ICANON) != 0;
}

}  // namespace

InputQueue::InputQueue(boost::asio::io_context& io, Descriptor fd, bool terminal,
                       std::function<void()> drained)
    : pipe_(io), terminal_(terminal), drained_(std::move(drained)) {
  boost::system::error_code ignored;
  if (fd.is_open()) (void)pipe_.assign(fd.release(), ignored);
}

void InputQueue::write(std::string bytes) {
  if (bytes.empty() || closing_ || !pipe_.is_open()) return;
  pending_ += bytes.size();
  mid_line_ = kLineEnds.find(bytes.back()) == std::string_view::npos;
  queue_.push_back(std::move(bytes));
  wait();
}

void InputQueue::close_when_written() {
  if (closing_ || !pipe_.is_open()) return;
  // The second one is the end of file, when the first has to hand a line over.
  if (terminal_) write(std::string(mid_line_ ? 2 : 1, kHandOver));
  closing_ = true;
  if (queue_.empty()) finish();
}

void InputQueue::close() {
  boost::system::error_code ignored;
  (void)pipe_.close(ignored);
  queue_.clear();
  pending_ = 0;
  closing_ = true;
}

// The terminal stays open: its other half is what the output comes from.
void InputQueue::finish() {
  if (!terminal_) close();
}

void InputQueue::wait() {
  if (waiting_) return;
  waiting_ = true;
  pipe_.async_wait(boost::asio::posix::stream_descriptor::wait_write,
                   [self = shared_from_this()](const boost::system::error_code& error) {
                     self->waiting_ = false;
                     if (!error && self->pipe_.is_open()) self->write_some();
                   });
}

// The line has to be handed over before more of it is written.
bool InputQueue::line_is_full() const {
  return line_ >= kLongestLine && queue_.front()[written_] != kHandOver;
}

// Of the front at most a line, where there are lines: how much was written.
ssize_t InputQueue::write_next() {
  const std::string_view rest = std::string_view(queue_.front()).substr(written_);
  if (!terminal_) return write_quietly(pipe_.native_handle(), rest.data(), rest.size());
  if (line_is_full()) {
    if (reads_by_line(pipe_.native_handle())) {
      const ssize_t done = write_quietly(pipe_.native_handle(), &kHandOver, 1);
      if (done <= 0) return done;
    }
    line_ = 0;
  }
  const std::size_t end = rest.find_first_of(kLineEnds);
  const std::size_t line = end == std::string_view::npos ? rest.size() : end + 1;
  const std::size_t size = std::min(line, std::max<std::size_t>(kLongestLine - line_, 1));
  const ssize_t done = write_quietly(pipe_.native_handle(), rest.data(), size);
  if (done <= 0) return done;
  const bool ends = end + 1 == static_cast<std::size_t>(done);
  line_ = ends ? 0 : line_ + static_cast<std::size_t>(done);
  return done;
}

void InputQueue::write_some() {
  while (!queue_.empty()) {
    const std::string& front = queue_.front();
    const ssize_t done = write_next();
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) return wait();
    if (done < 0) return close();  // it does not want to read any more
    written_ += static_cast<std::size_t>(done);
    pending_ -= static_cast<std::size_t>(done);
    if (written_ < front.size()) continue;
    queue_.pop_front();
    written_ = 0;
  }
  if (closing_) finish();
  if (drained_) drained_();
}

}  // namespace dragoman::process
