// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/outbox.hpp"

#include "dragoman/base/sha256.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/surface/api.hpp"

namespace dragoman::surface {
namespace {

constexpr std::string_view kSurfaces = "surfaces";
constexpr std::size_t kMostReceived = 1000;

// Ids come from outside; keys have a form that every store takes.
std::string key_of(std::string_view id) { return sha256_hex(id, 32); }

}  // namespace

Outbox::Outbox(Log& log, std::string surface)
    : log_(log),
      surface_(std::move(surface)),
      deliveries_("deliveries-" + surface_),
      seen_("answers-" + surface_),
      inbox_("inbox-" + surface_) {}

std::string Outbox::audit_line(std::string_view what, std::string_view ref, std::string_view by,
                               std::string_view words) const {
  std::string line;
  std::string time;
  append_timestamp(time, Timestamp(std::chrono::milliseconds(wall_ms())));
  json::Writer w(line);
  w.begin_object().name("ts").string(time).name("what").string(what);
  w.name("surface").string(surface_);
  if (!ref.empty()) w.name("ref").string(ref);
  if (!by.empty()) w.name("by").string(by);
  if (!words.empty()) w.name("words").string(words);
  w.end_object();
  return line;
}

void Outbox::audit(std::string_view what, std::string_view ref, std::string_view by,
                   std::string_view words) {
  const auto written = write_one(log_, Append{"audit", {audit_line(what, ref, by, words)}, {}});
  (void)written;  // a full disk shows elsewhere first
}

Result<std::optional<Delivery>> Outbox::find(std::string_view ref) {
  DRAGOMAN_TRY(const auto record, log_.get(deliveries_, ref));
  if (!record) return std::optional<Delivery>();
  DRAGOMAN_TRY(auto delivery, read_fields<Delivery>(record->value));
  delivery.revision = record->revision;
  return std::optional(std::move(delivery));
}

Result<std::vector<Delivery>> Outbox::unsettled() {
  DRAGOMAN_TRY(const auto records, log_.list({.bucket = deliveries_,
                                              .states = {"wanted", "sending", "shown"},
                                              .newest_first = false}));
  std::vector<Delivery> out;
  for (const LogRecord& record : records) {
    DRAGOMAN_TRY(auto delivery, read_fields<Delivery>(record.value));
    delivery.revision = record.revision;
    out.push_back(std::move(delivery));
  }
  return out;
}

Result<bool> Outbox::put(Delivery& delivery, std::string_view what, std::string_view by) {
  std::vector<LogWrite> writes;
  writes.emplace_back(
      Put{deliveries_,
          {delivery.ref, write_fields(delivery), 0, delivery.state, delivery.asked_at},
          delivery.revision});
  writes.emplace_back(Append{"audit", {audit_line(what, delivery.ref, by, delivery.error)}, {}});
  DRAGOMAN_TRY(const auto written, log_.write(std::move(writes)));
  if (written.front().applied) delivery.revision = written.front().number;
  return written.front().applied;
}

Result<bool> Outbox::seen(std::string_view incoming_id) {
  DRAGOMAN_TRY(const auto record, log_.get(seen_, key_of(incoming_id)));
  return record.has_value();
}

Result<void> Outbox::mark_seen(std::string_view incoming_id) {
  DRAGOMAN_TRY(const auto written,
               write_one(log_, Put{seen_, {key_of(incoming_id), "{}", 0, "seen", wall_ms()}, 0}));
  (void)written;  // refused: it was marked before
  return {};
}

Result<void> Outbox::forget_seen_before(std::int64_t time) {
  DRAGOMAN_TRY(const auto records,
               log_.list({.bucket = seen_, .limit = 1000, .newest_first = false}));
  std::vector<LogWrite> writes;
  for (const LogRecord& record : records) {
    if (record.order < time) writes.emplace_back(Drop{seen_, record.key, record.revision});
  }
  if (writes.empty()) return {};
  DRAGOMAN_TRY(const auto written, log_.write(std::move(writes)));
  (void)written;
  return {};
}

Result<bool> Outbox::receive(const Incoming& incoming) {
  DRAGOMAN_TRY(const bool known, seen(incoming.id));
  if (known) return false;
  DRAGOMAN_TRY(const auto waiting, log_.count({.bucket = inbox_}));
  if (waiting >= kMostReceived)
    return Error{ErrorCode::tool_error, "too many answers wait to be looked at", "full"};
  DRAGOMAN_TRY(
      const auto written,
      write_one(
          log_,
          Put{inbox_, {key_of(incoming.id), write_fields(incoming), 0, "new", wall_ms()}, 0}));
  return written.applied;
}

Result<std::vector<Incoming>> Outbox::received() {
  DRAGOMAN_TRY(const auto records, log_.list({.bucket = inbox_, .newest_first = false}));
  std::vector<Incoming> out;
  for (const LogRecord& record : records) {
    DRAGOMAN_TRY(auto incoming, read_fields<Incoming>(record.value));
    out.push_back(std::move(incoming));
  }
  return out;
}

Result<void> Outbox::done(const Incoming& incoming) {
  DRAGOMAN_TRY(const auto record, log_.get(inbox_, key_of(incoming.id)));
  if (!record) return {};
  DRAGOMAN_TRY(const auto written, write_one(log_, Drop{inbox_, record->key, record->revision}));
  (void)written;
  return {};
}

Result<SurfaceState> Outbox::state() {
  for (;;) {
    DRAGOMAN_TRY(const auto record, log_.get(kSurfaces, surface_));
    if (record) return read_fields<SurfaceState>(record->value);
    SurfaceState fresh{wall_ms(), 0};
    DRAGOMAN_TRY(const auto written,
                 write_one(log_, Put{std::string(kSurfaces),
                                     {surface_, write_fields(fresh), 0, "known", fresh.since},
                                     0}));
    if (written.applied) return fresh;
  }
}

Result<void> Outbox::set_held(std::int64_t until) {
  for (;;) {
    DRAGOMAN_TRY(auto now, state());
    if (now.held_until >= until) return {};
    DRAGOMAN_TRY(const auto record, log_.get(kSurfaces, surface_));
    if (!record) continue;
    now.held_until = until;
    DRAGOMAN_TRY(const auto written,
                 write_one(log_, Put{std::string(kSurfaces),
                                     {surface_, write_fields(now), 0, "known", now.since},
                                     record->revision}));
    if (written.applied) return {};
  }
}

}  // namespace dragoman::surface
