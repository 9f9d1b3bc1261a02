// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/random.hpp"
#include "dragoman/base/sha256.hpp"
#include "dragoman/show/neutral.hpp"

namespace dragoman::show {
namespace {

void append_escaped(std::string& out, std::string_view text, std::string_view also) {
  std::string scratch;
  for (const char c : for_terminal(text, scratch)) {
    if (c == '%') {
      out.append("%25");
    } else if (c == '\n') {
      out.append("%0A");
    } else if (also.find(c) != std::string_view::npos) {
      out.append(c == ':' ? "%3A" : "%2C");
    } else {
      out.push_back(c);
    }
  }
}

}  // namespace

void append_github_data(std::string& out, std::string_view text) { append_escaped(out, text, ""); }

void append_github_property(std::string& out, std::string_view text) {
  append_escaped(out, text, ":,");
}

std::string github_secret(const std::string& secret) {
  constexpr std::size_t kEnough = 16;
  return secret.size() >= kEnough ? secret : random_bytes(kEnough);
}

void append_github_fence(std::string& out, std::string_view text, std::string_view secret,
                         std::uint64_t count) {
  std::string scratch;
  const std::string_view safe = for_terminal(text, scratch);
  std::string word;
  std::string seed(secret);
  seed.append(":").append(std::to_string(count));
  do {
    word = sha256_hex(seed, 32);
    seed.append("+");
  } while (safe.find(word) != std::string_view::npos);
  out.append("::stop-commands::").append(word).append("\n").append(safe);
  if (!safe.empty() && safe.back() != '\n') out.push_back('\n');
  out.append("::").append(word).append("::\n");
}

}  // namespace dragoman::show
