// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_queue.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "dragoman/log/fields.hpp"

namespace dragoman {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks(200);
constexpr int kClaimTries = 100;  // against others who want the same key at the same moment

}  // namespace

NatsQueue::NatsQueue(JetStream& stream, const NatsSpace& space)
    : stream_(stream),
      space_(space),
      tickets_(stream, space),
      follower_(stream, {space.bucket_stream(), space.queues(), 1, false,
                         [this](const std::vector<JetMessage>& messages) {
                           take(messages);
                           return true;
                         }}) {}

void NatsQueue::take(const std::vector<JetMessage>& messages) {
  for (const JetMessage& message : messages) {
    const NatsKey name = key_of(message.subject);
    const bool gone = is_gone(message);
    const auto value = gone ? Value() : read_fields<Value>(message.data);
    {
      const Lock lock(mutex_);
      seen_ = std::max(seen_, message.seq);
      for (Asked& asked : asked_)
        asked.overtaken |= asked.queue == name.group && asked.key == name.key;
      if (gone) {
        remove_item(name.group, name.key, message.seq);
      } else if (value) {
        put_item(name.group, name.key, {message.seq, message.time_ms, *value}, Standing::if_newer);
      }
    }
    if (gone) forget(message);
  }
}

// A key that is gone leaves a message that says so. Once everybody has seen it, it may go too;
// whoever begins to follow meets the old ones and sends them away.
void NatsQueue::forget(const JetMessage& message) {
  constexpr std::int64_t kSeenByAll = 600'000;
  if (stream_.clock().now() - message.time_ms < kSeenByAll) return;
  (void)stream_.connection().publish("$JS.API.STREAM.MSG.DELETE." + space_.bucket_stream(), "_",
                                     fmt::format(R"({{"seq":{},"no_erase":true}})", message.seq));
}

void NatsQueue::Waiting::take_out(const Item& item) {
  free.erase(item.place());
  held.erase(item.place());
}

void NatsQueue::put_item(std::string_view queue, std::string_view key, const Item& item,
                         Standing standing) {
  Waiting& waiting = queues_[std::string(queue)];
  const auto known = waiting.items.find(key);
  if (known != waiting.items.end()) {
    if (standing == Standing::if_newer && known->second.revision > item.revision) return;
    waiting.take_out(known->second);
  }
  (item.value.token == 0 ? waiting.free : waiting.held)[item.place()] = key;
  if (item.value.token != 0)
    waiting.next_expiry = std::min(waiting.next_expiry, item.stored_ms + item.value.lease_ms);
  waiting.items.insert_or_assign(std::string(key), item);
}

void NatsQueue::remove_item(std::string_view queue, std::string_view key, std::uint64_t revision) {
  const auto waiting = queues_.find(queue);
  if (waiting == queues_.end()) return;
  const auto known = waiting->second.items.find(key);
  if (known == waiting->second.items.end() || known->second.revision > revision) return;
  waiting->second.take_out(known->second);
  waiting->second.items.erase(known);
}

// What we did ourselves, or asked for, may be told late: what the follower has brought is newer.
void NatsQueue::set(std::string_view queue, std::string_view key, const Item& item) {
  const Lock lock(mutex_);
  if (item.revision > seen_) put_item(queue, key, item, Standing::if_newer);
}

void NatsQueue::erase(std::string_view queue, std::string_view key, std::uint64_t revision) {
  const Lock lock(mutex_);
  remove_item(queue, key, revision);
}

std::optional<NatsQueue::Item> NatsQueue::find(std::string_view queue, std::string_view key) {
  const Lock lock(mutex_);
  const auto waiting = queues_.find(queue);
  if (waiting == queues_.end()) return std::nullopt;
  const auto known = waiting->second.items.find(key);
  if (known == waiting->second.items.end()) return std::nullopt;
  return known->second;
}

