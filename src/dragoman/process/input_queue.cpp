// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/input_queue.hpp"

#include <pthread.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <csignal>
#include <ctime>
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

}  // namespace

InputQueue::InputQueue(boost::asio::io_context& io, Descriptor fd, bool terminal,
                       std::function<void()> drained)
    : pipe_(io), terminal_(terminal), drained_(std::move(drained)) {
  boost::system::error_code ignored;
  if (fd.is_open()) pipe_.assign(fd.release(), ignored);
}

void InputQueue::write(std::string bytes) {
  if (bytes.empty() || closing_ || !pipe_.is_open()) return;
  pending_ += bytes.size();
  queue_.push_back(std::move(bytes));
  wait();
}

void InputQueue::close_when_written() {
  if (closing_ || !pipe_.is_open()) return;
  if (terminal_) write(std::string(1, '\x04'));  // its line discipline makes an end of file of it
  closing_ = true;
  if (queue_.empty()) finish();
}

void InputQueue::close() {
  boost::system::error_code ignored;
  pipe_.close(ignored);
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

void InputQueue::write_some() {
  while (!queue_.empty()) {
    const std::string& front = queue_.front();
    const ssize_t done =
        write_quietly(pipe_.native_handle(), front.data() + written_, front.size() - written_);
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
