// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/text_reader.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "dragoman/dialect/text_engine.hpp"
#include "dragoman/dialect/text_scanner.hpp"

namespace dragoman {
namespace {

// Holds what the engine is not done with, and shows it again with more behind it.
class TextReader final : public Reader {
 public:
  TextReader(Dialect label, ReaderOptions options)
      : options_(std::move(options)), label_(label), engine_(options_, ids_) {
    engine_.start_stream(options_.stream);
  }

  void push(std::string_view chunk, EventSink& out) override {
    last_byte_ = chunk.empty() ? last_byte_ : chunk.back();
    any_ = any_ || !chunk.empty();
    while (!held_.empty() && !chunk.empty()) extend_held(chunk, out);
    if (!chunk.empty()) held_.assign(chunk.substr(engine_.read(chunk, false, out)));
  }

  void idle(EventSink& out) override { engine_.idle(out); }

  void finish(EventSink& out) override {
    std::string rest = std::move(held_);
    held_.clear();
    static_cast<void>(engine_.read(rest, true, out));
    finished_ = true;
  }

  [[nodiscard]] Dialect dialect() const override {
    return label_ == Dialect::text ? engine_.label() : label_;
  }

  [[nodiscard]] std::uint64_t lines() const override {
    const std::uint64_t ended = engine_.lines_begun() - 1;
    return finished_ && any_ && last_byte_ != '\n' ? ended + 1 : ended;
  }

 private:
  // Puts a part of the chunk behind what is held, so that a small remainder does not make us copy
  // the whole chunk; a large one at least doubles, so that no byte is copied over and over.
  void extend_held(std::string_view& chunk, EventSink& out) {
    constexpr std::size_t kStep = 1024;
    const std::size_t before = held_.size();
    const std::size_t added = std::min(chunk.size(), std::max(kStep, before));
    held_.append(chunk.substr(0, added));
    const std::size_t done = engine_.read(held_, false, out, before);
    if (done >= before) {
      chunk.remove_prefix(done - before);
      held_.clear();
      if (held_.capacity() > kLargeHold) held_.shrink_to_fit();
    } else {
      chunk.remove_prefix(added);
      held_.erase(0, done);
    }
  }

  static constexpr std::size_t kLargeHold = std::size_t{1} << 20U;
  ReaderOptions options_;
  Dialect label_;
  QuestionIds ids_;
  TextEngine engine_;
  std::string held_;
  char last_byte_ = '\n';
  bool any_ = false;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Reader> make_text_reader(Dialect label, ReaderOptions options) {
  return std::make_unique<TextReader>(label, std::move(options));
}

class BlockScanner::Body {
 public:
  Body(const ReaderOptions& options, QuestionIds& ids) : engine(options, ids) {}
  TextEngine engine;
};

BlockScanner::BlockScanner(const ReaderOptions& options, QuestionIds& ids)
    : body_(std::make_unique<Body>(options, ids)) {}
BlockScanner::~BlockScanner() = default;

void BlockScanner::read(std::string_view text, const CarriedBlock& block, EventSink& out) {
  out.on_carried_text(text);
  body_->engine.start_block(block);
  static_cast<void>(body_->engine.read(text, true, out));
}

}  // namespace dragoman
