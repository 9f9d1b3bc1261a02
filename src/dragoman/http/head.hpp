// SPDX-License-Identifier: Apache-2.0
// The head of a request: read strictly, because two readers that disagree about it are how requests
// are smuggled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/http/message.hpp"

namespace dragoman::http {

struct Head {
  Request request;
  std::string authority;  // of an absolute target; empty: it has none
  bool keep_alive = true;
  bool chunked = false;
  std::uint64_t length = 0;  // of the body, where it is not chunked
  bool wants_continue = false;
  bool http_1_0 = false;

  [[nodiscard]] bool has_body() const { return chunked || length > 0; }
};

struct BadHead {
  int status = 400;
  std::string_view why;
};

// Where the head ends in `bytes` (behind the empty line), if it is complete.
[[nodiscard]] std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t searched);

// `bytes`: a complete head with its empty line. On failure `bad` says why.
[[nodiscard]] std::optional<Head> read_head(std::string_view bytes, BadHead& bad);

}  // namespace dragoman::http
