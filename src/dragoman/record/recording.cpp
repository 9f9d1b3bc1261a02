// SPDX-License-Identifier: Apache-2.0
#include "dragoman/record/recording.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/record/documents.hpp"
#include "dragoman/record/file.hpp"
#include "dragoman/record/tail.hpp"

namespace dragoman::record {
namespace {

constexpr std::array<Channel, 3> kChannels = {Channel::stdin_, Channel::stdout_, Channel::stderr_};
// Chunks that come closer together than this share a time.
constexpr std::chrono::microseconds kSameTime{1000};
constexpr std::size_t kEventBuffer = 64 * 1024;

Result<void> make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::path made;
  for (const auto& part : std::filesystem::absolute(directory, error)) {
    made /= part;
    if (part.empty() || ::mkdir(made.c_str(), S_IRWXU) == 0 || errno == EEXIST) continue;
    const int reason = errno;  // looking whether it is there has reasons of its own
    if (std::filesystem::is_directory(made, error)) continue;
    return Error{ErrorCode::internal,
                 fmt::format("make directory '{}': {}", made.string(), std::strerror(reason))};
  }
  const bool empty = std::filesystem::is_empty(directory, error);
  if (error) {
    return Error{ErrorCode::internal,
                 fmt::format("record in '{}': {}", directory.string(), error.message())};
  }
  if (!empty) {
    return Error{ErrorCode::validation,
                 fmt::format("record in '{}': there is something already", directory.string())};
  }
  if (::chmod(directory.c_str(), S_IRWXU) != 0) {
    return Error{ErrorCode::internal,
                 fmt::format("make '{}' private: {}", directory.string(), std::strerror(errno))};
  }
  return {};
}

}  // namespace

std::string_view name(Channel channel) {
  switch (channel) {
    case Channel::stdin_:
      return "stdin";
    case Channel::stdout_:
      return "stdout";
    case Channel::stderr_:
      return "stderr";
  }
  return {};
}

class Recording::Files {
 public:
  explicit Files(const RecordingOptions& options)
      : limit_(options.limit), rules_(options.rules ? options.rules : redact::make_rules()) {
    for (const Channel channel : kChannels) one(channel).filter.emplace(rules_);
  }

  [[nodiscard]] std::string redacted(std::string_view text) const {
    return redact::redacted(text, rules_);
  }
  [[nodiscard]] const std::shared_ptr<const redact::Rules>& rules() const { return rules_; }
  void keep_secret(std::string_view answer) {
    rules_ = redact::with_answer(*rules_, answer);
    for (const Channel channel : kChannels) one(channel).filter->use(rules_);
  }

  Result<void> open(const std::filesystem::path& directory, const CommandRecord& command) {
    DRAGOMAN_CHECK(make_directory(directory));
    directory_ = directory;
    timing_ = File::when_written(directory / "timing");
    events_ = File::when_written(directory / "events.jsonl");
    redactions_ = File::when_written(directory / "redactions.jsonl");
    for (const Channel channel : kChannels)
      one(channel).file = File::when_written(directory / name(channel));
    // Last: where it is, there is a recording.
    return replace_file(directory / "command.json", to_json(command));
  }

  Result<void> go_on(const std::filesystem::path& directory, bool& cut) {
    DRAGOMAN_TRY(const auto exit, read_whole(directory / "exit.json", kLargestDocument));
    ExitRecord last;
    // What is no account, or one of other files, is not believed.
    if (auto known = exit ? read_exit(*exit) : Result<ExitRecord>(ExitRecord{})) last = *known;
    DRAGOMAN_TRY(timing_, File::go_on_with_lines(directory / "timing", cut));
    DRAGOMAN_TRY(events_, File::go_on_with_lines(directory / "events.jsonl", cut));
    DRAGOMAN_TRY(redactions_, File::go_on_with_lines(directory / "redactions.jsonl", cut));
    events_size_ = events_.size();
    redactions_size_ = redactions_.size();
    for (const Channel channel : kChannels) {
      One& part = one(channel);
      DRAGOMAN_TRY(part.file, File::go_on(directory / name(channel)));
      const ChannelAccount& account = channel == Channel::stdin_    ? last.stdin_account
                                      : channel == Channel::stdout_ ? last.stdout_account
                                                                    : last.stderr_account;
      part.account.kept = part.account.seen = part.file.size();
      if (account.kept != part.account.kept) continue;
      part.account = account;
      part.account.cut = account.seen - std::min(account.seen, account.kept);
      part.broken = part.account.cut > 0;
      if (!part.broken) continue;
      DRAGOMAN_TRY(const auto tail,
                   read_whole(directory / fmt::format("{}.tail", name(channel)), kLargestDocument));
      part.tail.push(tail.value_or(""));
    }
    directory_ = directory;
    return {};
  }

