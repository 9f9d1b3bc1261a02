// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/chronicle.hpp"

#include <utility>

#include "dragoman/base/utf8.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/text_lines.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::engine {
namespace {

// Beyond that the text of a plain-text run is left to the raw recording, which has it anyway.
constexpr std::uint64_t kLargestStarts = std::uint64_t{64} << 20U;
constexpr std::uint64_t kRecordedText = std::uint64_t{64} << 20U;

}  // namespace

void LastEvents::add(const Event& event) {
  Slot& slot = slots_[count_++ % kKept];
  const DisplayText* const plain = plain_text(event);
  slot.plain = plain != nullptr;
  slot.seq = event.seq;
  slot.ts = event.ts;
  if (plain != nullptr) {
    slot.text.assign(utf8::head(plain->text.bytes, kLongest));
    slot.origin = event.origin;
    return;
  }
  slot.text.clear();
  append_json(slot.text, event);
  if (slot.text.size() <= kLongest) return;
  // Too long to carry along: what it was and where it stands.
  Event shortened = event;
  shortened.payload = Diagnostic{"left_out", Level::info, name(event.kind())};
  shortened.extra = {};
  slot.text = to_json(shortened);
}

std::vector<std::string> LastEvents::lines() const {
  std::vector<std::string> out;
  const std::uint64_t first = count_ > kKept ? count_ - kKept : 0;
  for (std::uint64_t i = first; i < count_; ++i) {
    const Slot& slot = slots_[i % kKept];
    if (!slot.plain) {
      out.push_back(slot.text);
      continue;
    }
    Event event;
    event.payload = DisplayText{json::Text(slot.text), {}};
    event.origin = slot.origin;
    event.seq = slot.seq;
    event.ts = slot.ts;
    out.push_back(to_json(event));
  }
  return out;
}

Chronicle::Chronicle(record::Recording& recording, const Loop& loop, std::optional<Dialect> known)
    : recording_(recording), loop_(loop), begun_(loop.now()), fold_(known) {}

std::chrono::microseconds Chronicle::since_start() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(loop_.now() - begun_);
}

void Chronicle::see(const Event& event, EventLine& line) {
  fold_.on_event(event);
  if (event.partial) return;
  last_.add(event);
  const DisplayText* const plain = plain_text(event);
  if (plain != nullptr) text_ += plain->text.bytes.size();
  if (recording_.directory().empty() || (plain != nullptr && text_ >= kRecordedText)) return;
  recording_.event(line.json());
}

void Chronicle::go_on(const Past& past) {
  begun_ -= past.wall;
  Arena arena;
  for (const std::string& line : past.events) {
    arena.reset();
    const auto event = read_event(line, arena);
    if (!event) continue;
    fold_.on_event(*event);
    if (const DisplayText* const plain = plain_text(*event)) text_ += plain->text.bytes.size();
    if (event->as<Finished>() == nullptr) continue;
    for (const Extra& field : event->extra) {
      if (field.key != "git") continue;
      if (const auto changes = read_git_changes(field.value.json)) fold_.see_changes(*changes);
    }
  }
  if (recording_.directory().empty()) return;
  const std::filesystem::path file = recording_.directory() / "starts.jsonl";
  bool cut = false;
  if (auto starts = record::File::go_on_with_lines(file, cut)) starts_file_ = *std::move(starts);
  // Each start has a line but the only one, and one whose end was not seen.
  ended_starts_ = 1;
  const auto text = record::read_whole(file, kLargestStarts);
  const std::string last = line_of_start(past.exit_code) + '\n';
  const std::string_view streams = std::string_view(last).substr(0, last.find("\"exit_code\""));
  const bool known = text && *text && (*text)->rfind(streams) != std::string::npos &&
                     (*text)->find('\n', (*text)->rfind(streams)) + 1 == (*text)->size();
  if (!known) starts_ = last;
}

std::string Chronicle::line_of_start(int exit_code) const {
  std::string line;
  json::Writer w(line);
  w.begin_object();
  w.key("stdin").count(recording_.account(record::Channel::stdin_).seen);
  w.key("stdout").count(recording_.account(record::Channel::stdout_).seen);
  w.key("stderr").count(recording_.account(record::Channel::stderr_).seen);
  w.key("exit_code").integer(exit_code);
  w.end_object();
  return line;
}

void Chronicle::start_ended(int exit_code) {
  if (recording_.directory().empty()) return;
  starts_ += line_of_start(exit_code) + '\n';
  if (++ended_starts_ > 1) write_starts();
}

// Of a run with one start the whole recording is that start.
void Chronicle::started() {
  if (!starts_.empty()) write_starts();
}

void Chronicle::write_starts() {
  if (!starts_file_.is_open()) {
    starts_file_ = record::File::when_written(recording_.directory() / "starts.jsonl");
  }
  (void)starts_file_.append(std::exchange(starts_, {}));
}

}  // namespace dragoman::engine
