// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/open_log.hpp"

#include <fmt/format.h>

#include "dragoman/log/nats_log.hpp"
#include "dragoman/log/sqlite_log.hpp"

namespace dragoman {

Result<std::unique_ptr<Log>> open_log(std::string_view url, const std::string& directory,
                                      std::chrono::milliseconds patience) {
  if (is_nats_url(url)) {
    DRAGOMAN_TRY(auto where, parse_nats_url(url));
    return open_nats_log({std::move(where), directory, patience});
  }
  if (url.starts_with("sqlite:")) url.remove_prefix(7);
  if (url.find("://") != std::string_view::npos) {
    return Error{ErrorCode::unsupported,
                 fmt::format("'{}': tasks are kept in sqlite:PATH, nats://HOST or tls://HOST", url),
                 "backend"};
  }
  if (url.empty()) return Error{ErrorCode::validation, "a path has to follow sqlite:", "bad_value"};
  return open_sqlite_log({std::string(url), ""});
}

}  // namespace dragoman
