// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/exchange.hpp"

#include <cmath>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/compose.hpp"

namespace dragoman::mcp {

void Exchange::finish(const Response& reply) {
  {
    const Lock lock(mutex_);
    if (finished_) return;
    finished_ = true;
    if (dropped_) return;
  }
  if (reply.error) {
    channel_->finish(compose_error(id(), *reply.error), reply.error->http);
  } else {
    channel_->finish(compose_result(id(), reply.result), 200);
  }
}

void Exchange::cancel() {
  {
    const Lock lock(mutex_);
    over_ = true;
    if (finished_ || dropped_) return;
    dropped_ = true;
  }
  changed_.notify_all();
  channel_->abandon();
}

void Exchange::hurry() {
  {
    const Lock lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
}

bool Exchange::send(std::string_view message) {
  // Sent under the lock: nothing may overtake the answer.
  const Lock lock(mutex_);
  if (finished_ || dropped_) return false;
  channel_->send(message);
  return true;
}

void Exchange::progress(double progress, std::optional<double> total, std::string_view message) {
  if (!wants_progress() || !std::isfinite(progress)) return;
  const Lock lock(mutex_);
  if (finished_ || dropped_) return;
  const bool last = total && progress >= *total;
  const auto now = Clock::now();
  if (told_ && !last && now - last_told_ < settings_.progress_interval) return;
  if (told_ && progress <= last_progress_) {
    if (last) return;  // it has been told to be complete
    progress = last_progress_ + 0.01;
  }
  if (!told_) told_total_ = total.has_value();
  told_ = true;
  last_told_ = now;
  last_progress_ = progress;
  std::string params;
  json::Writer w(params);
  w.begin_object().name("progressToken").raw({this->message().meta.progress_token.raw});
  w.name("progress")
      .number(progress == std::floor(progress) && std::fabs(progress) < 1e15
                  ? json::Number::of(static_cast<std::int64_t>(progress))
                  : json::Number::of(progress));
  if (total) {
    w.name("total").number(*total == std::floor(*total) && std::fabs(*total) < 1e15
                               ? json::Number::of(static_cast<std::int64_t>(*total))
                               : json::Number::of(*total));
  }
  if (!message.empty()) w.name("message").string(message);
  w.end_object();
  channel_->send(compose_notification("notifications/progress", params));
}

void Exchange::log(LogLevel level, std::string_view logger, std::string_view data) {
  if (!settings_.log_from || level < *settings_.log_from) return;
  std::string params;
  json::Writer w(params);
  w.begin_object().name("level").word(name(level));
  if (!logger.empty()) w.name("logger").string(logger);
  w.name("data").raw({data}).end_object();
  (void)send(compose_notification("notifications/message", params));
}

bool Exchange::sleep(std::chrono::milliseconds time) {
  Lock lock(mutex_);
  const auto until = Clock::now() + time;
  while (!over_) {
    const auto now = Clock::now();
    if (now >= until) return true;
    changed_.wait_until(lock.mutex(), until);
  }
  return false;
}

void Exchange::release_stream() {
  const Lock lock(mutex_);
  if (!finished_ && !dropped_) channel_->release();
}

}  // namespace dragoman::mcp
