// SPDX-License-Identifier: Apache-2.0
//
// differential_driver DIALECT FILE
// FILE holds documents separated by NUL. Each is read in compat mode by a reader of its own; every
// event becomes one line, its canonical JSON with the number of its document in front.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/json.hpp"

namespace {

using namespace dragoman;

class LineSink final : public EventSink {
 public:
  explicit LineSink(std::size_t document) : prefix_("{\"doc\":" + std::to_string(document) + ",") {}

  void on_event(const Event& event) override {
    std::string json = to_json(event);
    json.replace(0, 1, prefix_);
    std::puts(json.c_str());
  }

 private:
  std::string prefix_;
};

void read_document(Dialect dialect, std::string_view text, std::size_t number) {
  LineSink sink(number);
  ReaderOptions options;
  options.mode = Mode::compat;
  const auto reader = make_reader(dialect, options);
  reader->push(text, sink);
  reader->finish(sink);
}

}  // namespace

int main(int argc, char** argv) {
  const auto dialect = argc == 3 ? dialect_named(argv[1]) : std::nullopt;
  if (!dialect) {
    std::fputs("usage: differential_driver DIALECT FILE\n", stderr);
    return 2;
  }
  std::ifstream file(argv[2], std::ios::binary);
  const std::string documents((std::istreambuf_iterator<char>(file)), {});

  std::size_t number = 0;
  for (std::string_view rest = documents;; ++number) {
    const std::size_t end = rest.find('\0');
    read_document(*dialect, rest.substr(0, end), number);
    if (end == std::string_view::npos) return 0;
    rest.remove_prefix(end + 1);
  }
}
