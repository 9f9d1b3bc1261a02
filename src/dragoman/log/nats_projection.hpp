// SPDX-License-Identifier: Apache-2.0
// A copy of the fleet's records and events in a SQLite file of this machine: lists and searches are
// answered from it by the same code as for a local store.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/log/nats_follower.hpp"
#include "dragoman/log/nats_space.hpp"
#include "dragoman/log/sqlite.hpp"

namespace dragoman {

// The file remembers how far it has got, in the same transaction as what it got. Several processes
// may share it: each brings what it sees, and what is there already is passed over. It is a copy:
// losing it costs the time to fetch everything again.
class NatsProjection {
 public:
  // `directory` empty: a temporary file, gone with the object.
  [[nodiscard]] static Result<std::unique_ptr<NatsProjection>> open(JetStream& stream,
                                                                    const NatsSpace& space,
                                                                    const std::string& directory);
  ~NatsProjection();
  NatsProjection(const NatsProjection&) = delete;
  NatsProjection& operator=(const NatsProjection&) = delete;

  // The copy, with everything in it that was stored before the call.
  [[nodiscard]] Result<Log*> records() { return caught_up(Half::records); }
  [[nodiscard]] Result<Log*> events() { return caught_up(Half::events); }

 private:
  NatsProjection(JetStream& stream, const NatsSpace& space, std::string path, bool temporary);
  [[nodiscard]] Result<void> begin();
  // Each half is followed from the first time on that somebody asks for it.
  enum class Half : std::uint8_t { records, events };
  [[nodiscard]] Result<Log*> caught_up(Half half);
  [[nodiscard]] Result<void> store(const char* counter, const std::vector<JetMessage>& messages,
                                   Result<void> (NatsProjection::*one)(const JetMessage&));
  [[nodiscard]] Result<void> store_record(const JetMessage& message);
  [[nodiscard]] Result<void> store_entries(const JetMessage& message);
  [[nodiscard]] Result<std::uint64_t> counter(const char* name);
  // Whether all of them are in the file; else none is.
  [[nodiscard]] bool commit(const char* counter, const std::vector<JetMessage>& messages,
                            Result<void> (NatsProjection::*one)(const JetMessage&));
  [[nodiscard]] bool take(const char* counter, const std::vector<JetMessage>& messages,
                          Result<void> (NatsProjection::*one)(const JetMessage&));

  JetStream& stream_;
  const NatsSpace& space_;
  std::string path_;
  bool temporary_;
  Mutex writing_;  // of the one connection that both followers write with
  std::unique_ptr<Sqlite> db_;
  struct Parts {
    std::uint64_t next = 0;
    std::string text;
  };
  std::map<std::string, Parts, std::less<>> parts_;  // of large entries, by subject
  std::unique_ptr<Log> copy_;
  Mutex mutex_;
  std::unique_ptr<NatsFollower> records_ DRAGOMAN_GUARDED_BY(mutex_);
  std::unique_ptr<NatsFollower> events_ DRAGOMAN_GUARDED_BY(mutex_);
};

}  // namespace dragoman
