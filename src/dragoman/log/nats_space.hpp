// SPDX-License-Identifier: Apache-2.0
// The names of one fleet on a NATS server.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/log/nats_jetstream.hpp"
#include "dragoman/log/nats_url.hpp"

namespace dragoman {

struct NatsSpace {
  std::string name;

  // Records and queue items are one key-value bucket, so that one revision counts over all of them.
  [[nodiscard]] std::string bucket_stream() const { return "KV_" + name; }
  [[nodiscard]] std::string event_stream() const { return name + "-events"; }
  [[nodiscard]] std::string work_stream() const { return name + "-work"; }

  [[nodiscard]] std::string records() const { return "$KV." + name + ".r.>"; }
  [[nodiscard]] std::string queues() const { return "$KV." + name + ".q.>"; }
  [[nodiscard]] std::string everything() const { return "$KV." + name + ".>"; }
  [[nodiscard]] std::string events() const { return name + ".events.>"; }

  [[nodiscard]] std::string record(std::string_view bucket, std::string_view key) const;
  [[nodiscard]] std::string queued(std::string_view queue, std::string_view key) const;
  [[nodiscard]] std::string events_of(std::string_view stream) const;
  [[nodiscard]] std::string work_of(std::string_view queue) const;
};

// The two last words of a record's or queue item's subject, as they were before to_token().
struct NatsKey {
  std::string group;  // bucket or queue
  std::string key;
};
[[nodiscard]] NatsKey key_of(std::string_view subject);
[[nodiscard]] std::string last_word(std::string_view subject);

// Whether the message says that its key or stream is gone.
[[nodiscard]] bool is_gone(const JetMessage& message);
// The headers that say so. No "Nats-Rollup": a rollup purges the subject, and a purge makes
// nats-server 2.9 move every consumer of more than that subject on to the purged place, past
// messages that it has not delivered yet.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> gone_headers();

[[nodiscard]] Result<void> make_streams(JetStream& stream, const NatsSpace& space,
                                        const NatsUrl& url);

}  // namespace dragoman