// Replicas that were killed can number the same message differently (nats-server 2.9), and a
// follower reads from one replica while another one judges what we write. So a higher number does
// not mean a newer item here, and an answer may be older than what the follower brought while it
// was on its way: an item of another worker, say, that is gone by now and would seem to be his
// until his lease ends. Then the server is asked again.
Result<std::optional<NatsQueue::Item>> NatsQueue::refresh(std::string_view queue,
                                                          std::string_view key) {
  for (int i = 0;; ++i) {
    const auto asked = [&] {
      const Lock lock(mutex_);
      return asked_.insert(asked_.end(), Asked{queue, key});
    }();
    const auto message = stream_.last_of(space_.bucket_stream(), space_.queued(queue, key));
    const Lock lock(mutex_);
    const bool overtaken = asked->overtaken && i < kClaimTries;
    asked_.erase(asked);
    if (!message) return message.error();
    if (overtaken) continue;
    if (!*message || is_gone(**message)) {
      remove_item(queue, key, ~std::uint64_t{0});
      return std::optional<Item>();
    }
    DRAGOMAN_TRY(auto value, read_fields<Value>((*message)->data));
    const Item item{(*message)->seq, (*message)->time_ms, std::move(value)};
    put_item(queue, key, item, Standing::whatever_we_have);
    return std::optional<Item>(item);
  }
}

bool NatsQueue::expired(const Item& item, std::int64_t now) const {
  return now > item.stored_ms + item.value.lease_ms;
}

bool NatsQueue::full(std::string_view queue, std::size_t limit) {
  if (limit == 0) return false;
  const std::int64_t now = stream_.clock().now();
  const Lock lock(mutex_);
  const auto waiting = queues_.find(queue);
  if (waiting == queues_.end()) return false;
  const auto held = std::count_if(
      waiting->second.held.begin(), waiting->second.held.end(),
      [&](const auto& one) { return !expired(waiting->second.items.at(one.second), now); });
  return static_cast<std::size_t>(held) >= limit;
}

// Whose lease has run out. They are looked through only when one of them can have.
std::optional<NatsQueue::Candidate> NatsQueue::left_behind(std::string_view queue) {
  const std::int64_t now = stream_.clock().now();
  const Lock lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return std::nullopt;
  Waiting& waiting = found->second;
  if (now <= waiting.next_expiry) return std::nullopt;
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (const auto& [place, key] : waiting.held) {
    const Item& item = waiting.items.at(key);
    if (expired(item, now)) return Candidate{key, item, std::nullopt};
    next = std::min(next, item.stored_ms + item.value.lease_ms);
  }
  waiting.next_expiry = next;
  return std::nullopt;
}

std::optional<NatsQueue::Candidate> NatsQueue::oldest(std::string_view queue) {
  const Lock lock(mutex_);
  const auto waiting = queues_.find(queue);
  if (waiting == queues_.end() || waiting->second.free.empty()) return std::nullopt;
  const std::string& key = waiting->second.free.begin()->second;
  return Candidate{key, waiting->second.items.at(key), std::nullopt};
}

Result<std::optional<NatsQueue::Candidate>> NatsQueue::by_ticket(std::string_view queue) {
  while (auto ticket = tickets_.next(queue)) {
    auto item = find(queue, ticket->key);
    if (!item) {
      DRAGOMAN_TRY(item, refresh(queue, ticket->key));
    }
    if (!item) {
      tickets_.discard(*ticket);
      continue;
    }
    const std::int64_t now = stream_.clock().now();
    if (item->value.token == 0 || expired(*item, now)) {
      std::string key = ticket->key;
      return std::optional<Candidate>({std::move(key), *item, std::move(ticket)});
    }
    // It was found without its ticket. Should that worker die, the ticket comes in handy.
    tickets_.later(*ticket, Milliseconds(std::max<std::int64_t>(
                                1000, item->stored_ms + item->value.lease_ms - now)));
  }
  return std::optional<Candidate>();
}

