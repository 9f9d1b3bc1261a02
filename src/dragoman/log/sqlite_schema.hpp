// SPDX-License-Identifier: Apache-2.0
// The tables behind the SQLite engine, and how a file gets them. docs/log.md describes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dragoman/base/result.hpp"
#include "dragoman/log/sqlite.hpp"

namespace dragoman {

// In the file's header, so that a database of another program is not taken for ours.
inline constexpr std::int64_t kApplicationId = 0x44524147;  // "DRAG"
inline constexpr std::int64_t kSchemaVersion = 5;

// Opens the database at `path` for writing, at this program's schema version. A file
// that is there and is not ours, damaged, empty or newer is an error, and is not touched. A new one
// is made beside it and moved into place whole, so that no crash leaves half a database.
[[nodiscard]] Result<std::unique_ptr<Sqlite>> open_database(const std::string& path,
                                                            const std::string& vfs);

// Brings an open database to `version`, each step in a transaction of its own.
[[nodiscard]] Result<void> migrate(Sqlite& db, std::int64_t version = kSchemaVersion);

}  // namespace dragoman
