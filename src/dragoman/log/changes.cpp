// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/changes.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

namespace dragoman {

Changes::Changes(const std::string& database) {
  const std::filesystem::path path(database);
  directory_ = path.parent_path().empty() ? "." : path.parent_path().string();
  file_ = path.filename().string() + "-wal";
}

void Changes::begin() {
  inotify_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (inotify_ < 0) return;
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  // The directory, because the write-ahead log comes and goes with its users. A thread that could
  // not be told to end would be waited for without one.
  if (stop_ < 0 || ::inotify_add_watch(inotify_, directory_.c_str(), IN_MODIFY | IN_CREATE) < 0) {
    ::close(inotify_);
    inotify_ = -1;
    return;
  }
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (
      const std::system_error&) {  // changes are looked for ten times a second, as without inotify
    ::close(inotify_);
    inotify_ = -1;
  }
}

Changes::~Changes() {
  if (watcher_.joinable()) {
    const std::uint64_t one = 1;
    (void)!::write(stop_, &one, sizeof one);
    watcher_.join();
  }
  if (stop_ >= 0) ::close(stop_);
  if (inotify_ >= 0) ::close(inotify_);
}

bool Changes::written() {
  alignas(inotify_event) std::array<char, 16 * 1024> buffer{};
  bool ours = false;
  for (ssize_t got = 0; (got = ::read(inotify_, buffer.data(), buffer.size())) > 0;) {
    for (ssize_t at = 0; at < got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      ours = ours || (event->mask & IN_Q_OVERFLOW) != 0 ||
             (event->len > 0 && file_ == static_cast<const char*>(event->name));
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
  return ours;
}

void Changes::watch() {
  // The file is written before the commit is synced and can be read: who looks at once may look too
  // early, so there are a few more looks.
  static constexpr std::array<int, 4> kLookAgain = {2, 8, 32, 128};  // milliseconds
  std::size_t looks = kLookAgain.size();
  for (;;) {
    std::array<pollfd, 2> wait{{{inotify_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    const int timeout = looks < kLookAgain.size() ? kLookAgain.at(looks) : -1;
    const int ready = ::poll(wait.data(), wait.size(), timeout);
    if (ready < 0) continue;
    if (wait[1].revents != 0) return;
    if (ready == 0) {
      ++looks;
      note();
    } else if (written()) {
      looks = 0;
      note();
    }
  }
}

void Changes::note() {
  {
    const Lock lock(mutex_);
    ++count_;
  }
  changed_.notify_all();
}

std::uint64_t Changes::count() {
  std::call_once(begun_, [this] { begin(); });
  const Lock lock(mutex_);
  return count_;
}

std::uint64_t Changes::wait(std::uint64_t seen, std::chrono::milliseconds timeout) {
  std::call_once(begun_, [this] { begin(); });
  // A second look every now and then costs little and covers what inotify cannot see.
  const auto deadline = std::chrono::steady_clock::now() +
                        std::min(timeout, std::chrono::milliseconds(inotify_ < 0 ? 100 : 1000));
  Lock lock(mutex_);
  while (count_ == seen) {
    if (changed_.wait_until(lock.mutex(), deadline) == std::cv_status::timeout) break;
  }
  return count_;
}

}  // namespace dragoman
