// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/line_source.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>

#include <fmt/format.h>

namespace dragoman::cli {
namespace {

struct Target {
  boost::asio::io_context& io;
  std::function<void(std::optional<std::string>)> use;
};

// A line that comes after the source is gone has nobody to go to.
void hand_over(const std::shared_ptr<Target>& target, std::optional<std::string> line) {
  boost::asio::post(target->io,
                    [weak = std::weak_ptr<Target>(target), line = std::move(line)]() mutable {
                      if (const auto alive = weak.lock()) alive->use(std::move(line));
                    });
}

void hand_over_lines(const std::shared_ptr<Target>& target, std::string& pending) {
  for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
    hand_over(target, pending.substr(0, end));
    pending.erase(0, end + 1);
  }
}

void read_lines(int fd, int stop, const std::shared_ptr<Target>& target, std::string pending) {
  std::array<char, 4096> buffer;
  hand_over_lines(target, pending);
  while (true) {
    std::array<pollfd, 2> wait = {pollfd{fd, POLLIN, 0}, pollfd{stop, POLLIN, 0}};
    if (::poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) break;
    if (wait[1].revents != 0) return;
    if (wait[0].revents == 0) continue;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    pending.append(buffer.data(), static_cast<std::size_t>(got));
    hand_over_lines(target, pending);
    if (pending.size() > LineSource::kLongestLine) break;
  }
  if (!pending.empty() && pending.size() <= LineSource::kLongestLine) {
    hand_over(target, std::move(pending));
  }
  hand_over(target, std::nullopt);
}

}  // namespace

struct LineSource::Thread {
  std::shared_ptr<Target> target;
  int stop = -1;
  std::jthread reader;
};

LineSource::LineSource(std::unique_ptr<Thread> thread) : thread_(std::move(thread)) {}

Result<std::unique_ptr<LineSource>> LineSource::open(
    boost::asio::io_context& io, int fd, std::function<void(std::optional<std::string>)> use,
    std::string begun) {
  const int stop = ::eventfd(0, EFD_CLOEXEC);
  if (stop < 0) {
    return Error{ErrorCode::internal,
                 fmt::format("nothing can be read from the input: {}", std::strerror(errno))};
  }
  auto thread = std::make_unique<Thread>();
  thread->target = std::make_shared<Target>(Target{io, std::move(use)});
  thread->stop = stop;
  thread->reader =
      std::jthread([fd, stop, target = thread->target, begun = std::move(begun)]() mutable {
        read_lines(fd, stop, target, std::move(begun));
      });
  return std::unique_ptr<LineSource>(new LineSource(std::move(thread)));
}

LineSource::~LineSource() {
  const std::uint64_t one = 1;
  (void)!::write(thread_->stop, &one, sizeof(one));
  thread_->reader.join();
  ::close(thread_->stop);
}

}  // namespace dragoman::cli
