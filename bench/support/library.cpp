// SPDX-License-Identifier: Apache-2.0
#include "bench/support/library.hpp"

#include <algorithm>

#include "dragoman/dialect/reader.hpp"

namespace dragoman::bench {
namespace {

dragoman::Dialect library_dialect(Dialect dialect) {
  switch (dialect) {
    case Dialect::wxcode:
      return dragoman::Dialect::wxcode;
    case Dialect::claude:
      return dragoman::Dialect::claude;
    case Dialect::markers:
      return dragoman::Dialect::markers;
  }
  return dragoman::Dialect::text;
}

class TallySink final : public EventSink {
 public:
  void on_event(const Event& event) override {
    if (const auto* text = event.as<DisplayText>()) {
      tally.text_bytes += text->text.bytes.size();
    } else {
      ++tally.events;
    }
  }

  Tally tally;
};

}  // namespace

struct Push::Body {
  std::unique_ptr<Reader> reader;
  TallySink sink;
};

Push::Push(Dialect dialect) : body_(std::make_unique<Body>()) {
  body_->reader = make_reader(library_dialect(dialect));
}
Push::~Push() = default;

void Push::operator()(std::string_view chunk) { body_->reader->push(chunk, body_->sink); }
void Push::finish() { body_->reader->finish(body_->sink); }
const Tally& Push::tally() const { return body_->sink.tally; }

Tally read_with_library(Dialect dialect, std::string_view input, std::size_t chunk) {
  Push push(dialect);
  for (std::size_t at = 0; at < input.size(); at += std::min(chunk, input.size() - at)) {
    push(input.substr(at, chunk));
  }
  push.finish();
  return push.tally();
}

}  // namespace dragoman::bench
