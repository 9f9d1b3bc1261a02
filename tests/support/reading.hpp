// SPDX-License-Identifier: Apache-2.0
// Running a reader over bytes and looking at what it said.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/keep.hpp"

namespace dragoman::test {

using MakeReader = std::function<std::unique_ptr<Reader>()>;

// What a stream gave. Neighbouring pieces of one text are joined, so that two readings can be
// compared however the text was cut.
struct StreamReading {
  std::vector<std::string> lines;  // canonical JSON, one for each event
  std::vector<Record> records;
  std::uint64_t line_count = 0;
  Dialect dialect = Dialect::text;
  friend bool operator==(const StreamReading&, const StreamReading&) = default;
};

class StreamSink final : public EventSink {
 public:
  void on_event(const Event& event) override {
    const auto* text = event.as<DisplayText>();
    if (text == nullptr) {
      flush();
      reading.lines.push_back(to_json(event));
      return;
    }
    const bool joins =
        !open_.empty() && event.partial == partial_ && text->block == block_ &&
        event.origin.channel == origin_.channel &&
        (text->block.has_value() || event.origin.offset == origin_.offset + origin_.length);
    if (!joins) flush();
    if (open_.empty()) {
      origin_ = event.origin;
      parent_ = event.origin.parent;
      has_parent_ = event.origin.parent.data() != nullptr;
      block_ = text->block;
      partial_ = event.partial;
      open_ = "t";
      text_.clear();
    } else if (!text->block.has_value()) {
      origin_.length += event.origin.length;
    }
    json::decode_to(text_, text->text);
  }
  void on_record(const Record& record) override { reading.records.push_back(record); }

  void flush() {
    if (open_.empty()) return;
    open_.clear();
    Event event;
    event.payload = DisplayText{json::Text(text_), block_};
    event.origin = origin_;
    event.origin.parent = has_parent_ ? std::string_view(parent_) : std::string_view{};
    event.partial = partial_;
    reading.lines.push_back(to_json(event));
  }

  StreamReading reading;

 private:
  std::string open_;  // not empty while a text is being joined
  std::string text_;
  std::string parent_;
  bool has_parent_ = false;
  Origin origin_;
  std::optional<std::int64_t> block_;
  bool partial_ = false;
};

// `cut` says how long the next chunk is, given where it starts.
inline StreamReading read_in_chunks(Reader& reader, std::string_view input,
                                    const std::function<std::size_t(std::size_t)>& cut) {
  StreamSink sink;
  for (std::size_t at = 0; at < input.size();) {
    const std::size_t size = std::min(std::max<std::size_t>(cut(at), 1), input.size() - at);
    // A copy of its own for each chunk: a reader that keeps a view into an old one is found out.
    const std::string chunk(input.substr(at, size));
    reader.push(chunk, sink);
    at += size;
  }
  reader.finish(sink);
  sink.flush();
  sink.reading.line_count = reader.lines();
  sink.reading.dialect = reader.dialect();
  return std::move(sink.reading);
}

inline StreamReading read_whole(Reader& reader, std::string_view input) {
  return read_in_chunks(reader, input, [&](std::size_t) { return input.size(); });
}

inline StreamReading read_bytewise(Reader& reader, std::string_view input) {
  return read_in_chunks(reader, input, [](std::size_t) { return std::size_t{1}; });
}

// Everything one reader said, with the bytes the events point at.
class Heard {
 public:
  Heard(Reader& reader, std::string_view input) {
    reader.push(input, list_);
    reader.finish(list_);
  }
  [[nodiscard]] std::span<const Event> events() const { return list_.events(); }
  [[nodiscard]] std::span<const Record> records() const { return list_.records(); }

  template <typename T>
  [[nodiscard]] std::vector<const T*> all() const {
    std::vector<const T*> found;
    for (const Event& event : list_.events()) {
      if (const T* payload = event.as<T>()) found.push_back(payload);
    }
    return found;
  }
  template <typename T>
  [[nodiscard]] std::size_t count() const {
    return all<T>().size();
  }
  [[nodiscard]] std::vector<std::string> rules() const {
    std::vector<std::string> rules;
    for (const Diagnostic* finding : all<Diagnostic>()) rules.emplace_back(finding->rule);
    return rules;
  }
  // The "data" of each event of one kind.
  [[nodiscard]] std::vector<std::string> data(Kind kind) const {
    std::vector<std::string> found;
    for (const Event& event : list_.events()) {
      if (event.kind() == kind) append_data(found.emplace_back(), event);
    }
    return found;
  }
  // kind names in order
  [[nodiscard]] std::vector<std::string> kinds() const {
    std::vector<std::string> found;
    for (const Event& event : list_.events()) found.emplace_back(name(event.kind()));
    return found;
  }

 private:
  EventList list_;
};

// Whether the records lie one behind the other and cover every byte.
inline bool tiles(std::span<const Record> records, std::size_t size) {
  std::uint64_t at = 0;
  for (const Record& record : records) {
    if (record.offset != at) return false;
    at += record.length;
  }
  return at == size;
}

}  // namespace dragoman::test
