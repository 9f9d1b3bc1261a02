// SPDX-License-Identifier: Apache-2.0
// Whatever is sent: the right error, and the next good request works.
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "dragoman/mcp/conformance_box.hpp"
#include "tests/mcp/peer.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::mcp {
namespace {

using test::code_of;
using test::Json;
using test::Peer;

struct HostileRow {
  std::string text;
  int code;  // 0: not answered
  Json id = nullptr;
};

std::vector<HostileRow> malformed() {
  std::vector<HostileRow> rows = {
      {"{", -32700},
      {"}", -32700},
      {"nul", -32700},
      {"", -32700},
      {"\"", -32700},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping"} x)", -32700},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping",})", -32700},
      {R"({"jsonrpc":"2.0","id":01,"method":"ping"})", -32700},
      {R"({"jsonrpc":"2.0","id":NaN,"method":"ping"})", -32700},
      {"{\"jsonrpc\":\"2.0\",\"id\":\"a\nb\",\"method\":\"ping\"}", -32700},
      {"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", -32700},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","x":"\q"})", -32700},
      {"5", -32600},
      {"null", -32600},
      {"\"text\"", -32600},
      {"true", -32600},
      {"{}", -32600},
      {R"({"id":1,"method":"ping"})", -32600, 1},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", -32600, 1},
      {R"({"jsonrpc":2.0,"id":1,"method":"ping"})", -32600, 1},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":1e3,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":[1],"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":true,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":"a"})", -32600, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":5})", -32600, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":null})", -32600, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"ping","params":7})", -32600, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"ping","params":[]})", -32602, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"ping","result":{}})", -32600, "a"},
      {R"({"jsonrpc":"2.0","id":"a","result":{},"error":{}})", -32600, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":""})", -32601, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"tools/Call"})", -32601, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"tools/call\u0000"})", -32601, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"tools/call"})", -32602, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{}})", -32602, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":5}})", -32602, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"none"}})", -32602, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"resources/read","params":{"uri":{}}})", -32602, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"prompts/get","params":{"name":"none"}})", -32602,
       "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"completion/complete","params":{}})", -32602, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"resources/subscribe","params":{}})", -32602, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"tasks/get","params":{"taskId":1}})", -32602, "a"},
      {R"({"jsonrpc":"2.0","method":"notifications/nothing"})", 0},
      {R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}})", 0},
      {R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})", 0},
      {R"({"jsonrpc":"2.0","id":"nobody asked","result":{}})", 0},
      {R"({"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}})", 0},
      {"[", -32700},
      {"[]", -32600},
      {"[1,2]", -32600},
      {"[[]]", -32600},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", -32600},
      {std::string(100'000, '['), -32700},
      {std::string(17U << 20U, ' ') + "{}", -32600},
  };
  const std::string good =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_simple_text","arguments":{"a":[1,"x"]}}})";
  const std::string modern =
      R"({"jsonrpc":"2.0","id":"m","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})";
  for (const std::string& whole : {good, modern}) {
    for (std::size_t cut = 1; cut < whole.size(); ++cut) {
      rows.push_back({whole.substr(0, cut), -32700});
    }
  }
  for (const char* wrong : {"5", "null", "\"x\"", "[]", "true", "1e400"}) {
    rows.push_back({std::string(R"({"jsonrpc":"2.0","id":"w","method":"tools/call","params":)"
                                R"({"name":"test_simple_text","arguments":)") +
                        wrong + "}}",
                    -32602, "w"});
    rows.push_back({std::string(R"({"jsonrpc":"2.0","id":"w","method":"tools/list","params":)"
                                R"({"_meta":{"io.modelcontextprotocol/protocolVersion":)") +
                        wrong + "}}}",
                    std::string_view(wrong) == "\"x\"" ? -32022 : -32602, "w"});
  }
  for (int depth : {200, 511, 513, 5'000, 100'000}) {
    const std::string deep = std::string(static_cast<std::size_t>(depth), '[') +
                             std::string(static_cast<std::size_t>(depth), ']');
    const bool fits = depth + 3 <= 512;
    rows.push_back({R"({"jsonrpc":"2.0","id":"d","method":"nothing","params":{"a":)" + deep + "}}",
                    fits ? -32601 : -32700, fits ? Json("d") : Json(nullptr)});
  }
  // Every byte that a message cannot begin with.
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if (c == '{' || c == '[' || c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    rows.push_back({std::string(1, c) + good, -32700});
  }
  return rows;
}

TEST(HostileMessages, EachHasItsErrorAndTheNextRequestWorks) {
  ConformanceBox box("1");
  Server server(box);
  Peer peer(server);
  peer.introduce();
  const std::vector<HostileRow> rows = malformed();
  ASSERT_GE(rows.size(), 500U);
  for (const HostileRow& row : rows) {
    const auto channel = std::make_shared<test::Record>();
    peer.session->handle(row.text, channel);
    ASSERT_GE(channel->http(), 0);
    const std::string shown = row.text.substr(0, 120);
    const std::vector<Json> answers = channel->all();
    if (row.code == 0) {
      EXPECT_TRUE(answers.empty()) << shown;
    } else {
      ASSERT_EQ(answers.size(), 1U) << shown;
      EXPECT_EQ(code_of(answers[0]), row.code) << shown << "\n" << answers[0];
      EXPECT_EQ(answers[0]["id"], row.id) << shown;
      EXPECT_EQ(answers[0]["jsonrpc"], "2.0");
    }
    EXPECT_EQ(peer.ask("ping")["result"], Json::object()) << shown;
  }
}

// 64 peers count from the same numbers at the same time; each gets back what it said.
TEST(ManyPeers, WithTheSameIdsNeverGetEachOthersAnswers) {
  ConformanceBox box("1");
  Server server(box);
  const int count = std::max(20, static_cast<int>(test::scaled(1000)));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int who = 0; who < 64; ++who) {
    threads.emplace_back([&, who] {
      Peer peer(server);
      peer.introduce();
      for (int id = 1000; id < 1000 + count; ++id) {
        const std::string nonce = std::to_string(who) + "/" + std::to_string(id);
        const bool task = id % 10 == 0;
        peer.send({{"jsonrpc", "2.0"},
                   {"id", id},
                   {"method", "tools/call"},
                   {"params",
                    {{"name", task ? "slow_compute" : "greet"},
                     {"arguments", {{"name", nonce}, {"label", nonce}, {"seconds", 0.001}}}}}});
        const Json answer = peer.channel->answer_to(id);
        const std::string text =
            task ? "Computed " + nonce + " in 0.001 s" : "Hello, " + nonce + "!";
        if (!answer.is_object() || !answer.contains("result") ||
            answer["result"]["content"][0]["text"] != text) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace dragoman::mcp
