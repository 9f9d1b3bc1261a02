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

void Chronicle::start_ended(int exit_code) {
  if (recording_.directory().empty()) return;
  std::string line;
  json::Writer w(line);
  w.begin_object();
  w.key("stdin").count(recording_.account(record::Channel::stdin_).seen);
  w.key("stdout").count(recording_.account(record::Channel::stdout_).seen);
  w.key("stderr").count(recording_.account(record::Channel::stderr_).seen);
  w.key("exit_code").integer(exit_code);
  w.end_object();
  starts_ += line + '\n';
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
