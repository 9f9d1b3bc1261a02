// SPDX-License-Identifier: Apache-2.0
// Reading a recording back, also one that was cut off at any byte.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/record/recording.hpp"

namespace dragoman::record {

// Bytes of one channel that came at one time.
struct Chunk {
  Channel channel = Channel::stdout_;
  std::chrono::microseconds at{0};
  std::uint64_t offset = 0;  // of its first byte in the channel
  std::string_view bytes;    // valid until the next call
};

// Of a run that crashed there may be no exit and no verdict: absent is not an error. Bytes whose
// time was not written down any more come with the last time that was.
class Reader {
 public:
  // not_found when there is no recording at `directory`.
  [[nodiscard]] static Result<std::unique_ptr<Reader>> open(const std::filesystem::path& directory);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] const CommandRecord& command() const;
  [[nodiscard]] const std::optional<ExitRecord>& exit() const;
  [[nodiscard]] const std::optional<std::string>& verdict() const;  // the JSON document

  // All chunks of all channels in the order in which they came, of at most 64 KiB each; none: the
  // end.
  [[nodiscard]] std::optional<Chunk> next();
  void rewind();

  // The whole lines of events.jsonl; the half line of a crash is left out.
  [[nodiscard]] Result<std::vector<std::string>> events() const;

 private:
  class Source;
  explicit Reader(std::unique_ptr<Source> source);
  std::unique_ptr<Source> source_;
};

}  // namespace dragoman::record
