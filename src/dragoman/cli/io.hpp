// SPDX-License-Identifier: Apache-2.0
// Files and pipes, at their full speed.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"

namespace dragoman::cli {

// A program that was started with a closed stdout would get that number for the first file it
// opens. Closed standard descriptors are filled with one that fails every use.
void fill_standard_descriptors();

// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  [[nodiscard]] int get() const { return fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

// Milliseconds of silence after which blocks that only wait are given out, and between two looks at
// a file that may grow.
inline constexpr int kSilenceMs = 200;
inline constexpr int kLookAgainMs = 50;

// Bytes to read, from a file or, as "-", from stdin.
class Input {
 public:
  // "cannot read 'x': No such file or directory"
  static Result<Input> open(const std::string& path);
  // The same complaint without keeping it open; for files that are read later.
  static Result<void> check(const std::string& path);

  // The next bytes, valid until the next call; none: the end, or nothing more at the moment in a
  // file that may still grow.
  Result<std::string_view> read();

  // The next bytes are to be those at `offset` of a regular file.
  Result<void> skip_to(std::size_t offset);

  enum class Wait : std::uint8_t { ready, silence, interrupted };
  // Waits for more to come on a pipe or terminal. A regular file is always ready. A negative time
  // waits forever.
  [[nodiscard]] Wait wait(int milliseconds) const;

  [[nodiscard]] bool is_live() const { return live_; }  // a pipe, a terminal, a socket
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const std::string& name() const { return name_; }  // for messages

 private:
  struct FreeBuffer {
    void operator()(char* p) const;
  };

  Descriptor fd_;
  std::string name_;
  bool live_ = false;
  std::unique_ptr<char, FreeBuffer> buffer_;
};

// Bytes written to a descriptor in large pieces. Pieces end where flush points are set, so that a
// reader at the other end sees whole lines.
class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}
  ~Output() { (void)flush(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view bytes) {
    buffer_.append(bytes);
    end_piece();
  }
  // Append here and call end_piece(): saves a copy.
  [[nodiscard]] std::string& buffer() { return buffer_; }
  void end_piece() {
    if (buffer_.size() >= kPiece) (void)flush();
  }

  // False once writing has failed; nothing more is written then.
  bool flush();
  [[nodiscard]] bool failed() const { return error_ != 0; }
  [[nodiscard]] int error() const { return error_; }
  // Waits that long, unless everybody who could read what is written is gone before; true then.
  [[nodiscard]] bool abandoned_within(int milliseconds) const;

 private:
  static constexpr std::size_t kPiece = 128 * 1024;

  int fd_;
  int error_ = 0;
  std::string buffer_;
};

}  // namespace dragoman::cli
