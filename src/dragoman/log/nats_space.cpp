// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_space.hpp"

#include <fmt/format.h>

#include "dragoman/log/nats_names.hpp"

namespace dragoman {

std::string NatsSpace::record(std::string_view bucket, std::string_view key) const {
  return fmt::format("$KV.{}.r.{}.{}", name, to_token(bucket), to_token(key));
}

std::string NatsSpace::queued(std::string_view queue, std::string_view key) const {
  return fmt::format("$KV.{}.q.{}.{}", name, to_token(queue), to_token(key));
}

std::string NatsSpace::events_of(std::string_view stream) const {
  return fmt::format("{}.events.{}", name, to_token(stream));
}

std::string NatsSpace::work_of(std::string_view queue) const {
  return fmt::format("{}.work.{}", name, to_token(queue));
}

NatsKey key_of(std::string_view subject) {
  const std::size_t last = subject.rfind('.');
  if (last == std::string_view::npos || last == 0) return {};
  const std::size_t before = subject.rfind('.', last - 1);
  if (before == std::string_view::npos) return {};
  return {from_token(subject.substr(before + 1, last - before - 1)),
          from_token(subject.substr(last + 1))};
}

std::string last_word(std::string_view subject) {
  return from_token(subject.substr(subject.rfind('.') + 1));
}

bool is_gone(const JetMessage& message) { return !message.header("KV-Operation").empty(); }

std::vector<std::pair<std::string, std::string>> gone_headers() {
  return {{"KV-Operation", "PURGE"}};
}

Result<void> make_streams(JetStream& stream, const NatsSpace& space, const NatsUrl& url) {
  // Ids of messages are remembered for five minutes: longer than any request is repeated.
  constexpr std::string_view kCommon =
      R"("storage":"file","allow_rollup_hdrs":true,"deny_delete":false,"duplicate_window":300000000000)";
  DRAGOMAN_CHECK(stream.ensure_stream(
      space.bucket_stream(),
      fmt::format(R"("subjects":["{}"],"retention":"limits","max_msgs_per_subject":1,)"
                  R"("discard":"new",{})",
                  space.everything(), kCommon),
      url.replicas));
  DRAGOMAN_CHECK(stream.ensure_stream(
      space.event_stream(),
      fmt::format(R"("subjects":["{}"],"retention":"limits","discard":"old","max_age":{},)"
                  R"("max_bytes":{},{})",
                  space.events(), std::chrono::nanoseconds(url.events_age).count(),
                  url.events_bytes, kCommon),
      url.replicas));
  return stream.ensure_stream(
      space.work_stream(),
      fmt::format(R"("subjects":["{}.work.>"],"retention":"workqueue",{})", space.name, kCommon),
      url.replicas);
}

}  // namespace dragoman
