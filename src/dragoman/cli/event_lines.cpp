// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/event_lines.hpp"

#include <algorithm>

#include "dragoman/event/json.hpp"

namespace dragoman::cli {
namespace {

class EventLineReader final : public Reader {
 public:
  explicit EventLineReader(Dialect dialect) : dialect_(dialect) {}

  void push(std::string_view chunk, EventSink& out) override {
    while (!chunk.empty()) {
      const std::size_t end = std::min(chunk.find('\n'), chunk.size());
      line_.append(chunk.substr(0, end));
      if (end == chunk.size()) return;
      chunk.remove_prefix(end + 1);
      give(out);
    }
  }
  void finish(EventSink& /*out*/) override {}
  [[nodiscard]] Dialect dialect() const override { return dialect_; }
  [[nodiscard]] std::uint64_t lines() const override { return lines_; }

 private:
  void give(EventSink& out) {
    ++lines_;
    Arena arena;
    const auto event = read_event(line_, arena);
    if (event) out.on_event(*event);
    line_.clear();
  }

  Dialect dialect_;
  std::string line_;
  std::uint64_t lines_ = 0;
};

}  // namespace

std::unique_ptr<Reader> make_event_line_reader(Dialect dialect) {
  return std::make_unique<EventLineReader>(dialect);
}

}  // namespace dragoman::cli
