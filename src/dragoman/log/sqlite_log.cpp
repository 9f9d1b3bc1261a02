// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/sqlite_log.hpp"

#include <time.h>

#include <fstream>
#include <utility>

#include "dragoman/log/sqlite_engine.hpp"
#include "dragoman/log/sqlite_schema.hpp"

namespace dragoman {

std::int64_t milliseconds_since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

const std::string& boot_id() {
  static const std::string kId = [] {
    std::string id;
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::getline(file, id);
    return id;
  }();
  return kId;
}

SqliteLog::SqliteLog(std::unique_ptr<Sqlite> writer, SqliteLogOptions options)
    : options_(std::move(options)), changes_(options_.path), writer_(std::move(writer), changes_) {}

Result<std::unique_ptr<Log>> open_sqlite_log(const SqliteLogOptions& options) {
  DRAGOMAN_TRY(auto db, open_database(options.path, options.vfs));
  return std::unique_ptr<Log>(std::make_unique<SqliteLog>(std::move(db), options));
}

}  // namespace dragoman
