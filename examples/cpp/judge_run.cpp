// SPDX-License-Identifier: Apache-2.0
// Reads a recorded run of any agent, says what it asked and which files it changed, and ends with
// the verdict. The exit code of the agent, where it is known, has a say in it.
// usage: judge_run FILE [EXIT_CODE]
#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/run/verdict.hpp"

namespace {

// Is told every event while the file is being read. What an event points at is gone when on_event
// returns: print it, fold it, or dragoman::keep() it.
class Watcher final : public dragoman::EventSink {
 public:
  explicit Watcher(std::ostream& out) : out_(out) {}

  void on_event(const dragoman::Event& event) override {
    if (const auto* question = event.as<dragoman::Question>()) {
      out_ << "line " << event.origin.line << ": asks " << question->text << '\n';
      for (const dragoman::Option& option : question->options)
        out_ << "  - " << option.label << '\n';
    } else if (const auto* files = event.as<dragoman::FilesChanged>()) {
      for (const dragoman::FileChange& file : files->files)
        out_ << "line " << event.origin.line << ": " << name(file.action) << ' ' << file.path
             << '\n';
    }
    fold_.on_event(event);
  }

  [[nodiscard]] dragoman::RunSummary summary() const { return fold_.summary(); }

 private:
  std::ostream& out_;
  dragoman::RunFold fold_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: judge_run FILE [EXIT_CODE]\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  if (!in) {
    std::cerr << "judge_run: " << argv[1] << " cannot be read\n";
    return 2;
  }
  Watcher watcher(std::cout);
  const auto reader = dragoman::make_detecting_reader();
  std::array<char, 4096> buffer;  // any size gives the same events
  do {
    in.read(buffer.data(), buffer.size());
    reader->push({buffer.data(), static_cast<std::size_t>(in.gcount())}, watcher);
  } while (in);
  reader->finish(watcher);

  dragoman::ProcessEnd end;
  if (argc == 3) end.exit_code = std::atoi(argv[2]);
  const dragoman::Verdict verdict = dragoman::judge(watcher.summary(), end);
  std::cout << name(reader->dialect()) << ", " << reader->lines() << " lines\n"
            << explain(verdict) << '\n';
  return 0;
}
