// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/process_table.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>

#include "dragoman/base/ascii.hpp"

namespace dragoman::process {
namespace {

using ascii::is_digit;

// "/proc/71/stat" without the formatting of the C library, which may allocate.
void write_path(char* out, pid_t pid, const char* file) {
  for (const char c : std::string_view("/proc/")) *out++ = c;
  std::array<char, 12> digits{};
  std::size_t count = 0;
  for (pid_t rest = pid; rest > 0 || count == 0; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  while (count > 0) *out++ = digits[--count];
  *out++ = '/';
  std::memcpy(out, file, std::strlen(file) + 1);
}

std::int64_t next_number(const char*& p) {
  while (*p == ' ') ++p;
  const bool negative = *p == '-';
  if (negative) ++p;
  std::int64_t value = 0;
  for (; is_digit(*p); ++p) value = value * 10 + (*p - '0');
  return negative ? -value : value;
}

// The fields of proc(5); a name may contain spaces and parentheses, so it ends at the last one.
bool parse_stat(char* text, std::size_t size, TableEntry& entry) {
  text[size] = '\0';
  const char* const open = std::strchr(text, '(');
  const char* const close = std::strrchr(text, ')');
  if (open == nullptr || close == nullptr || close[1] != ' ') return false;
  const auto length = static_cast<std::size_t>(close - open - 1);
  const std::size_t kept = length < sizeof entry.name - 1 ? length : sizeof entry.name - 1;
  std::memcpy(entry.name, open + 1, kept);
  entry.name[kept] = '\0';
  entry.state = close[2];
  const char* p = close + 3;
  entry.parent = static_cast<pid_t>(next_number(p));
  entry.group = static_cast<pid_t>(next_number(p));
  entry.session = static_cast<pid_t>(next_number(p));
  for (int field = 7; field < 14; ++field) (void)next_number(p);
  entry.cpu_ticks = static_cast<std::uint64_t>(next_number(p));   // 14 utime
  entry.cpu_ticks += static_cast<std::uint64_t>(next_number(p));  // 15 stime
  for (int field = 16; field < 22; ++field) (void)next_number(p);
  entry.start_time = static_cast<std::uint64_t>(next_number(p));  // 22
  return true;
}

pid_t pid_named(const char* name) {
  std::int64_t pid = 0;
  for (; is_digit(*name) && pid < 1'000'000'000; ++name) pid = pid * 10 + (*name - '0');
  return *name == '\0' ? static_cast<pid_t>(pid) : 0;
}

// Where getdents64 puts the parts of an entry; the C library's readdir allocates.
constexpr std::size_t kLengthAt = 16;
constexpr std::size_t kNameAt = 19;

}  // namespace

bool read_entry(pid_t pid, TableEntry& entry) {
  std::array<char, 40> path{};
  write_path(path.data(), pid, "stat");
  const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 1024> text{};
  const ssize_t size = ::read(fd, text.data(), text.size() - 1);
  (void)::close(fd);
  entry = TableEntry{};
  entry.pid = pid;
  return size > 0 && parse_stat(text.data(), static_cast<std::size_t>(size), entry);
}

ProcessTable::~ProcessTable() {
  if (entries_ != nullptr) (void)::munmap(entries_, capacity_ * sizeof(TableEntry));
}

bool ProcessTable::reserve(std::size_t wanted) {
  if (wanted <= capacity_) return true;
  const std::size_t capacity = capacity_ == 0 ? 1024 : capacity_ * 2;
  void* const memory = capacity_ == 0
                           ? ::mmap(nullptr, capacity * sizeof(TableEntry), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                           : ::mremap(entries_, capacity_ * sizeof(TableEntry),
                                      capacity * sizeof(TableEntry), MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) return false;
  entries_ = static_cast<TableEntry*>(memory);
  capacity_ = capacity;
  return true;
}

bool ProcessTable::scan() {
  size_ = 0;
  const int fd = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  alignas(8) std::array<char, 16384> buffer{};
  long got = 0;
  while ((got = ::syscall(SYS_getdents64, fd, buffer.data(), buffer.size())) > 0) {
    for (long at = 0; at < got;) {
      const char* const record = buffer.data() + at;
      std::uint16_t length = 0;
      std::memcpy(&length, record + kLengthAt, sizeof length);
      at += length;
      const pid_t pid = pid_named(record + kNameAt);
      if (pid <= 0 || !reserve(size_ + 1)) continue;
      if (read_entry(pid, entries_[size_])) ++size_;
    }
  }
  (void)::close(fd);
  // The kernel lists them by number; find() relies on it, so it is made sure of.
  for (std::size_t i = 1; i < size_; ++i) {
    for (std::size_t j = i; j > 0 && entries_[j].pid < entries_[j - 1].pid; --j) {
      const TableEntry swapped = entries_[j];
      entries_[j] = entries_[j - 1];
      entries_[j - 1] = swapped;
    }
  }
  return got == 0;
}

const TableEntry* ProcessTable::find(pid_t pid) const {
  std::size_t low = 0;
  std::size_t high = size_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (entries_[middle].pid < pid) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < size_ && entries_[low].pid == pid ? entries_ + low : nullptr;
}

void ProcessTable::choose(pid_t pid) {
  for (std::size_t i = 0; i < size_; ++i) {
    if (entries_[i].pid == pid) entries_[i].chosen = true;
  }
}

void ProcessTable::mark_descendants(pid_t root) {
  bool changed = true;
  while (changed) {  // once more only where a child has a lower number than its parent
    changed = false;
    for (std::size_t i = 0; i < size_; ++i) {
      TableEntry& entry = entries_[i];
      if (entry.chosen || entry.pid == root) continue;
      const TableEntry* const parent = entry.parent == root ? nullptr : find(entry.parent);
      if (entry.parent == root || (parent != nullptr && parent->chosen)) {
        entry.chosen = true;
        changed = true;
      }
    }
  }
}

bool send_exactly(const TableEntry& entry, int signal) {
  // glibc 2.36 declares pidfd_open() without extern "C", so C++ cannot link to it.
  const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, entry.pid, 0));
  if (fd < 0) return false;
  // The descriptor holds the process, so what is read now is about the process that is signalled.
  TableEntry now;
  const bool same = read_entry(entry.pid, now) && now.start_time == entry.start_time;
  const bool sent = same && ::syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0) == 0;
  (void)::close(fd);
  return sent;
}

}  // namespace dragoman::process
