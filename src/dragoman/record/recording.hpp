// SPDX-License-Identifier: Apache-2.0
// Writing down a run. docs/recordings.md describes the directory.
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
#include "dragoman/redact/filter.hpp"

namespace dragoman::record {

enum class Channel : std::uint8_t { stdin_, stdout_, stderr_ };
[[nodiscard]] std::string_view name(Channel channel);  // the name of its file: "stdout"

// What was started. Values of environment variables have no place here.
struct CommandRecord {
  std::string agent;    // by its name
  std::string program;  // the file that was executed
  std::vector<std::string> arguments;
  std::string directory;
  std::vector<std::string> environment_names;
  std::string started_at;  // 2026-11-15T10:05:22.104Z
  std::string session_id = {};
  std::string dialect = {};
  bool terminal = false;
  std::string run = {};  // its id; empty in recordings from before it was written down

  friend bool operator==(const CommandRecord&, const CommandRecord&) = default;
};

// What became of one channel: seen = kept + cut, always.
struct ChannelAccount {
  std::uint64_t seen = 0;  // redacted bytes
  std::uint64_t kept = 0;  // in its file
  std::uint64_t cut = 0;   // beyond the limit; the last 64 KiB of them are in "<channel>.tail"
  std::uint64_t redactions = 0;

  friend bool operator==(const ChannelAccount&, const ChannelAccount&) = default;
};

struct ExitRecord {
  std::string how;  // "exited", "signal", "lost"
  int code = 0;     // the exit code or the signal's number
  std::chrono::microseconds wall{0};
  std::chrono::microseconds cpu{0};
  std::uint64_t max_rss_bytes = 0;
  std::string timeout = {};     // "idle", "hard", "after_result" when a limit ended it
  bool stopped = false;         // somebody stopped it
  bool rested = false;          // its turn had ended before: the exit says nothing about that
  bool output_cut = false;      // a descendant held the pipe beyond the drain
  std::uint32_t survivors = 0;  // processes of the run that could not be ended
  // Filled in by the recording.
  ChannelAccount stdin_account = {};
  ChannelAccount stdout_account = {};
  ChannelAccount stderr_account = {};
  std::string fault =
      {};  // why the recording is incomplete: "write stdout: No space left on device"

  friend bool operator==(const ExitRecord&, const ExitRecord&) = default;
};

struct RecordingOptions {
  std::uint64_t limit = std::uint64_t{512} << 20;  // bytes of each channel; 0: none
  std::shared_ptr<const redact::Rules> rules;      // absent: make_rules()
};

// Owns the directory while the run goes on. Redacts, writes, then hands on: what output() returns
// is on its way to the disk already, and is what everybody else (readers, views) is to be given.
//
// Writing never fails the run: a full disk is noted once in fault(), bytes that could not be
// written are counted as cut, and the redacted bytes are handed on all the same.
class Recording {
 public:
  // Makes `directory` (0700; its parents too), which must not exist or be empty. Files are 0600.
  [[nodiscard]] static Result<std::unique_ptr<Recording>> create(
      const std::filesystem::path& directory, const CommandRecord& command,
      const RecordingOptions& options = {});
  // Goes on with the recording in `directory`, which no other process may be writing: all of its
  // files are appended to. not_found where there is none. `cut`: it ended in the middle of a line,
  // as a crash leaves it; half a line of events or times is taken away.
  [[nodiscard]] static Result<std::unique_ptr<Recording>> go_on(
      const std::filesystem::path& directory, bool& cut, const RecordingOptions& options = {});
  // Redacts and hands on, and keeps nothing: for --no-record.
  [[nodiscard]] static std::unique_ptr<Recording> discard(const RecordingOptions& options = {});
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // The redacted bytes; valid until the next call for this channel, and as long as `bytes`. `at` is
  // the time since the start of the run.
  [[nodiscard]] std::string_view output(Channel channel, std::string_view bytes,
                                        std::chrono::microseconds at);
  // The channel ends: what was held back.
  [[nodiscard]] std::string_view end(Channel channel, std::chrono::microseconds at);
  // An answer that somebody gave in confidence: it is redacted from here on, in all channels, also
  // in what they hold back. Shorter than 8 bytes it cannot be, see redact::make_rules.
  void keep_secret(std::string_view answer);
  // One text by the same rules, such as an answer that an event is to carry.
  [[nodiscard]] std::string redacted(std::string_view text) const;
  [[nodiscard]] const std::shared_ptr<const redact::Rules>& rules() const;
  // A canonical event line without its newline, made from redacted bytes.
  void event(std::string_view json_line);

  void update_command(const CommandRecord& command);  // when the session id is known
  // Each replaces its file in one step. exit() ends all channels that end() was not called for.
  void exit(ExitRecord exit);
  void verdict(std::string_view json);
  void turn_began();  // what the end of the one before has written is not so any more

  [[nodiscard]] const std::filesystem::path& directory() const;  // empty: discard()
  [[nodiscard]] ChannelAccount account(Channel channel) const;
  [[nodiscard]] std::optional<Error> fault() const;
  // The last 64 KiB of stdout and stderr as they came, redacted: what a timeout's result carries.
  [[nodiscard]] std::string last_output() const;

 private:
  class Files;
  explicit Recording(std::unique_ptr<Files> files);
  std::unique_ptr<Files> files_;
};

}  // namespace dragoman::record
