// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/log.hpp"

#include <utility>

namespace dragoman {

Result<LogWritten> write_one(Log& log, LogWrite write) {
  std::vector<LogWrite> writes;
  writes.push_back(std::move(write));
  DRAGOMAN_TRY(auto written, log.write(std::move(writes)));
  return written.front();
}

}  // namespace dragoman