Result<std::optional<Claim>> NatsQueue::take_candidate(std::string_view queue,
                                                       std::string_view owner, Milliseconds lease,
                                                       Candidate chosen) {
  Value value = chosen.item.value;
  if (value.place == 0) value.place = static_cast<std::int64_t>(chosen.item.revision);
  value.token = static_cast<std::int64_t>(chosen.item.revision);
  value.attempts += 1;
  value.lease_ms = lease.count();
  value.owner = owner;
  DRAGOMAN_TRY(
      const auto stored,
      stream_.publish(
          space_.bucket_stream(),
          {space_.queued(queue, chosen.key), {}, write_fields(value), chosen.item.revision}));
  if (!stored.applied) {
    if (chosen.ticket) tickets_.later(*chosen.ticket, Milliseconds(1000));
    DRAGOMAN_TRY(const auto now_there, refresh(queue, chosen.key));
    (void)now_there;
    return std::optional<Claim>();
  }
  set(queue, chosen.key, {stored.seq, stream_.clock().now(), value});
  const auto token = static_cast<std::uint64_t>(value.token);
  if (chosen.ticket) tickets_.keep(token, *std::move(chosen.ticket));
  return std::optional<Claim>({std::string(queue), std::move(chosen.key), token,
                               static_cast<std::uint32_t>(value.attempts)});
}

// What the follower has brought is milliseconds old at most; to be sure costs a question to the
// server, so an idle worker asks it only now and then. True: it was asked.
Result<bool> NatsQueue::look_again() {
  const auto now = std::chrono::steady_clock::now();
  {
    const Lock lock(mutex_);
    if (now - caught_up_ < kBetweenLooks) return false;
  }
  DRAGOMAN_CHECK(follower_.catch_up(stream_.patience()));
  const Lock lock(mutex_);
  caught_up_ = now;
  return true;
}

Result<std::optional<Claim>> NatsQueue::claim(std::string_view queue, std::string_view owner,
                                              Milliseconds lease, std::size_t limit) {
  for (int i = 0; i < kClaimTries; ++i) {
    if (full(queue, limit)) break;
    // What was handed out before is older than whatever has a ticket that nobody took yet.
    auto chosen = left_behind(queue);
    const auto first = chosen ? std::nullopt : oldest(queue);
    if (!chosen && !first) {
      DRAGOMAN_TRY(const bool looked, look_again());
      if (!looked) break;
      continue;
    }
    if (!chosen && first->item.value.attempts > 0) chosen = first;
    if (!chosen) {
      DRAGOMAN_TRY(chosen, by_ticket(queue));
    }
    if (!chosen) chosen = oldest(queue);
    if (!chosen) continue;
    DRAGOMAN_TRY(auto claimed, take_candidate(queue, owner, lease, *std::move(chosen)));
    if (claimed) return claimed;
  }
  return std::optional<Claim>();
}

Result<bool> NatsQueue::change(const Claim& claim,
                               const std::function<std::optional<Value>(Value)>& next) {
  auto item = find(claim.queue, claim.key);
  for (int i = 0; i < kClaimTries; ++i) {
    if (!item || static_cast<std::uint64_t>(item->value.token) != claim.token) {
      DRAGOMAN_TRY(item, refresh(claim.queue, claim.key));
    }
    if (!item || static_cast<std::uint64_t>(item->value.token) != claim.token) return false;
    auto value = next(item->value);
    DRAGOMAN_TRY(const auto stored,
                 stream_.publish(space_.bucket_stream(),
                                 {space_.queued(claim.queue, claim.key),
                                  value ? decltype(JetPublish::headers)() : gone_headers(),
                                  value ? write_fields(*value) : std::string(), item->revision}));
    if (stored.applied) {
      if (value) {
        set(claim.queue, claim.key, {stored.seq, stream_.clock().now(), *std::move(value)});
      } else {
        erase(claim.queue, claim.key, stored.seq);
      }
      return true;
    }
    DRAGOMAN_TRY(item, refresh(claim.queue, claim.key));
  }
  return Error{ErrorCode::internal, fmt::format("{} changes too fast", claim.key), "store"};
}

Result<bool> NatsQueue::heartbeat(const Claim& claim, Milliseconds lease) {
  DRAGOMAN_TRY(const bool ours, change(claim, [&](Value value) {
                 value.lease_ms = lease.count();
                 return std::optional<Value>(std::move(value));
               }));
  if (ours) tickets_.still_working(claim.token);
  return ours;
}

Result<bool> NatsQueue::finish(const Claim& claim) {
  DRAGOMAN_TRY(const bool ours, change(claim, [](const Value&) { return std::optional<Value>(); }));
  if (ours) tickets_.done(claim.token);
  return ours;
}

