// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_follower.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace dragoman {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kBatch = 500;
constexpr milliseconds kHeartbeat(500);
constexpr milliseconds kSilence(1600);  // three heartbeats and a bit: the consumer is gone
constexpr milliseconds kPause(100);

constexpr std::int64_t kNoConsumer = 10014;

struct Delivery {
  std::uint64_t seq = 0;
  std::uint64_t met = 0;  // the consumer's own number
  std::int64_t time_ms = 0;
};

// $JS.ACK.stream.consumer.delivered.seq.number.nanoseconds.pending, or with domain and account
// behind ACK and one more word at the end.
std::optional<Delivery> read_delivery(std::string_view reply) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= reply.size();) {
    const std::size_t end = std::min(reply.find('.', at), reply.size());
    words.push_back(reply.substr(at, end - at));
    at = end + 1;
  }
  if (words.size() < 9 || words[1] != "ACK") return std::nullopt;
  const std::size_t base = words.size() == 9 ? 5 : 7;
  if (words.size() < base + 3) return std::nullopt;
  const auto number = [&](std::size_t i) {
    std::uint64_t value = 0;
    std::from_chars(words[i].data(), words[i].data() + words[i].size(), value);
    return value;
  };
  return Delivery{number(base), number(base + 1),
                  static_cast<std::int64_t>(number(base + 2) / 1'000'000)};
}

}  // namespace

std::uint64_t a_little_before(std::uint64_t seq) {
  constexpr std::uint64_t kOnceMore = 256;  // messages of the stream, whatever their subjects
  return seq > kOnceMore ? seq - kOnceMore : 1;
}

NatsFollower::NatsFollower(JetStream& stream, FollowerOptions options)
    : stream_(stream),
      options_(std::move(options)),
      next_(options_.from),
      thread_([this] { work(); }) {}

NatsFollower::~NatsFollower() {
  stop_ = true;
  moved_.notify_all();
  thread_.join();
  std::string consumer;
  {
    const Lock lock(mutex_);
    consumer = consumer_;
  }
  // Nobody needs it any more; should this not arrive, the server forgets it by itself.
  if (!consumer.empty()) {
    (void)stream_.connection().publish(
        fmt::format("$JS.API.CONSUMER.DELETE.{}.{}", options_.stream, consumer), "_", "");
  }
}

void NatsFollower::work() {
  while (!stop_) {
    if (begin()) {
      while (!stop_ && receive()) {
      }
    }
    {
      const Lock lock(mutex_);
      consumer_.clear();
    }
    moved_.notify_all();
    if (stop_) return;
    Lock lock(mutex_);
    moved_.wait_for(lock.mutex(), kPause);
  }
}

bool NatsFollower::begin() {
  auto inbox = stream_.connection().inbox();
  if (!inbox) return false;
  inbox_ = *std::move(inbox);
  auto made = stream_.api(
      "CONSUMER.CREATE." + options_.stream,
      fmt::format(
          R"({{"stream_name":"{}","config":{{"deliver_policy":"by_start_sequence",)"
          R"("opt_start_seq":{},"ack_policy":"none","filter_subject":"{}","headers_only":{},)"
          R"("inactive_threshold":30000000000,"num_replicas":1,"mem_storage":true}}}})",
          options_.stream, std::max(options_.from, a_little_before(next_)), options_.filter,
          options_.headers_only));
  if (!made) return false;
  met_ = 0;
  outstanding_ = 0;
  {
    const Lock lock(mutex_);
    consumer_ = json_text(json_member(*made, "name"));
    gone_ = false;
    taken_ = 0;
  }
  return true;
}

bool NatsFollower::pull() {
  std::string subject;
  {
    const Lock lock(mutex_);
    subject = fmt::format("$JS.API.CONSUMER.MSG.NEXT.{}.{}", options_.stream, consumer_);
  }
  const std::string request =
      fmt::format(R"({{"batch":{},"expires":20000000000,"idle_heartbeat":{}}})", kBatch,
                  std::chrono::nanoseconds(kHeartbeat).count());
  outstanding_ = kBatch;
  return stream_.connection().publish(subject, inbox_->subject(), request).has_value();
}

