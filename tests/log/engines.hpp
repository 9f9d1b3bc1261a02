// SPDX-License-Identifier: Apache-2.0
// The engines of the log, for tests of what all of them promise.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "dragoman/log/nats_log.hpp"
#include "dragoman/log/sqlite_log.hpp"
#include "tests/support/files.hpp"
#include "tests/support/nats_cluster.hpp"

namespace dragoman::test {

// An engine under test: a fresh store, and any number of logs on it, as if each were a process.
class SqliteEngine {
 public:
  static bool available() { return true; }
  std::unique_ptr<Log> open() {
    auto log = open_sqlite_log({path(), ""});
    EXPECT_TRUE(log) << (log ? "" : log.error().message);
    return log ? *std::move(log) : nullptr;
  }
  [[nodiscard]] std::string path() const { return directory_.path() / "log.db"; }

 private:
  TempDir directory_;
};

// A fleet of its own on the one server of this process.
class NatsEngine {
 public:
  static bool available() { return have_nats(); }
  std::unique_ptr<Log> open() {
    auto url = parse_nats_url(shared_nats_server().url(space_));
    EXPECT_TRUE(url) << (url ? "" : url.error().message);
    auto log = open_nats_log({*std::move(url), ""});
    EXPECT_TRUE(log) << (log ? "" : log.error().message);
    return log ? *std::move(log) : nullptr;
  }

 private:
  std::string space_ = fresh_space();
};

template <typename T>
T value_of(Result<T> result) {
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? *std::move(result) : T{};
}

inline LogRecord record(std::string key, std::string value, std::string state = "new",
                        std::int64_t order = 0) {
  return {std::move(key), std::move(value), 0, std::move(state), order};
}

}  // namespace dragoman::test