Result<bool> NatsQueue::give_back(const Claim& claim) {
  DRAGOMAN_TRY(const bool ours, change(claim, [](Value value) {
                 value.token = 0;
                 value.lease_ms = 0;
                 value.owner.clear();
                 return std::optional<Value>(std::move(value));
               }));
  if (ours) tickets_.give_back(claim.token);
  return ours;
}

Result<void> NatsQueue::add(std::string_view queue, std::string_view key) {
  const std::string subject = space_.queued(queue, key);
  const Value fresh;
  std::uint64_t expected = 0;
  for (int i = 0; i < kClaimTries; ++i) {
    DRAGOMAN_TRY(const auto stored, stream_.publish(space_.bucket_stream(),
                                                    {subject, {}, write_fields(fresh), expected}));
    if (stored.applied) {
      set(queue, key, {stored.seq, stream_.clock().now(), fresh});
      tickets_.issue(queue, key);
      return {};
    }
    DRAGOMAN_TRY(const auto there, stream_.last_of(space_.bucket_stream(), subject));
    if (there && !is_gone(*there)) return {};  // it keeps its place
    expected = there ? there->seq : 0;
  }
  return Error{ErrorCode::internal, fmt::format("{} changes too fast", key), "store"};
}

Result<void> NatsQueue::remove(std::string_view queue, std::string_view key) {
  for (int i = 0; i < kClaimTries; ++i) {
    DRAGOMAN_TRY(const auto item, refresh(queue, key));
    if (!item) return {};
    DRAGOMAN_TRY(const auto stored,
                 stream_.publish(space_.bucket_stream(),
                                 {space_.queued(queue, key), gone_headers(), "", item->revision}));
    if (stored.applied) {
      erase(queue, key, stored.seq);
      return {};
    }
  }
  return Error{ErrorCode::internal, fmt::format("{} changes too fast", key), "store"};
}

// One that nobody works on, another one each time, and none again before kBetweenLooks has passed.
std::optional<std::string> NatsQueue::one_in_doubt(std::string_view queue) {
  const auto now = std::chrono::steady_clock::now();
  const std::int64_t server_now = stream_.clock().now();
  const Lock lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end() || now - found->second.doubted_at < kBetweenLooks) return std::nullopt;
  Waiting& waiting = found->second;
  const auto idle = [&](const auto& item) {
    return item.second.value.token == 0 || expired(item.second, server_now);
  };
  auto next = std::find_if(waiting.items.upper_bound(waiting.doubted), waiting.items.end(), idle);
  if (next == waiting.items.end())
    next = std::find_if(waiting.items.begin(), waiting.items.end(), idle);
  if (next == waiting.items.end()) return std::nullopt;
  waiting.doubted = next->first;
  waiting.doubted_at = now;
  return next->first;
}

// Whoever only looks would list for ever what a replica with other numbers never told it is gone.
// Workers find out when they want to take it; so here, too, the server is asked about one at a
// time.
Result<std::vector<QueueItem>> NatsQueue::items(std::string_view queue) {
  DRAGOMAN_CHECK(follower_.catch_up(stream_.patience()));
  if (const auto key = one_in_doubt(queue)) {
    DRAGOMAN_TRY(const auto there, refresh(queue, *key));
    (void)there;
  }
  std::vector<QueueItem> items;
  const std::int64_t now = stream_.clock().now();
  const Lock lock(mutex_);
  const auto waiting = queues_.find(queue);
  if (waiting == queues_.end()) return items;
  std::map<std::int64_t, std::string_view> order(waiting->second.free.begin(),
                                                 waiting->second.free.end());
  order.insert(waiting->second.held.begin(), waiting->second.held.end());
  for (const auto& [place, key] : order) {
    const Item& item = waiting->second.items.find(key)->second;
    const bool claimed = item.value.token != 0 && !expired(item, now);
    items.push_back({std::string(key), claimed, claimed ? item.value.owner : std::string(),
                     static_cast<std::uint32_t>(item.value.attempts)});
  }
  return items;
}

}  // namespace dragoman