  std::string_view take(Channel channel, std::string_view bytes, std::chrono::microseconds at) {
    flush_events();
    one(channel).ended = false;  // the agent was started once more: the channel goes on
    return keep(channel, one(channel).filter->push(bytes), at);
  }
  std::string_view end(Channel channel, std::chrono::microseconds at) {
    if (std::exchange(one(channel).ended, true)) return {};
    return keep(channel, one(channel).filter->finish(), at);
  }

  void event(std::string_view line) {
    if (!events_.is_open()) return;
    const std::uint64_t size = line.size() + 1;
    if (limit_ != 0 && events_size_ + size > limit_) {
      note("events.jsonl", "the limit of the recording is reached");
      return;
    }
    events_size_ += size;
    event_lines_.append(line).push_back('\n');
    if (event_lines_.size() >= kEventBuffer) flush_events();
  }
  void flush_events() {
    if (event_lines_.empty()) return;
    append(events_, "events.jsonl", event_lines_);
    event_lines_.clear();
  }

  void replace(std::string_view file, std::string_view text) {
    if (directory_.empty()) return;
    if (const auto done = replace_file(directory_ / file, text); !done && !fault_) {
      fault_ = done.error();
    }
  }
  void remove_ends() {
    if (directory_.empty()) return;
    std::error_code gone;
    for (const std::string_view file : {"verdict.json", "exit.json"})
      std::filesystem::remove(directory_ / file, gone);
  }
  void write_exit(ExitRecord exit) {
    for (const Channel channel : kChannels) (void)end(channel, exit.wall);
    flush_events();
    for (const Channel channel : kChannels) {
      const One& part = one(channel);
      if (part.account.cut > 0) replace(fmt::format("{}.tail", name(channel)), part.tail.text());
    }
    exit.stdin_account = one(Channel::stdin_).account;
    exit.stdout_account = one(Channel::stdout_).account;
    exit.stderr_account = one(Channel::stderr_).account;
    if (fault_ && exit.fault.empty()) exit.fault = fault_->message;
    replace("exit.json", to_json(exit));
  }

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] const ChannelAccount& account(Channel channel) const {
    return channels_[static_cast<std::size_t>(channel)].account;
  }
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }
  [[nodiscard]] std::string last_output() const { return last_.text(); }

 private:
  struct One {
    std::optional<redact::Filter> filter;
    File file;
    ChannelAccount account;
    Tail tail;
    bool ended = false;
    bool broken = false;  // a write failed: what follows has no place in the file any more
  };
  One& one(Channel channel) { return channels_[static_cast<std::size_t>(channel)]; }

  std::string_view keep(Channel channel, std::string_view bytes, std::chrono::microseconds at) {
    One& part = one(channel);
    if (!bytes.empty()) {
      if (channel != Channel::stdin_) last_.push(bytes);
      part.account.seen += bytes.size();
      if (part.file.is_open()) write(channel, part, bytes, at);
    }
    note_redactions(channel, part);
    return bytes;
  }

  void write(Channel channel, One& part, std::string_view bytes, std::chrono::microseconds at) {
    std::size_t room = part.broken ? 0 : bytes.size();
    if (limit_ != 0)
      room = std::min<std::uint64_t>(room, limit_ - std::min(limit_, part.account.kept));
    if (room > 0) {
      stamp(channel, part.account.kept, at);
      const File::Appended done = part.file.append(bytes.substr(0, room));
      part.account.kept += done.bytes;
      if (done.error != 0) {
        part.broken = true;
        note(name(channel), std::strerror(done.error));
      }
    }
    part.account.cut = part.account.seen - part.account.kept;
    if (part.account.cut > 0) part.tail.push(bytes);
  }

  // "<microseconds> <channel> <offset>": from that offset on, its bytes came at that time or later.
  void stamp(Channel channel, std::uint64_t offset, std::chrono::microseconds at) {
    if (stamped_ == channel && at - stamped_at_ < kSameTime) return;
    stamped_ = channel;
    stamped_at_ = at;
    append(timing_, "timing",
           fmt::format("{} {} {}\n", at.count(), static_cast<unsigned>(channel), offset));
  }

  void note_redactions(Channel channel, One& part) {
    std::string lines;
    for (const redact::Redaction& found : part.filter->take_redactions()) {
      ++part.account.redactions;
      json::Writer w(lines);
      w.begin_object();
      w.name("channel").string(name(channel));
      w.name("offset").count(found.offset);
      w.name("length").count(found.length);
      w.name("kind").string(found.kind);
      w.end_object();
      lines.push_back('\n');
    }
    if (lines.empty() || !redactions_.is_open()) return;
    redactions_size_ += lines.size();
    if (limit_ != 0 && redactions_size_ > limit_) {
      note("redactions.jsonl", "the limit of the recording is reached");
    } else {
      append(redactions_, "redactions.jsonl", lines);
    }
  }

  void append(File& file, std::string_view file_name, std::string_view bytes) {
    if (const File::Appended done = file.append_whole(bytes); done.error != 0) {
      note(file_name, std::strerror(done.error));
    }
  }
  void note(std::string_view file, std::string_view why) {
    if (!fault_) fault_ = Error{ErrorCode::internal, fmt::format("write {}: {}", file, why)};
  }

  std::uint64_t limit_;
  std::shared_ptr<const redact::Rules> rules_;
  std::filesystem::path directory_;
  std::array<One, 3> channels_;
  File timing_;
  File events_;
  File redactions_;
  std::string event_lines_;
  std::uint64_t events_size_ = 0;
  std::uint64_t redactions_size_ = 0;
  std::optional<Channel> stamped_;
  std::chrono::microseconds stamped_at_{0};
  Tail last_;
  std::optional<Error> fault_;
};

