// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/random.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace dragoman {

void fill_random(void* to, std::size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    // Flags of 0: it waits until the system has enough after its start.
    const ssize_t got = ::getrandom(at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      constexpr std::string_view kWhy = "dragoman: the system gives no random bytes\n";
      (void)!::write(STDERR_FILENO, kWhy.data(), kWhy.size());
      ::_exit(125);
    }
    at += got;
    size -= static_cast<std::size_t>(got);
  }
}

std::string random_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  fill_random(bytes.data(), bytes.size());
  return bytes;
}

std::string random_hex(std::size_t bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes);
  for (const char c : random_bytes(bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(kDigits[byte >> 4U]);
    hex.push_back(kDigits[byte & 0x0FU]);
  }
  return hex;
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  fill_random(&number, sizeof number);
  return number;
}

}  // namespace dragoman
