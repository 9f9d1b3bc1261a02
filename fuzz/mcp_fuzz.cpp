// SPDX-License-Identifier: Apache-2.0
// Lines of any bytes to an MCP session, in the state that the lines before left it in. Law: what is
// a request is answered once, what is none at most once, and a ping works afterwards.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "dragoman/mcp/message.hpp"
#include "dragoman/mcp/session.hpp"

namespace {

using namespace dragoman;

class Box final : public mcp::ToolBox {
 public:
  [[nodiscard]] const mcp::ServerInfo& info() const override { return info_; }
  [[nodiscard]] mcp::Abilities abilities() const override {
    return {.resources = true, .prompts = true, .completions = true, .tasks = true};
  }
  [[nodiscard]] const std::vector<mcp::ToolSpec>& tools() const override { return tools_; }
  [[nodiscard]] Result<mcp::ToolAnswer> call(const mcp::Call& call) override {
    call.context.progress(1, 2, "half");
    call.context.log(mcp::LogLevel::error, "box", "{}");
    if (call.responses.empty() && call.context.client().era == mcp::Era::modern) {
      return mcp::ToolAnswer(mcp::Asked{{{"key", "roots/list", "{}"}}, "state"});
    }
    return mcp::ToolAnswer(mcp::ToolResult{.text = std::string(call.arguments)});
  }

 private:
  const mcp::ServerInfo info_{"fuzz", "", "1", "words"};
  const std::vector<mcp::ToolSpec> tools_ = {
      {.name = "t",
       .input_schema =
           R"({"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}})",
       .quick = true}};
};

class Count final : public mcp::Channel {
 public:
  void send(std::string_view) override {
    if (ended > 0) std::abort();
  }
  void finish(std::string message, int) override {
    if (!mcp::is_batch(message)) {
      const mcp::Parsed parsed = mcp::parse_message(message);
      const bool unknown = parsed.refused.error.code == mcp::kInvalidRequest;  // id null
      if (!parsed.message && !unknown) std::abort();
    }
    ++answers;
    ++ended;
  }
  void accept() override { ++ended; }
  void abandon() override { ++ended; }

  int answers = 0;
  int ended = 0;
};

int answers(mcp::Session& session, std::string_view line, const mcp::Headers* headers) {
  const auto count = std::make_shared<Count>();
  session.handle(line, count, headers);
  if (count->ended > 1) std::abort();
  return count->answers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Box box;
  // Without threads: what would be handed over is answered as busy, and every run is the same.
  static mcp::Server server(box, {.threads = 0, .waiting = 0});
  const auto session = mcp::Session::make(server);
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const mcp::Headers headers{
      .version = "2026-07-28", .method = "tools/call", .name = "t", .param = [](std::string_view) {
        return std::optional<std::string>("=?base64?YQ==?=");
      }};
  const bool with_headers = !input.empty() && input.front() == 'h';
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(input.size(), end + 1));
    const mcp::Parsed parsed = mcp::parse_message(line);
    const int count = answers(*session, line, with_headers ? &headers : nullptr);
    const bool listens = parsed.message && parsed.message->method == "subscriptions/listen";
    if (parsed.message && parsed.message->kind == mcp::Message::Kind::request && !listens &&
        count != 1) {
      std::abort();
    }
  }
  if (answers(*session, R"({"jsonrpc":"2.0","id":"last","method":"ping"})", nullptr) != 1) {
    std::abort();
  }
  session->close();
  return 0;
}
