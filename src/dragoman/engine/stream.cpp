// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/stream.hpp"

#include "dragoman/base/utf8.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/record/clean_event.hpp"

namespace dragoman::engine {

std::string_view EventLine::json() {
  if (!written_) {
    buffer_.clear();
    append_json(buffer_, event_);
    written_ = true;
  }
  return buffer_;
}

// Gives each event that is kept its number.
class EventStream::Numbers final : public EventSink {
 public:
  explicit Numbers(const std::function<void(const Event&)>& out) : out_(out) {}
  void on_event(const Event& event) override {
    Event numbered = event;
    if (!event.partial) numbered.seq = ++seq_;
    out_(numbered);
  }
  void go_on(std::uint64_t seq) { seq_ = seq; }

 private:
  const std::function<void(const Event&)>& out_;
  std::uint64_t seq_ = 0;
};

// Events of the second start stand behind those of the first.
class EventStream::Shift final : public EventSink {
 public:
  explicit Shift(EventStream& stream) : stream_(stream) {}
  void on_event(const Event& event) override {
    Event shifted = event;
    shifted.origin.offset += offset_;
    shifted.origin.line += line_;
    shifted.ts = stream_.now_;
    stream_.pass(shifted, From::spoken);
  }
  void move(std::uint64_t offset, std::uint64_t lines) {
    offset_ = offset;
    line_ += lines;
  }

 private:
  EventStream& stream_;
  std::uint64_t offset_ = 0;
  std::uint64_t line_ = 0;
};

EventStream::EventStream(std::function<void(const Event&)> live,
                         std::function<void(const Event&)> numbered,
                         std::function<bool(Event&)> admits,
                         std::function<std::shared_ptr<const redact::Rules>()> rules)
    : live_(std::move(live)),
      numbered_(std::move(numbered)),
      admits_(std::move(admits)),
      rules_(std::move(rules)),
      numbers_(std::make_unique<Numbers>(numbered_)),
      lines_(std::make_unique<TextLines>(*numbers_)),
      shift_(std::make_unique<Shift>(*this)) {}

EventStream::~EventStream() = default;

void EventStream::pass(const Event& event, From from) {
  const auto rules = rules_ ? rules_() : nullptr;
  if (rules == nullptr) return give_out(event, from);
  give_out(record::CleanEvent(event, rules).event(), from);
}

void EventStream::give_out(const Event& event, From from) {
  if (from == From::spoken) {
    Event admitted = event;
    if (admits_ && !admits_(admitted)) return;
    live_(admitted);
    return lines_->on_event(admitted);
  }
  lines_->flush();
  live_(event);
  numbers_->on_event(event);
}

void EventStream::go_on(const Position& from) {
  numbers_->go_on(from.seq);
  stdout_bytes_ = from.stdout_bytes;
  stderr_bytes_ = from.stderr_bytes;
  stderr_lines_ = from.stderr_lines;
  shift_->move(from.stdout_bytes, from.stdout_lines);
}

void EventStream::begin(std::optional<Dialect> dialect, const ReaderOptions& options,
                        bool stderr_blocks) {
  stderr_blocks_ = stderr_blocks;
  detects_ = !dialect.has_value();
  reader_ = dialect.has_value() ? make_reader(*dialect, options) : make_detecting_reader(options);
}

void EventStream::push_stdout(std::string_view bytes, Timestamp now) {
  now_ = now;
  stdout_bytes_ += bytes.size();
  reader_->push(bytes, *shift_);
}

void EventStream::push_stderr(std::string_view bytes, Timestamp now) {
  now_ = now;
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::size_t take = newline == std::string_view::npos ? bytes.size() : newline + 1;
    const std::size_t room = kMaxTextPiece - stderr_pending_.size();
    stderr_pending_.append(bytes.substr(0, std::min(take, room)));
    bytes.remove_prefix(std::min(take, room));
    if (stderr_pending_.back() == '\n') {
      stderr_line(stderr_pending_);
      stderr_pending_.clear();
    } else if (stderr_pending_.size() == kMaxTextPiece) {
      const std::size_t half = utf8::incomplete_tail(stderr_pending_);
      stderr_line(std::string_view(stderr_pending_).substr(0, kMaxTextPiece - half));
      stderr_pending_.erase(0, kMaxTextPiece - half);
    }
  }
}

void EventStream::stderr_line(std::string_view line) {
  Event event;
  event.origin.stream = Stream::stderr_;
  event.origin.channel = Channel::stderr_;
  event.origin.offset = stderr_bytes_;
  event.origin.length = line.size();
  event.origin.line = stderr_lines_ + 1;
  event.ts = now_;
  stderr_bytes_ += line.size();
  const bool whole = line.ends_with('\n');
  if (whole) ++stderr_lines_;
  constexpr std::string_view kBlocked = "[BLOCKED] ";
  if (stderr_blocks_ && line.starts_with(kBlocked)) {
    event.origin.dialect = Dialect::markers;
    event.payload =
        Blocked{line.substr(kBlocked.size(), line.size() - kBlocked.size() - whole), {}};
  } else {
    event.payload = DisplayText{json::Text(line), {}};
  }
  pass(event, From::beside);
}

void EventStream::idle() {
  if (reader_ != nullptr) reader_->idle(*shift_);
}

void EventStream::show_beginning() {
  constexpr std::uint64_t kUndecided = 20;  // lines after which a reader that detects has decided
  if (detects_ && dialect() == Dialect::text && reader_->lines() <= kUndecided)
    reader_->idle(*shift_);
}

void EventStream::finish(Timestamp now) {
  now_ = now;
  if (reader_ == nullptr) return;
  reader_->finish(*shift_);
  lines_->flush();
  shift_->move(stdout_bytes_, reader_->lines());
  if (!stderr_pending_.empty()) stderr_line(stderr_pending_);
  stderr_pending_.clear();
}

void EventStream::tell(const Payload& payload, Timestamp now, std::span<const Extra> extra,
                       Channel channel) {
  Event event;
  event.payload = payload;
  event.origin.dialect = dialect();
  event.origin.channel = channel;
  event.origin.offset = stdout_bytes_;
  event.ts = now;
  event.extra = extra;
  pass(event, From::beside);
}

Dialect EventStream::dialect() const {
  return reader_ == nullptr ? Dialect::text : reader_->dialect();
}

}  // namespace dragoman::engine
