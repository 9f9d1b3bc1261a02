// SPDX-License-Identifier: Apache-2.0
// What a worker does with one message, and with one answer.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/surface/api.hpp"
#include "dragoman/surface/judge.hpp"
#include "dragoman/surface/worker.hpp"

namespace dragoman::surface {
namespace {

constexpr std::int64_t kEditEvery = 5'000;  // of a run that goes on
constexpr std::int64_t kMostAttempts = 20;

// After the surface has refused a message it is not tried again at once.
std::int64_t refusal_pause(std::int64_t attempts) {
  return std::min<std::int64_t>(30'000LL << std::min<std::int64_t>(attempts, 7), 3'600'000);
}

bool pauses(const Delivery& delivery) {
  return delivery.attempts > 0 && wall_ms() - delivery.edited_at < refusal_pause(delivery.attempts);
}

void count_refusal(Delivery& delivery, std::string why) {
  delivery.error = std::move(why);
  delivery.edited_at = wall_ms();
  if (++delivery.attempts >= kMostAttempts) delivery.state = "failed";
}

}  // namespace

Result<void> Worker::step(Delivery delivery) {
  DRAGOMAN_TRY(const Message message, truth(delivery));
  if (delivery.state == "shown") return edit(delivery, message);
  if (delivery.state == "sending")
    return pauses(delivery) ? Result<void>() : look(delivery, message);
  // Settled before anybody saw it: nothing to say, unless the end itself is the message.
  if (!message.open && message.topic != Topic::completion) {
    delivery.state = "closed";
    DRAGOMAN_TRY(const bool put, outbox_.put(delivery, "not_offered"));
    (void)put;
    return {};
  }
  if (pauses(delivery)) return {};
  return post(delivery, message);
}

// The intent is in the log before the request is on its way.
Result<void> Worker::post(Delivery& delivery, const Message& message) {
  delivery.state = "sending";
  delivery.error.clear();
  DRAGOMAN_TRY(const bool mine, outbox_.put(delivery, "offering"));
  if (!mine) return {};  // another process is at it
  auto id = surface_->offer(message);
  if (id) return posted(delivery, message, *std::move(id));
  Error error = std::move(id).error();
  if (error.reason == http::kUnsure) return error;  // it stays "sending" and is looked for
  delivery.state = "wanted";
  delivery.error = error.message;
  if (error.reason == kRefused) count_refusal(delivery, error.message);
  DRAGOMAN_TRY(const bool put, outbox_.put(delivery, "offer_failed"));
  (void)put;
  if (error.reason == kRefused) return {};  // the others may go through
  return error;
}

// Where looking is refused nobody knows whether it is there: it stays "sending", and the others may
// go through.
Result<void> Worker::look(Delivery& delivery, const Message& message) {
  auto looked = surface_->find(message);
  if (!looked && looked.error().reason == kRefused) {
    count_refusal(delivery, looked.error().message);
    DRAGOMAN_TRY(const bool put, outbox_.put(delivery, "look_failed"));
    (void)put;
    return {};
  }
  DRAGOMAN_TRY(auto found, std::move(looked));
  if (found && message.open) return posted(delivery, message, *std::move(found));
  if (found) {  // it says what was true when it was sent
    delivery.message_id = *std::move(found);
    delivery.state = "shown";
    return edit(delivery, message);
  }
  delivery.state = "wanted";
  DRAGOMAN_TRY(const bool put, outbox_.put(delivery, "offer_not_found"));
  if (put && (message.open || message.topic == Topic::completion)) return post(delivery, message);
  return {};
}

Result<void> Worker::posted(Delivery& delivery, const Message& message, std::string id) {
  delivery.message_id = std::move(id);
  delivery.state = message.open ? "shown" : "closed";
  delivery.digest = digest(message);
  delivery.edited_at = wall_ms();
  delivery.attempts = 0;
  delivery.error.clear();
  DRAGOMAN_TRY(const bool put, outbox_.put(delivery, "offered"));
  (void)put;
  if (message.asks()) open_.push_back({delivery.message_id, message});
  return {};
}

Result<void> Worker::edit(Delivery& delivery, const Message& message) {
  const std::string now = digest(message);
  if (now == delivery.digest && message.open) return {};
  if (message.open && wall_ms() - delivery.edited_at < kEditEvery) return {};
  const Shown shown{delivery.message_id, message};
  auto done = message.open ? surface_->update(shown) : surface_->close(shown);
  if (!done && done.error().reason != kRefused) return std::move(done).error();
  delivery.digest = now;
  delivery.edited_at = wall_ms();
  delivery.error = done ? "" : done.error().message;  // such as: somebody has deleted it
  if (!message.open) delivery.state = "closed";
  DRAGOMAN_TRY(const bool put, outbox_.put(delivery, done ? "edited" : "edit_failed"));
  (void)put;
  return {};
}

Result<void> Worker::take_answers() {
  polled_ = steady_ms();
  DRAGOMAN_TRY(const auto received, outbox_.received());
  for (const Incoming& raw : received) {
    if (const auto incoming = surface_->understand(raw, open_)) {
      DRAGOMAN_CHECK(take(*incoming));
    } else {
      DRAGOMAN_CHECK(outbox_.mark_seen(raw.id));
    }
    DRAGOMAN_CHECK(outbox_.done(raw));
  }
  DRAGOMAN_TRY(const auto found, surface_->answers(open_));
  for (const Incoming& incoming : found) DRAGOMAN_CHECK(take(incoming));
  surface_->taken();
  return {};
}

Result<void> Worker::take(const Incoming& incoming) {
  DRAGOMAN_TRY(const bool known, outbox_.seen(incoming.id));
  if (known) return {};
  DRAGOMAN_TRY(const bool may, surface_->may_answer(incoming));
  if (!may) {
    outbox_.audit("answer_not_allowed", incoming.ref, incoming.by, "");
    return outbox_.mark_seen(incoming.id);
  }
  Verdict verdict;
  if (incoming.ref.empty()) {
    verdict = {Verdict::Kind::refused,
               "several questions are open here; name the one you mean: /answer ID …",
               {}};
  } else {
    DRAGOMAN_TRY(verdict, give_answer(desk_, outbox_, mine_.name, incoming));
  }
  DRAGOMAN_CHECK(outbox_.mark_seen(incoming.id));
  if (verdict.kind == Verdict::Kind::accepted) {
    if (answered_) answered_();
    return {};
  }
  if (auto told = surface_->tell(incoming, verdict.words); !told)
    outbox_.audit("tell_failed", incoming.ref, incoming.by, told.error().message);
  return {};
}

}  // namespace dragoman::surface
