// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "bench/support/corpus_parts.hpp"
#include "bench/support/prng.hpp"
#include "bench/support/prose.hpp"

namespace dragoman::bench {
namespace {

constexpr std::size_t kTurnLines = 60;              // from one `result` line to the next
constexpr std::size_t kLargestToolOutput = 50'000;  // it stands in its line twice: 100 KB

constexpr std::string_view kUsage =
    R"("usage":{"input_tokens":42,"cache_creation_input_tokens":0,"cache_read_input_tokens":2672,)"
    R"("cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},)"
    R"("output_tokens":14,"service_tier":"standard"})";

// Claude Code's lines with the fields, the order and the escapes of recorded
// runs.
class ClaudeCorpus final : public Corpus {
 public:
  ClaudeCorpus(Density density, std::uint64_t seed)
      : density_(density), random_(seed), prose_(seed), session_(uuid()) {}

  void next(std::string& out) override {
    if (lines_++ % kTurnLines == 0) {
      if (lines_ != 1) result(out);
      init(out);
    }
    switch (density_) {
      case Density::real:
        return real(out);
      case Density::dense:
        return dense(out);
      case Density::sparse:
        return sparse(out);
    }
  }

 private:
  void real(std::string& out) {
    switch (random_.below(8)) {
      case 0:
      case 1:
        return text(out, random_.between(2, 40));
      case 2:
        return thinking(out);
      case 3:
        return status(out);
      default:
        return tool_call(out, output_size());
    }
  }

  void dense(std::string& out) {
    switch (random_.below(10)) {
      case 0:
        return text(out, 1);
      case 1:
        return tool_call(out, 60);
      case 2:
      case 3:
        return status(out);
      default:
        return delta(out);
    }
  }

  void sparse(std::string& out) {
    const std::size_t end = out.size() + kSparseGap;
    while (out.size() < end) tool_call(out, kLargestToolOutput);
    text(out, 4);
  }

  // Mostly small, now and then large: each doubling of the size is as likely as
  // any other.
  std::size_t output_size() {
    const std::size_t size = std::size_t{64} << random_.below(10);
    return std::min(random_.between(size, 2 * size), kLargestToolOutput);
  }

