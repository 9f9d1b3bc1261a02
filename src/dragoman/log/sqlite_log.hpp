// SPDX-License-Identifier: Apache-2.0
// The log in one SQLite file: write-ahead log, every commit synced, several processes at once.
#pragma once

#include <memory>
#include <string>

#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"

namespace dragoman {

struct SqliteLogOptions {
  std::string path;
  std::string vfs;  // SQLite's own unless named; tests put one that counts or fails between
};

// Opens the database, and makes it where there is none.
[[nodiscard]] Result<std::unique_ptr<Log>> open_sqlite_log(const SqliteLogOptions& options);

}  // namespace dragoman
