// SPDX-License-Identifier: Apache-2.0
// What was sent where, in the log: nothing is lost or sent twice over a crash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/log/fields.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/surface/surface.hpp"

namespace dragoman::surface {

// One message on one surface.
//
//   wanted ──> sending ──> shown ──> closed
//     ^           │           └ edited whenever what it shows has changed
//     └───────────┘ surely not sent, or looked for and not found
//
// "sending" is written before the request goes out. Whoever finds it there, because the answer was
// lost or the process died, looks on the surface before it sends again.
struct Delivery {
  std::string ref;
  std::string state = "wanted";  // wanted, sending, shown, closed, failed
  std::string question;          // key of the question, or
  std::string task_id;           // the run
  std::int64_t asked_at = 0;     // of the asking that it shows
  std::string message_id;        // as the surface names it
  std::string digest;            // of what it shows
  std::int64_t edited_at = 0;
  std::int64_t attempts = 0;
  std::string error;           // of the last attempt
  std::uint64_t revision = 0;  // not part of the value

  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("ref", s.ref);
    v("state", s.state);
    v("question", s.question);
    v("task_id", s.task_id);
    v("asked_at", s.asked_at);
    v("message_id", s.message_id);
    v("digest", s.digest);
    v("edited_at", s.edited_at);
    v("attempts", s.attempts);
    v("error", s.error);
  }
  friend bool operator==(const Delivery&, const Delivery&) = default;
};

// What is kept about a surface itself.
struct SurfaceState {
  std::int64_t since = 0;       // runs that ended before are not told about
  std::int64_t held_until = 0;  // the server wants silence until then
  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("since", s.since);
    v("held_until", s.held_until);
  }
};

// Of one surface. Every change is a compare-and-set, and is written to the stream "audit".
class Outbox {
 public:
  Outbox(Log& log, std::string surface);

  [[nodiscard]] Result<std::optional<Delivery>> find(std::string_view ref);
  [[nodiscard]] Result<std::vector<Delivery>> unsettled();  // not closed, not failed
  // False: somebody else has changed it.
  [[nodiscard]] Result<bool> put(Delivery& delivery, std::string_view what,
                                 std::string_view by = {});

  // Whether this comment, click or message was dealt with.
  [[nodiscard]] Result<bool> seen(std::string_view incoming_id);
  [[nodiscard]] Result<void> mark_seen(std::string_view incoming_id);
  [[nodiscard]] Result<void> forget_seen_before(std::int64_t time);

  // What webhooks brought and nobody has dealt with. False: it is there already.
  [[nodiscard]] Result<bool> receive(const Incoming& incoming);
  [[nodiscard]] Result<std::vector<Incoming>> received();
  [[nodiscard]] Result<void> done(const Incoming& incoming);

  [[nodiscard]] Result<SurfaceState> state();
  [[nodiscard]] Result<void> set_held(std::int64_t until);

  void audit(std::string_view what, std::string_view ref, std::string_view by,
             std::string_view words);

 private:
  [[nodiscard]] std::string audit_line(std::string_view what, std::string_view ref,
                                       std::string_view by, std::string_view words) const;

  Log& log_;
  std::string surface_;
  std::string deliveries_;  // buckets
  std::string seen_;
  std::string inbox_;
};

}  // namespace dragoman::surface
