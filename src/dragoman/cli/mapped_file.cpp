// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/mapped_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <utility>

namespace dragoman::cli {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;

// What the handler may look at.
std::atomic<std::uintptr_t> mapped_from = 0;
std::atomic<std::uintptr_t> mapped_to = 0;
std::atomic<bool> page_lost = false;
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);
struct sigaction handler_before;

// Puts an empty page in the place of the one that is gone, and lets the reader go on.
void on_bus_error(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  if (at >= mapped_from && at < mapped_to) {
    void* const place =
        reinterpret_cast<void*>(at / page * page);  // NOLINT(performance-no-int-to-ptr)
    page_lost = true;
    if (::mmap(place, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == place) {
      return;
    }
  }
  (void)::sigaction(SIGBUS, &handler_before, nullptr);  // not ours: it comes again
}

std::size_t length_of(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
}

}  // namespace

std::optional<MappedFile> MappedFile::open(int fd) {
  struct stat info {};
  if (mapped_from != 0 || ::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size < kWorthwhile || ::lseek(fd, 0, SEEK_CUR) != 0) return std::nullopt;
  void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) return std::nullopt;
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  page_lost = false;
  mapped_from = reinterpret_cast<std::uintptr_t>(bytes);
  mapped_to = mapped_from + size;
  (void)::sigaction(SIGBUS, &action, &handler_before);
  return MappedFile(fd, static_cast<const char*>(bytes), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : fd_(other.fd_),
      bytes_(std::exchange(other.bytes_, nullptr)),
      size_(other.size_),
      position_(other.position_),
      piece_(other.piece_) {}

MappedFile::~MappedFile() {
  if (bytes_ == nullptr) return;
  (void)::sigaction(SIGBUS, &handler_before, nullptr);
  mapped_from = mapped_to = 0;
  (void)::munmap(const_cast<char*>(bytes_), size_);
}

std::string_view MappedFile::next() {
  if (position_ > piece_) {
    (void)::madvise(const_cast<char*>(bytes_ + piece_), position_ - piece_, MADV_DONTNEED);
  }
  const std::size_t end = std::min(size_, length_of(fd_));
  piece_ = position_;
  if (position_ >= end) return {};
  position_ += std::min(kPiece, end - position_);
  return {bytes_ + piece_, position_ - piece_};
}

// The rest of a page that the file now ends in reads as zeros without a signal.
bool MappedFile::lost() const { return page_lost || length_of(fd_) < position_; }

}  // namespace dragoman::cli
