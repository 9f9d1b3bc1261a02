// SPDX-License-Identifier: Apache-2.0
// The contestant of the log: what a plain program does with the same tables.
#pragma once

#include <string>
#include <vector>

#include "dragoman/log/log.hpp"

namespace dragoman::bench {

inline constexpr const char* kTaskText =
    "run the tests of the parser, find out why the last two fail, and mend them";

// The writes of one submit, as task::Service makes them.
std::vector<LogWrite> submit_writes();

// Submits a second into the database at `path`, which has the log's tables: each client is a thread
// with its own connection, prepared statements, write-ahead log, synchronous=FULL and a busy
// timeout, and commits each of its writes.
double naive_submits(const std::string& path, int clients, double seconds);

// Commits a second of one client that inserts a small row, and nothing else, into a table without
// any index.
double naive_inserts(const std::string& path, double seconds);

}  // namespace dragoman::bench
