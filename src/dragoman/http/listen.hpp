// SPDX-License-Identifier: Apache-2.0
// Sockets that listen, made without a moment in which somebody else could use them.
#pragma once

#include <cstdint>
#include <string>

#include "dragoman/base/result.hpp"

namespace dragoman::http {

// Descriptors that listen, close-on-exec. `address` is numeric.
[[nodiscard]] Result<int> listen_tcp(const std::string& address, std::uint16_t port);
// The socket appears at `path` with mode 0600 from the first moment. One that a dead server left is
// replaced; one that somebody listens at is an error.
[[nodiscard]] Result<int> listen_unix(const std::string& path);

[[nodiscard]] std::uint16_t port_of(int socket);

}  // namespace dragoman::http