NatsFollower::Met NatsFollower::meet(NatsMessage raw, std::vector<JetMessage>& batch) {
  const std::string_view status = raw.header("Status");
  if (!status.empty() && raw.reply.empty()) {
    if (status == "100") return Met::alive;
    // 404 nothing there, 408 the time is up: ask again. Anything else: begin again.
    return status == "404" || status == "408" ? Met::end_of_pull : Met::gap;
  }
  const auto delivery = read_delivery(raw.reply);
  if (!delivery || delivery->met != met_ + 1) return Met::gap;
  met_ = delivery->met;
  stream_.clock().saw(delivery->time_ms);
  batch.push_back({std::move(raw.subject), delivery->seq, delivery->time_ms, std::move(raw.headers),
                   std::move(raw.data)});
  return Met::message;
}

bool NatsFollower::receive() {
  if (outstanding_ == 0 && !pull()) return false;
  std::vector<JetMessage> batch;
  // Waits in short pieces, so that the end of the object is not a long one.
  for (milliseconds waited(0); batch.empty();) {
    auto raw = inbox_->next(milliseconds(200));
    if (!raw || stop_ || is_gone()) return false;
    if (!*raw) {
      waited += milliseconds(200);
      if (waited >= kSilence) return false;
      continue;
    }
    waited = milliseconds(0);
    const Met met = meet(**std::move(raw), batch);
    if (met == Met::gap) return false;
    if (met == Met::end_of_pull) {
      outstanding_ = 0;
      return true;
    }
  }
  // And whatever has come with it.
  bool good = true;
  while (batch.size() < outstanding_) {
    auto raw = inbox_->next(milliseconds(0));
    if (!raw || !*raw) break;
    const Met met = meet(**std::move(raw), batch);
    good = met != Met::gap;
    if (met == Met::end_of_pull) outstanding_ = batch.size();
    if (!good) break;
  }
  outstanding_ -= std::min(outstanding_, batch.size());
  return hand_over(batch) && good;
}

bool NatsFollower::is_gone() {
  const Lock lock(mutex_);
  return gone_;
}

bool NatsFollower::hand_over(const std::vector<JetMessage>& batch) {
  if (!options_.take(batch)) return false;
  next_ = batch.back().seq + 1;
  {
    const Lock lock(mutex_);
    taken_ = met_;
  }
  moved_.notify_all();
  return true;
}

Result<void> NatsFollower::catch_up(milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::string known;
  std::uint64_t wanted = 0;  // of the consumer `known`, when it was first asked
  while (std::chrono::steady_clock::now() < deadline) {
    std::string consumer;
    {
      Lock lock(mutex_);
      if (consumer_.empty()) moved_.wait_for(lock.mutex(), kPause);
      consumer = consumer_;
    }
    if (consumer.empty()) continue;
    auto info = stream_.api(fmt::format("CONSUMER.INFO.{}.{}", options_.stream, consumer), "");
    if (!info) {
      Lock lock(mutex_);
      if (consumer_ == consumer && server_error(info.error()) == kNoConsumer) gone_ = true;
      moved_.wait_for(lock.mutex(), kPause);  // for the thread to make a new one
      continue;
    }
    const auto delivered = static_cast<std::uint64_t>(
        json_number(json_member(json_member(*info, "delivered"), "consumer_seq")));
    const auto pending = static_cast<std::uint64_t>(json_number(json_member(*info, "num_pending")));
    if (std::exchange(known, consumer) != consumer) wanted = delivered + pending;
    // A message that is replaced before it was delivered never comes: then nothing is pending.
    const std::uint64_t target = pending == 0 ? std::min(wanted, delivered) : wanted;
    Lock lock(mutex_);
    if (consumer_ == consumer && taken_ < target) moved_.wait_for(lock.mutex(), kPause);
    if (consumer_ == consumer && taken_ >= target) return {};
  }
  return Error{ErrorCode::timeout, fmt::format("the cluster is behind with {}", options_.stream),
               "store"};
}

}  // namespace dragoman
