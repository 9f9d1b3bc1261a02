// SPDX-License-Identifier: Apache-2.0
// The secret that opens the server: a file that only its owner can read.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dragoman/base/mutex.hpp"
#include "dragoman/base/result.hpp"

namespace dragoman::web {

// Compares in a time that depends on the lengths alone.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

// Law: what is in the file at the time of a request is the token of that request. Replacing the
// file is rotating the token; bearers, cookies and login codes made from the old one end with it.
class Token {
 public:
  // Makes the file (0600, in a directory of mode 0700) where there is none, or when `fresh`. A file
  // that others can read is an error.
  [[nodiscard]] static Result<std::string> prepare(const std::filesystem::path& file, bool fresh);

  explicit Token(std::filesystem::path file) : file_(std::move(file)) {}

  // Empty while the file cannot be used: nobody gets in then.
  [[nodiscard]] std::string current();
  [[nodiscard]] bool is_bearer(std::string_view given);
  // The value that stands for the token in a browser, in the cookie of that name alone.
  [[nodiscard]] std::string cookie(std::string_view name);

 private:
  std::filesystem::path file_;
  Mutex mutex_;
  std::string token_ DRAGOMAN_GUARDED_BY(mutex_);
  struct stat read_at_ DRAGOMAN_GUARDED_BY(mutex_) {};
};

// A code that opens the server once, within some minutes: whoever can read the token's file can
// make one, also for a server that is running.
[[nodiscard]] Result<std::string> make_login_code(std::string_view token, std::int64_t now_ms);

class LoginCodes {
 public:
  // Codes made before `since` are not taken: what was used up before a restart stays used up.
  explicit LoginCodes(std::int64_t since) : since_(since) {}

  // True once for each good code.
  [[nodiscard]] bool use(std::string_view code, std::string_view token, std::int64_t now_ms);

 private:
  static constexpr std::size_t kMost = 10'000;
  std::int64_t since_;
  Mutex mutex_;
  // With the time when each was made; those that are too old anyway go when there are too many.
  std::unordered_map<std::string, std::int64_t> used_ DRAGOMAN_GUARDED_BY(mutex_);
};

}  // namespace dragoman::web
