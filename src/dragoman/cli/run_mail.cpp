// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_mail.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "dragoman/event/json.hpp"

namespace dragoman::cli {

void RunMail::send(process::Stream stream, std::string bytes) {
  if (bytes.empty()) return;
  {
    Lock lock(mutex_);
    while (unread_ > kMostUnread && !abandoned_) taken_.wait(lock.mutex());
    if (abandoned_) return;
    unread_ += bytes.size();
  }
  boost::asio::post(to_, [self = shared_from_this(), stream, bytes = std::move(bytes)] {
    if (self->closed_) return;
    {
      const Lock lock(self->mutex_);
      self->unread_ -= bytes.size();
    }
    self->taken_.notify_all();
    self->calls_.output(stream, bytes);
  });
}

void RunMail::end(task::RunEnd end) {
  boost::asio::post(to_, [self = shared_from_this(), end = std::move(end)] {
    if (self->closed_) return;
    // It may close us.
    const auto ended = std::exchange(self->calls_.ended, nullptr);
    if (ended) ended(end);
  });
}

void RunMail::close() {
  closed_ = true;
  {
    const Lock lock(mutex_);
    abandoned_ = true;
  }
  taken_.notify_all();
}

void Leash::tie(process::KillSwitch agent) {
  const Lock lock(mutex_);
  agent_.emplace(std::move(agent));
  if (pulled_) agent_->pull();
}

void Leash::untie() {
  const Lock lock(mutex_);
  agent_.reset();
}

void Leash::pull() {
  const Lock lock(mutex_);
  pulled_ = true;
  if (agent_) agent_->pull();
}

bool Leash::pulled() {
  const Lock lock(mutex_);
  return pulled_;
}

void EventLines::event(const Event& event) {
  constexpr std::size_t kPiece = 128 * 1024;
  if (event.partial) return;
  append_json(lines_, event);
  lines_.push_back('\n');
  if (plain_text(event) == nullptr || lines_.size() >= kPiece) flush();
}

void EventLines::flush() { mail_.send(process::Stream::stdout_, std::exchange(lines_, {})); }

}  // namespace dragoman::cli
