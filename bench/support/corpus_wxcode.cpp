// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "bench/support/corpus_parts.hpp"
#include "bench/support/prng.hpp"
#include "bench/support/prose.hpp"

namespace dragoman::bench {
namespace {

constexpr std::size_t kRealGap = 480;  // with the marker itself: one per about 600 bytes

constexpr std::array<std::string_view, 4> kCommands = {"execute-phase", "plan-phase", "verify-work",
                                                       "progress"};
constexpr std::array<std::string_view, 5> kStatuses = {"pending", "in_progress", "completed",
                                                       "failed", "paused"};
constexpr std::array<std::string_view, 3> kPriorities = {"required", "recommended", "optional"};
constexpr std::array<std::string_view, 4> kErrorCodes = {"MCP_UNAVAILABLE", "FILE_NOT_FOUND",
                                                         "VALIDATION_FAILED", "TIMEOUT"};

class WxcodeCorpus final : public Corpus {
 public:
  WxcodeCorpus(Density density, std::uint64_t seed)
      : density_(density), random_(seed), prose_(seed) {}

  void next(std::string& out) override {
    if (!started_) {
      started_ = true;
      header(out);
    }
    text(out);
    marker(out);
  }

 private:
  void text(std::string& out) {
    if (density_ == Density::dense) return;
    const std::size_t gap =
        density_ == Density::sparse ? kSparseGap : random_.between(0, 2 * kRealGap);
    const std::size_t end = out.size() + gap;
    while (out.size() < end) out += prose_.markdown(random_);
  }

  void header(std::string& out) {
    out += R"(<!-- WXCODE:HEADER:{"command":")";
    out += one_of(kCommands);
    out += R"(","args":")" + number(40) + R"(","title":"WXCODE ▶ )";
    out += prose_.phrase(random_);
    out += "\"} -->\n";
  }

  void tool(std::string& out) {
    out += R"(<!-- WXCODE:TOOL:{"tool":"Bash","description":")";
    out += prose_.phrase(random_);
    out += R"(","command":"grep -n \")" + number(999) + R"(\" src/lib/jwt.ts | head"} -->)";
    out += "\n";
  }

  void tool_result(std::string& out) {
    out += R"(<!-- WXCODE:TOOL_RESULT:{"tool":"Bash","success":true,"output":")";
    out += prose_.phrase(random_);
    out += R"(\n)" + number(100000) + R"(","duration_ms":)" + number(5000) + "} -->\n";
  }

  void status(std::string& out) {
    out += R"(<!-- WXCODE:STATUS:{"status":")";
    out += one_of(kStatuses);
    out += R"(","message":")";
    out += prose_.phrase(random_);
    out += R"(","progress":)" + number(101) + R"(,"phase":)" + number(12) + "} -->\n";
  }

  void next_action(std::string& out) {
    out += R"(<!-- WXCODE:NEXT_ACTION:{"command":")";
    out += one_of(kCommands);
    out += R"(","args":")" + number(12) + R"(","description":")";
    out += prose_.phrase(random_);
    out += R"(","priority":")";
    out += one_of(kPriorities);
    out += "\"} -->\n";
  }

  void error(std::string& out) {
    out += R"(<!-- WXCODE:ERROR:{"code":")";
    out += one_of(kErrorCodes);
    out += R"(","message":")";
    out += prose_.phrase(random_);
    out += R"(","recoverable":true,"suggestion":null} -->)";
    out += "\n";
  }

  void marker(std::string& out) {
    switch (random_.below(12)) {
      case 0:
        return header(out);
      case 1:
        return next_action(out);
      case 2:
        return error(out);
      case 3:
      case 4:
        return tool(out);
      case 5:
      case 6:
        return tool_result(out);
      default:
        return status(out);
    }
  }

  template <std::size_t N>
  std::string_view one_of(const std::array<std::string_view, N>& names) {
    return names[random_.below(N)];
  }
  std::string number(std::size_t bound) { return std::to_string(random_.below(bound)); }

  Density density_;
  Prng random_;
  Prose prose_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<Corpus> open_wxcode_corpus(Density density, std::uint64_t seed) {
  return std::make_unique<WxcodeCorpus>(density, seed);
}

}  // namespace dragoman::bench