Result<std::unique_ptr<Recording>> Recording::create(const std::filesystem::path& directory,
                                                     const CommandRecord& command,
                                                     const RecordingOptions& options) {
  auto files = std::make_unique<Files>(options);
  auto opened = files->open(directory, command);
  if (opened) return std::unique_ptr<Recording>(new Recording(std::move(files)));
  Error error = std::move(opened).error();
  error.reason = "record";
  return error;
}

std::unique_ptr<Recording> Recording::discard(const RecordingOptions& options) {
  return std::unique_ptr<Recording>(new Recording(std::make_unique<Files>(options)));
}

Result<std::unique_ptr<Recording>> Recording::go_on(const std::filesystem::path& directory,
                                                    bool& cut, const RecordingOptions& options) {
  auto files = std::make_unique<Files>(options);
  auto opened = files->go_on(directory, cut);
  if (opened) return std::unique_ptr<Recording>(new Recording(std::move(files)));
  Error error = std::move(opened).error();
  error.reason = "record";
  return error;
}

Recording::Recording(std::unique_ptr<Files> files) : files_(std::move(files)) {}
Recording::~Recording() { files_->flush_events(); }

std::string_view Recording::output(Channel channel, std::string_view bytes,
                                   std::chrono::microseconds at) {
  return files_->take(channel, bytes, at);
}
std::string_view Recording::end(Channel channel, std::chrono::microseconds at) {
  return files_->end(channel, at);
}
void Recording::keep_secret(std::string_view answer) { files_->keep_secret(answer); }
std::string Recording::redacted(std::string_view text) const { return files_->redacted(text); }
const std::shared_ptr<const redact::Rules>& Recording::rules() const { return files_->rules(); }
void Recording::event(std::string_view json_line) { files_->event(json_line); }
void Recording::update_command(const CommandRecord& command) {
  files_->replace("command.json", to_json(command));
}
void Recording::exit(ExitRecord exit) { files_->write_exit(std::move(exit)); }
void Recording::turn_began() { files_->remove_ends(); }
void Recording::verdict(std::string_view json) {
  files_->flush_events();
  files_->replace("verdict.json", json);
}
const std::filesystem::path& Recording::directory() const { return files_->directory(); }
ChannelAccount Recording::account(Channel channel) const { return files_->account(channel); }
std::optional<Error> Recording::fault() const { return files_->fault(); }
std::string Recording::last_output() const { return files_->last_output(); }

}  // namespace dragoman::record