  void init(std::string& out) {
    out += R"({"type":"system","subtype":"init","cwd":"/home/dev/work","session_id":")" + session_ +
           R"(","tools":["Task","Bash","Edit","NotebookEdit","Read","Skill","WebFetch","Write"],)"
           R"("mcp_servers":[{"name":"demo","status":"connected"}],"model":"claude-opus-5-5",)"
           R"("permissionMode":"default","slash_commands":["compact","context","init","usage"],)"
           R"("apiKeySource":"none","claude_code_version":"2.1.325","output_style":"default",)"
           R"("agents":["Explore","Plan"],"skills":[],"plugins":[],"uuid":")" +
           uuid() + "\"}\n";
  }

  void assistant(std::string& out, std::string_view content) {
    out += R"({"type":"assistant","message":{"id":"msg_)" + hex(24) +
           R"(","type":"message","role":"assistant","model":"claude-opus-5-5","content":[)";
    out += content;
    out += R"(],"stop_reason":null,"stop_sequence":null,)";
    out += kUsage;
    out += R"(,"context_management":null},"parent_tool_use_id":null,"session_id":")" + session_ +
           R"(","uuid":")" + uuid() +
           R"(","timestamp":"2026-11-15T19:59:38.039Z","request_id":"req_)" + hex(24) + "\"}\n";
  }

  void text(std::string& out, std::size_t lines) {
    block_ = R"({"type":"text","text":")";
    for (std::size_t i = 0; i < lines; ++i) block_ += prose_.escaped_markdown(random_);
    if (density_ == Density::sparse || random_.one_in(4)) marker(block_);
    block_ += "\"}";
    assistant(out, block_);
  }

  void marker(std::string& out) {
    out += R"(<!-- WXCODE:STATUS:{\"status\":\"in_progress\",\"message\":\")";
    out += prose_.phrase(random_);
    out += R"(\",\"progress\":)" + std::to_string(random_.below(101)) + R"(} -->\n)";
  }

  void thinking(std::string& out) {
    block_ = R"({"type":"thinking","thinking":")";
    for (std::size_t i = random_.between(1, 12); i > 0; --i) {
      block_ += prose_.escaped_markdown(random_);
    }
    block_ += R"(","signature":")" + hex(200) + "\"}";
    assistant(out, block_);
  }

  // The call, then its result in a line of its own.
  void tool_call(std::string& out, std::size_t output_bytes) {
    const std::string id = "toolu_" + hex(24);
    block_ = R"({"type":"tool_use","id":")" + id +
             R"(","name":"Bash","input":{"command":"grep -rn \"session\" src | head -50",)"
             R"("description":")";
    block_ += prose_.phrase(random_);
    block_ += "\"}}";
    assistant(out, block_);

    block_.clear();
    while (block_.size() < output_bytes) block_ += prose_.escaped_source_line(random_);
    out += R"({"type":"user","message":{"role":"user","content":[{"tool_use_id":")" + id +
           R"(","type":"tool_result","content":")";
    out += block_;
    out += R"(","is_error":false}]},"parent_tool_use_id":null,"session_id":")" + session_ +
           R"(","uuid":")" + uuid() +
           R"(","timestamp":"2026-11-15T20:01:08.161Z","tool_use_result":{"stdout":")";
    out += block_;
    out += R"(","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}})";
    out += "\n";
  }

  void status(std::string& out) {
    out += R"({"type":"system","subtype":"status","status":"requesting","session_id":")" +
           session_ + R"(","uuid":")" + uuid() + "\"}\n";
  }

  void delta(std::string& out) {
    out += R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,)"
           R"("delta":{"type":"text_delta","text":")";
    out += prose_.phrase(random_);
    out += R"("}},"session_id":")" + session_ + R"(","parent_tool_use_id":null,"uuid":")" + uuid() +
           R"(","api_message_id":"msg_)" + hex(24) + "\"}\n";
  }

  // `type` is far behind in the real line as well.
  void result(std::string& out) {
    out += R"({"duration_api_ms":94,"stop_reason":"end_turn","session_id":")" + session_ +
           R"(","total_cost_usd":0.0009824,)";
    out += kUsage;
    out +=
        R"(,"modelUsage":{"claude-opus-5-5":{"inputTokens":42,"outputTokens":14,)"
        R"("cacheReadInputTokens":2672,"cacheCreationInputTokens":0,"webSearchRequests":0,)"
        R"("costUSD":0.0009824,"contextWindow":1000000,"maxOutputTokens":128000}},)"
        R"("permission_denials":[],"terminal_reason":"completed","fast_mode_state":"off",)"
        R"("subagent_stats":{"spawned":0,"max_depth":0,"by_type":{}},"safety_stops":0,)"
        R"("is_error":false,"num_turns":4,"subtype":"success","api_error_status":null,"result":")";
    out += prose_.escaped_markdown(random_);
    out += R"(","ttft_ms":938,"type":"result","duration_ms":1042,"uuid":")" + uuid() +
           R"(","queued_turn_count":0,"result_index":)" + std::to_string(lines_ / kTurnLines) +
           "}\n";
  }

  std::string hex(std::size_t digits) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    while (text.size() < digits) {
      std::uint64_t bits = random_.next();
      for (int i = 0; i < 16 && text.size() < digits; ++i, bits >>= 4U) {
        text += kDigits[bits & 15U];
      }
    }
    return text;
  }

  std::string uuid() {
    std::string text = hex(36);
    for (const std::size_t dash : {8U, 13U, 18U, 23U}) text[dash] = '-';
    return text;
  }

  Density density_;
  Prng random_;
  Prose prose_;
  std::string session_;
  std::string block_;  // the content block being made; kept for its capacity
  std::size_t lines_ = 0;
};

}  // namespace

std::unique_ptr<Corpus> open_claude_corpus(Density density, std::uint64_t seed) {
  return std::make_unique<ClaudeCorpus>(density, seed);
}

}  // namespace dragoman::bench
