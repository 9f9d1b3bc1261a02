// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/token.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "dragoman/base/random.hpp"
#include "dragoman/log/private_file.hpp"

namespace dragoman::web {

namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr std::size_t kLongestToken = 512;
constexpr std::int64_t kCodeLife = 10 * 60 * 1000;

std::string hmac_hex(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned int size = 0;
  const void* const bytes = text.data();
  ::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
         static_cast<const unsigned char*>(bytes), text.size(), mac.data(), &size);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", mac.at(i));
  return hex;
}

Error failure(const std::filesystem::path& file, std::string_view what) {
  return {ErrorCode::tool_error, fmt::format("token file {}: {}", file.string(), what), "token"};
}

Error failure(const std::filesystem::path& file) { return failure(file, std::strerror(errno)); }

Result<std::string> read_token(const std::filesystem::path& file, struct stat& status) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return failure(file);
  std::array<char, kLongestToken + 1> bytes{};
  const bool known = ::fstat(fd, &status) == 0;
  const ssize_t size = ::read(fd, bytes.data(), bytes.size());
  ::close(fd);
  if (!known || size < 0) return failure(file, "cannot be read");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return failure(file, "others can read it: chmod 600, and make a new token with --new-token");
  std::string_view text(bytes.data(), static_cast<std::size_t>(size));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const auto printable = [](char c) { return c > 0x20 && c < 0x7F; };
  if (text.size() < 16 || text.size() > kLongestToken ||
      !std::all_of(text.begin(), text.end(), printable))
    return failure(file, "a token has 16 to 512 characters without blanks");
  return std::string(text);
}

// Beside it, then moved into place: at no moment is there half a token or a readable one.
Result<void> write_token(const std::filesystem::path& file, std::string_view token) {
  if (const auto failed =
          make_private_directories(file.has_parent_path() ? file.parent_path() : "."))
    return failure(file, failed.message());
  std::string fresh = file.string() + ".XXXXXX";
  const int fd = ::mkostemp(fresh.data(), O_CLOEXEC);  // mode 0600
  if (fd < 0) return failure(file);
  const std::string line = std::string(token) + "\n";
  const bool written = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
                       ::fsync(fd) == 0;
  ::close(fd);
  if (written && ::rename(fresh.c_str(), file.c_str()) == 0) return {};
  Error error = failure(file);
  ::unlink(fresh.c_str());
  return error;
}

}  // namespace

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && !a.empty() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Result<std::string> Token::prepare(const std::filesystem::path& file, bool fresh) {
  struct stat status {};
  if (!fresh && ::lstat(file.c_str(), &status) == 0) return read_token(file, status);
  std::string token = random_hex(kTokenBytes);
  DRAGOMAN_CHECK(write_token(file, token));
  return token;
}

std::string Token::current() {
  struct stat now {};
  const bool there = ::stat(file_.c_str(), &now) == 0;
  const Lock lock(mutex_);
  const bool same = there && now.st_ino == read_at_.st_ino && now.st_size == read_at_.st_size &&
                    now.st_mode == read_at_.st_mode &&
                    now.st_ctim.tv_sec == read_at_.st_ctim.tv_sec &&
                    now.st_ctim.tv_nsec == read_at_.st_ctim.tv_nsec;
  if (same) return token_;
  auto read = read_token(file_, read_at_);
  if (!read) read_at_ = {};
  token_ = read ? *std::move(read) : std::string();
  return token_;
}

bool Token::is_bearer(std::string_view given) { return same_secret(given, current()); }

std::string Token::cookie(std::string_view name) {
  const std::string token = current();
  return token.empty() ? std::string() : hmac_hex(token, fmt::format("dragoman cookie {}", name));
}

Result<std::string> make_login_code(std::string_view token, std::int64_t now_ms) {
  const std::string head = fmt::format("{:x}-{}", now_ms, random_hex(8));
  return head + "-" + hmac_hex(token, "dragoman login " + head).substr(0, 32);
}

bool LoginCodes::use(std::string_view code, std::string_view token, std::int64_t now_ms) {
  const std::size_t end = code.rfind('-');
  if (end == std::string_view::npos || token.empty() || code.size() > 100) return false;
  const std::string head(code.substr(0, end));
  const std::string mac = hmac_hex(token, "dragoman login " + head).substr(0, 32);
  if (!same_secret(code.substr(end + 1), mac)) return false;
  std::int64_t made = 0;
  std::from_chars(head.data(), head.data() + head.size(), made, 16);
  const auto too_old = [now_ms](std::int64_t then) { return now_ms - then > kCodeLife; };
  if (made < since_ || too_old(made)) return false;
  const Lock lock(mutex_);
  if (used_.size() >= kMost)
    std::erase_if(used_, [&](const auto& entry) { return too_old(entry.second); });
  return used_.size() < kMost && used_.emplace(code, made).second;
}

}  // namespace dragoman::web
