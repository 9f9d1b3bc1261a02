// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/request_id.hpp"

#include <cstddef>
#include <string_view>

#include "dragoman/base/random.hpp"

namespace dragoman::task {

namespace {

using Bytes = std::array<unsigned char, 16>;

// The kernel is asked for several at once: a call of it costs more than all the rest.
Bytes next_bytes() {
  thread_local std::array<Bytes, 16> stock{};
  thread_local std::size_t left = 0;
  if (left == 0) {
    fill_random(stock.data(), sizeof stock);
    left = stock.size();
  }
  return stock[--left];
}

}  // namespace

RequestId new_request_id() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  Bytes bytes = next_bytes();
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | 0x40U);  // version 4
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);
  RequestId id{};
  std::size_t at = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) id[at++] = '-';
    id[at++] = kDigits[bytes[i] >> 4U];
    id[at++] = kDigits[bytes[i] & 0x0FU];
  }
  return id;
}

}  // namespace dragoman::task
