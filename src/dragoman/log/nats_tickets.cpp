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

std::optional<NatsTickets::Ticket> NatsTickets::next(std::string_view queue) {
  const auto now = std::chrono::steady_clock::now();
  {
    const Lock lock(mutex_);
    if (now < not_before_) return std::nullopt;
  }
  std::optional<Ticket> ticket;
  if (ensure_consumer(queue)) {
    const NatsMessage request{
        fmt::format("$JS.API.CONSUMER.MSG.NEXT.{}.{}", space_.work_stream(), consumer_name(queue)),
        "",
        {},
        R"({"batch":1,"no_wait":true})"};
    auto reply = stream_.connection().request(request, kTicketPatience);
    if (reply && !reply->header("Status").empty()) return std::nullopt;
    if (reply) return Ticket{std::move(reply->data), std::move(reply->reply)};
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
