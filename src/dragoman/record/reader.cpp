// SPDX-License-Identifier: Apache-2.0
#include "dragoman/record/reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "dragoman/record/documents.hpp"
#include "dragoman/record/file.hpp"

namespace dragoman::record {
namespace {

constexpr std::size_t kPiece = 64 * 1024;
constexpr std::uint64_t kLargestTable = 512 << 20;

// A time and the bytes that came with it.
struct Stretch {
  Channel channel = Channel::stdout_;
  std::chrono::microseconds at{0};
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

bool read_number(std::string_view& line, std::uint64_t& number) {
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<std::size_t>(rest - line.data()));
  if (line.starts_with(' ')) line.remove_prefix(1);
  return true;
}

std::optional<Stretch> parse_stamp(std::string_view line) {
  std::uint64_t at = 0;
  std::uint64_t channel = 0;
  std::uint64_t offset = 0;
  if (!read_number(line, at) || !read_number(line, channel) || !read_number(line, offset) ||
      !line.empty() || channel > 2) {
    return std::nullopt;
  }
  return Stretch{static_cast<Channel>(channel),
                 std::chrono::microseconds(static_cast<std::int64_t>(at)), offset, offset};
}

// Half a line at the end is what a crash leaves; broken ones before it are passed over.
std::vector<Stretch> parse_timing(std::string_view text) {
  std::vector<Stretch> stamps;
  for (std::size_t newline = 0; (newline = text.find('\n')) != std::string_view::npos;) {
    if (const auto stamp = parse_stamp(text.substr(0, newline))) stamps.push_back(*stamp);
    text.remove_prefix(newline + 1);
  }
  return stamps;
}

}  // namespace

class Reader::Source {
 public:
  Result<void> open(const std::filesystem::path& directory) {
    directory_ = directory;
    DRAGOMAN_TRY(const auto command, read_whole(directory / "command.json", kLargestDocument));
    if (!command) {
      return Error{ErrorCode::not_found,
                   fmt::format("read '{}': there is no recording", directory.string())};
    }
    DRAGOMAN_TRY(command_, read_command(*command));
    DRAGOMAN_TRY(const auto exit, read_whole(directory / "exit.json", kLargestDocument));
    if (exit) {
      DRAGOMAN_TRY(exit_, read_exit(*exit));
    }
    DRAGOMAN_TRY(verdict_, read_whole(directory / "verdict.json", kLargestDocument));
    DRAGOMAN_TRY(const auto timing, read_whole(directory / "timing", kLargestTable));
    for (const Channel channel : {Channel::stdin_, Channel::stdout_, Channel::stderr_}) {
      auto file = File::open(directory / name(channel));
      if (file) files_[static_cast<std::size_t>(channel)] = *std::move(file);
    }
    lay_out(parse_timing(timing.value_or("")));
    return {};
  }

  std::optional<Chunk> next() {
    while (at_ < stretches_.size()) {
      const Stretch& stretch = stretches_[at_];
      const std::uint64_t from = stretch.begin + done_;
      const std::size_t wanted = std::min<std::uint64_t>(stretch.end - from, kPiece);
      buffer_.resize(wanted);
      const std::size_t got = wanted == 0 ? 0
                                          : files_[static_cast<std::size_t>(stretch.channel)].read(
                                                buffer_.data(), wanted, from);
      if (got == 0) {
        ++at_;
        done_ = 0;
        continue;
      }
      done_ += got;
      return Chunk{stretch.channel, stretch.at, from, std::string_view(buffer_).substr(0, got)};
    }
    return std::nullopt;
  }
  void rewind() { at_ = done_ = 0; }

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] const CommandRecord& command() const { return command_; }
  [[nodiscard]] const std::optional<ExitRecord>& exit() const { return exit_; }
  [[nodiscard]] const std::optional<std::string>& verdict() const { return verdict_; }

 private:
  // Each stamp reaches to the next one of its channel; the last to the end of the file.
  void lay_out(std::vector<Stretch> stamps) {
    std::array<std::uint64_t, 3> end{};
    const auto last = stamps.empty() ? std::chrono::microseconds(0) : stamps.back().at;
    for (std::size_t i = 0; i < files_.size(); ++i)
      end[i] = files_[i].is_open() ? files_[i].size() : 0;
    for (auto stamp = stamps.rbegin(); stamp != stamps.rend(); ++stamp) {
      std::uint64_t& reached = end[static_cast<std::size_t>(stamp->channel)];
      stamp->begin = std::min(stamp->begin, reached);
      stamp->end = reached;
      reached = stamp->begin;
    }
    for (std::size_t i = 0; i < end.size(); ++i) {
      if (end[i] > 0) stamps.push_back({static_cast<Channel>(i), last, 0, end[i]});
    }
    stretches_ = std::move(stamps);
  }

  std::filesystem::path directory_;
  CommandRecord command_;
  std::optional<ExitRecord> exit_;
  std::optional<std::string> verdict_;
  std::array<File, 3> files_;
  std::vector<Stretch> stretches_;
  std::size_t at_ = 0;
  std::uint64_t done_ = 0;  // of the current stretch
  std::string buffer_;
};

Result<std::unique_ptr<Reader>> Reader::open(const std::filesystem::path& directory) {
  auto source = std::make_unique<Source>();
  DRAGOMAN_CHECK(source->open(directory));
  return std::unique_ptr<Reader>(new Reader(std::move(source)));
}

Reader::Reader(std::unique_ptr<Source> source) : source_(std::move(source)) {}
Reader::~Reader() = default;

const CommandRecord& Reader::command() const { return source_->command(); }
const std::optional<ExitRecord>& Reader::exit() const { return source_->exit(); }
const std::optional<std::string>& Reader::verdict() const { return source_->verdict(); }
std::optional<Chunk> Reader::next() { return source_->next(); }
void Reader::rewind() { source_->rewind(); }

Result<std::vector<std::string>> Reader::events() const {
  DRAGOMAN_TRY(const auto text, read_whole(source_->directory() / "events.jsonl", kLargestTable));
  std::vector<std::string> lines;
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  for (std::size_t newline = 0; (newline = rest.find('\n')) != std::string_view::npos;) {
    lines.emplace_back(rest.substr(0, newline));
    rest.remove_prefix(newline + 1);
  }
  return lines;
}

}  // namespace dragoman::record
