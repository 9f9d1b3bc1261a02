// SPDX-License-Identifier: Apache-2.0
// What all commands that read a capture have in common.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/cli/command.hpp"
#include "dragoman/cli/pump.hpp"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/run/verdict.hpp"

namespace dragoman::cli {

// --from, --mode and the like, as given.
struct ReadingOptions {
  std::optional<Dialect> dialect;  // absent: found out
  ReaderOptions reader;
};
// Refuses a --line-cap that is none.
[[nodiscard]] Result<ReadingOptions> reading_options(const Invocation& invocation);
[[nodiscard]] std::unique_ptr<Reader> open_reader(const ReadingOptions& options);

// Pushes each stream into a new reader.
class ReadingTarget : public StreamTarget {
 public:
  ReadingTarget(const ReadingOptions& options, EventSink& sink, Console& console)
      : options_(options), sink_(sink), console_(console) {}

  void begin() override {
    reader_ = open_reader(options_);
    bytes_ = 0;
  }
  bool push(std::string_view bytes) override {
    bytes_ += bytes.size();
    reader_->push(bytes, sink_);
    return !console_.out().failed();
  }
  void idle() override { reader_->idle(sink_); }
  void pause() override { (void)console_.out().flush(); }
  void end() override { reader_->finish(sink_); }

  [[nodiscard]] const Reader& reader() const { return *reader_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  const ReadingOptions& options_;
  EventSink& sink_;
  Console& console_;
  std::unique_ptr<Reader> reader_;
  std::uint64_t bytes_ = 0;
};

// How the process ended that wrote a capture, as far as --exit-code tells.
[[nodiscard]] OptionSpec exit_code_option();
[[nodiscard]] Result<ProcessEnd> process_end(const Invocation& invocation);

// The files to read: those given, or stdin. Complains about the first that cannot be read, before
// anything is printed.
[[nodiscard]] Result<std::vector<std::string>> inputs(const Invocation& invocation,
                                                      Console& console);
[[nodiscard]] Result<void> check_inputs(const std::vector<std::string>& paths);

}  // namespace dragoman::cli
