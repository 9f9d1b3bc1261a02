// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_tickets.hpp"

#include <utility>

#include <fmt/format.h>

#include "dragoman/base/sha256.hpp"

namespace dragoman {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTicketPatience(300);  // a ticket is a convenience: not worth a long wait
constexpr milliseconds kSulk(2000);           // after the server did not answer
constexpr std::string_view kNobodyThere = "503";

std::string consumer_name(std::string_view queue) { return "q-" + sha256_hex(queue).substr(0, 16); }

}  // namespace

void NatsTickets::issue(std::string_view queue, std::string_view key) {
  (void)stream_.connection().publish(space_.work_of(queue), "_", key);
}

bool NatsTickets::ensure_consumer(std::string_view queue) {
  {
    const Lock lock(mutex_);
    if (consumers_.contains(queue)) return true;
  }
  const std::string name = consumer_name(queue);
  const auto made = stream_.api(
      fmt::format("CONSUMER.DURABLE.CREATE.{}.{}", space_.work_stream(), name),
      fmt::format(R"({{"stream_name":"{}","config":{{"durable_name":"{}","ack_policy":"explicit",)"
                  R"("ack_wait":60000000000,"max_deliver":-1,"max_ack_pending":100000,)"
                  R"("filter_subject":"{}"}}}})",
                  space_.work_stream(), name, space_.work_of(queue)));
  if (!made) return false;
  const Lock lock(mutex_);
  consumers_.emplace(queue);
  return true;
}

// A ticket comes under the subject that it was issued to, and libnats takes whatever it cannot
// place for the answer to the one request that is under way. One that came too late would answer a
// question it has nothing to do with, so tickets are not asked for with request().
std::optional<NatsMessage> NatsTickets::pull(std::string_view queue) {
  auto inbox = stream_.connection().inbox();
  if (!inbox) return std::nullopt;
  const auto asked = stream_.connection().publish(
      fmt::format("$JS.API.CONSUMER.MSG.NEXT.{}.{}", space_.work_stream(), consumer_name(queue)),
      (*inbox)->subject(), R"({"batch":1,"no_wait":true})");
  if (!asked) return std::nullopt;
  auto reply = (*inbox)->next(kTicketPatience);
  return reply ? *std::move(reply) : std::nullopt;
}

std::optional<NatsTickets::Ticket> NatsTickets::next(std::string_view queue) {
  const auto now = std::chrono::steady_clock::now();
  {
    const Lock lock(mutex_);
    if (now < not_before_) return std::nullopt;
  }
  if (ensure_consumer(queue)) {
    auto reply = pull(queue);
    const std::string_view status = reply ? reply->header("Status") : kNobodyThere;
    if (status.empty()) return Ticket{std::move(reply->data), std::move(reply->reply)};
    if (status != kNobodyThere) return std::nullopt;
  }
  const Lock lock(mutex_);
  not_before_ = now + kSulk;
  consumers_.clear();  // whoever removed it: it is made again
  return std::nullopt;
}

void NatsTickets::keep(std::uint64_t token, Ticket ticket) {
  const Lock lock(mutex_);
  held_[token] = std::move(ticket);
}

void NatsTickets::tell(std::uint64_t token, std::string_view word, bool last) {
  std::string reply;
  {
    const Lock lock(mutex_);
    const auto found = held_.find(token);
    if (found == held_.end()) return;
    reply = found->second.reply;
    if (last) held_.erase(found);
  }
  (void)stream_.connection().publish(reply, "", word);
}

void NatsTickets::still_working(std::uint64_t token) { tell(token, "+WPI", false); }
void NatsTickets::done(std::uint64_t token) { tell(token, "+ACK", true); }
void NatsTickets::give_back(std::uint64_t token) { tell(token, "-NAK", true); }

void NatsTickets::discard(const Ticket& ticket) {
  (void)stream_.connection().publish(ticket.reply, "", "+ACK");
}

void NatsTickets::later(const Ticket& ticket, milliseconds delay) {
  (void)stream_.connection().publish(
      ticket.reply, "",
      fmt::format(R"(-NAK {{"delay":{}}})", std::chrono::nanoseconds(delay).count()));
}

}  // namespace dragoman
