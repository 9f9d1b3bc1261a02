// SPDX-License-Identifier: Apache-2.0
#include "bench/support/corpus_parts.hpp"
#include "bench/support/prng.hpp"
#include "bench/support/prose.hpp"

namespace dragoman::bench {
namespace {

constexpr std::size_t kLinesBetween = 9;  // with its own line: a marker per about ten lines

class MarkersCorpus final : public Corpus {
 public:
  MarkersCorpus(Density density, std::uint64_t seed)
      : density_(density), random_(seed), prose_(seed) {}

  void next(std::string& out) override {
    text(out);
    marker(out);
  }

 private:
  void text(std::string& out) {
    switch (density_) {
      case Density::real:
        for (std::size_t i = random_.between(1, 2 * kLinesBetween - 1); i > 0; --i) line(out);
        return;
      case Density::dense:
        return;
      case Density::sparse:
        for (const std::size_t end = out.size() + kSparseGap; out.size() < end;) line(out);
        return;
    }
  }

  void line(std::string& out) {
    out += random_.one_in(4) ? prose_.source_line(random_) : prose_.markdown(random_);
  }

  // Blocks end with a blank line, as the protocol says, so that what follows is
  // text again.
  void marker(std::string& out) {
    switch (random_.below(16)) {
      case 0:
        return question(out);
      case 1:
        return blocked(out);
      case 2:
        return files(out);
      case 3:
        out += "[CODEX_COMPLETE] Task completed in " + std::to_string(random_.below(40)) +
               " iterations\n";
        return;
      default:
        out += "[PROGRESS] ";
        out += prose_.phrase(random_);
        out += " in src/components/module" + std::to_string(random_.below(500)) + ".tsx\n";
    }
  }

  void question(std::string& out) {
    out += "[QUESTION] ";
    out += prose_.phrase(random_);
    out += "?\nOptions:\n";
    for (const char* number : {"1. ", "2. ", "3. "}) {
      out += number;
      out += prose_.phrase(random_);
      out += " - ";
      out += prose_.phrase(random_);
      out += "\n";
    }
    out += "\n";
  }

  void blocked(std::string& out) {
    out += "[BLOCKED] ";
    out += prose_.phrase(random_);
    out += "\n";
    out += prose_.phrase(random_);
    out += "\nPlease specify it.\n\n";
  }

  void files(std::string& out) {
    out += "[FILES_MODIFIED]\n";
    for (std::size_t i = random_.between(1, 4); i > 0; --i) {
      out += "- src/module" + std::to_string(random_.below(500)) + "/index.ts ";
      out += random_.one_in(2) ? "(created)\n" : "(modified)\n";
    }
    out += "\n";
  }

  Density density_;
  Prng random_;
  Prose prose_;
};

}  // namespace

std::unique_ptr<Corpus> open_markers_corpus(Density density, std::uint64_t seed) {
  return std::make_unique<MarkersCorpus>(density, seed);
}

}  // namespace dragoman::bench
