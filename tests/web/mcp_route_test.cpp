// SPDX-License-Identifier: Apache-2.0
// Streamable HTTP in both eras, over real connections.
#include "dragoman/web/mcp_route.hpp"

#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/http/stream_queue.hpp"
#include "dragoman/mcp/conformance_box.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::web {
namespace {

using dragoman::test::ask_once;
using dragoman::test::event_field;
using dragoman::test::RawClient;
using dragoman::test::RawResponse;
using Json = nlohmann::json;

class McpRoute : public testing::Test {
 protected:
  McpRoute() {
    auto started = http::Server::start({}, [this](const http::Request& head) -> http::Decision {
      http::Route route;
      route.runs_in = http::RunsIn::loop;
      route.body_limit = McpEndpoint::kBodyLimit;
      route.handler = [this, method = head.method](std::shared_ptr<const http::Request> request,
                                                   http::Reply reply) {
        if (method == "POST") return endpoint_.post(request, std::move(reply));
        if (method == "GET") return endpoint_.get(request, std::move(reply));
        return endpoint_.remove(request, std::move(reply));
      };
      return route;
    });
    EXPECT_TRUE(started.has_value());
    http_ = *std::move(started);
    port_ = http_->port();
  }
  ~McpRoute() override { http_->stop(); }

  static std::string request(const std::string& method, const std::string& fields,
                             const std::string& body) {
    return method + " /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static std::string post(const Json& message, const std::string& more = {}) {
    return request("POST",
                   "Content-Type: application/json\r\n"
                   "Accept: application/json, text/event-stream\r\n" +
                       more,
                   message.dump());
  }
  static Json rpc(const Json& id, const std::string& method, const Json& params = Json::object()) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
  }
  // The header that names a new session.
  std::string introduced() {
    const auto answer =
        ask_once(port_, post(rpc(0, "initialize",
                                 {{"protocolVersion", "2025-11-25"},
                                  {"capabilities", Json::object()},
                                  {"clientInfo", {{"name", "t"}, {"version", "1"}}}})));
    EXPECT_EQ(answer->status, 200);
    const std::string id = answer->fields.at("mcp-session-id");
    EXPECT_GE(id.size(), 32U);
    return "Mcp-Session-Id: " + id + "\r\n";
  }
  int status(const std::string& text) {
    const auto answer = ask_once(port_, text);
    return answer ? answer->status : 0;
  }

  mcp::ConformanceBox box_{"1"};
  mcp::Server server_{box_};
  McpEndpoint endpoint_{server_};
  std::unique_ptr<http::Server> http_;
  std::uint16_t port_ = 0;
};

TEST(EventShelf, AnAnswerLargerThanAQueueIsSentAndSentAgain) {
  constexpr std::size_t kQueue = 1024 * 1024;
  const std::string answer(2 * kQueue, 'a');
  EventShelf shelf;
  const auto read = [](http::StreamQueue& queue) {
    std::string all;
    for (;;) {
      const auto batch = queue.take(kQueue);
      EXPECT_FALSE(batch.cut);
      for (const auto& piece : batch.pieces) all += *piece;
      if (batch.last || batch.cut) return all;
    }
  };
  const auto first = std::make_shared<http::StreamQueue>(kQueue, [] {});
  const std::uint64_t stream = shelf.open(first);
  shelf.add(stream, "progress");
  shelf.finish(stream, answer);
  EXPECT_NE(read(*first).find(answer), std::string::npos);
  const auto second = std::make_shared<http::StreamQueue>(kQueue, [] {});
  shelf.resume("1-0", second);
  const std::string missed = read(*second);
  EXPECT_NE(missed.find("progress"), std::string::npos);
  EXPECT_NE(missed.find(answer), std::string::npos);
}

TEST_F(McpRoute, ASessionLivesFromInitializeToDelete) {
  const std::string session = introduced();
  const auto pong = ask_once(port_, post(rpc("p", "ping"), session));
  EXPECT_EQ(Json::parse(pong->body), Json::parse(R"({"jsonrpc":"2.0","id":"p","result":{}})"));
  EXPECT_EQ(status(post({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}, session)),
            202);
  EXPECT_EQ(status(request("DELETE", session, "")), 204);
  EXPECT_EQ(status(post(rpc(1, "ping"), session)), 404);
  EXPECT_EQ(endpoint_.sessions(), 0U);
}

TEST_F(McpRoute, EachMistakeHasItsStatus) {
  const std::string session = introduced();
  const std::string accept = "Accept: application/json, text/event-stream\r\n";
  const std::string json = "Content-Type: application/json\r\n";
  const std::string ping = rpc(1, "ping").dump();
  struct Row {
    const char* what;
    std::string request;
    int status;
  };
  const std::vector<Row> rows = {
      {"no session", post(rpc(1, "ping")), 400},
      {"unknown session", post(rpc(1, "ping"), "Mcp-Session-Id: none\r\n"), 404},
      {"unknown version", post(rpc(1, "ping"), session + "MCP-Protocol-Version: x\r\n"), 400},
      {"older version", post(rpc(1, "ping"), session + "MCP-Protocol-Version: 2025-06-18\r\n"),
       200},
      {"accepts no stream", request("POST", json + session + "Accept: application/json\r\n", ping),
       406},
      {"accepts anything", request("POST", json + session + "Accept: */*\r\n", ping), 200},
      {"no type", request("POST", accept + session, ping), 415},
      {"text", request("POST", accept + session + "Content-Type: text/plain\r\n", ping), 415},
      {"type with charset",
       request("POST", accept + session + "Content-Type: application/json; charset=utf-8\r\n",
               ping),
       200},
      {"no JSON", request("POST", accept + json + session, "{"), 400},
      {"no message", request("POST", accept + json + session, "5"), 400},
      {"batch", request("POST", accept + json + session, "[" + ping + "]"), 400},
      {"get without stream", request("GET", session + "Accept: application/json\r\n", ""), 406},
      {"get without session", request("GET", "Accept: text/event-stream\r\n", ""), 400},
      {"get of an unknown event",
       request("GET", session + "Accept: text/event-stream\r\nLast-Event-ID: 77-1\r\n", ""), 400},
      {"delete without session", request("DELETE", "", ""), 400},
      {"modern, unknown method",
       post(rpc(1, "ping",
                {{"_meta",
                  {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                   {"io.modelcontextprotocol/clientCapabilities", Json::object()}}}}),
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ping\r\n"),
       404},
      {"modern header alone", post(rpc(1, "tools/list"), "MCP-Protocol-Version: 2026-07-28\r\n"),
       400},
  };
  for (const Row& row : rows) EXPECT_EQ(status(row.request), row.status) << row.what;
}

TEST_F(McpRoute, ProgressComesAheadOfTheAnswerOnItsStream) {
  const std::string session = introduced();
  RawClient client(port_);
  client.send(post(rpc(9, "tools/call",
                       {{"name", "test_tool_with_progress"}, {"_meta", {{"progressToken", "t"}}}}),
                   session));
  const auto head = client.head();
  EXPECT_EQ(head->fields.at("content-type"), "text/event-stream");
  EXPECT_EQ(head->fields.at("x-accel-buffering"), "no");
  std::vector<std::string> methods;
  while (const auto event = client.next_event()) {
    const std::string data = event_field(*event, "data");
    if (data.empty()) continue;  // the first one, which makes the stream resumable
    const Json message = Json::parse(data);
    methods.push_back(message.value("method", "answer"));
    if (!message.contains("method")) break;
  }
  EXPECT_EQ(methods, (std::vector<std::string>{"notifications/progress", "notifications/progress",
                                               "notifications/progress", "answer"}));
}

TEST_F(McpRoute, ALostStreamIsTakenUpWhereItWasLost) {
  const std::string session = introduced();
  std::string last;
  {
    RawClient client(port_);
    client.send(
        post(rpc(9, "tools/call",
                 {{"name", "test_tool_with_progress"}, {"_meta", {{"progressToken", "t"}}}}),
             session));
    ASSERT_TRUE(client.head().has_value());
    for (int i = 0; i < 2; ++i) last = event_field(*client.next_event(), "id");
  }  // the connection is cut after the first progress
  RawClient again(port_);
  again.send(
      request("GET", session + "Accept: text/event-stream\r\nLast-Event-ID: " + last + "\r\n", ""));
  ASSERT_EQ(again.head()->status, 200);
  std::vector<Json> messages;
  while (const auto event = again.next_event()) {
    messages.push_back(Json::parse(event_field(*event, "data")));
    if (messages.back().contains("result")) break;
  }
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0]["params"]["progress"], 50);
  EXPECT_EQ(messages[1]["params"]["progress"], 100);
  EXPECT_EQ(messages[2]["id"], 9);
}

TEST_F(McpRoute, OneStandingStreamASessionTakesWhatBelongsToNoRequest) {
  const std::string session = introduced();
  const std::string get = request("GET", session + "Accept: text/event-stream\r\n", "");
  RawClient standing(port_);
  standing.send(get);
  ASSERT_EQ(standing.head()->status, 200);
  EXPECT_EQ(event_field(*standing.next_event(), "id"), "0-0");
  EXPECT_EQ(status(get), 409);
  EXPECT_EQ(
      status(post(rpc(1, "resources/subscribe", {{"uri", "test://watched-resource"}}), session)),
      200);
  box_.publish({.uris = {"test://watched-resource"}});
  const Json told = Json::parse(event_field(*standing.next_event(), "data"));
  EXPECT_EQ(told["method"], "notifications/resources/updated");
}

TEST_F(McpRoute, AModernClientThatGoesHasCancelled) {
  const Json meta = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                     {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
  const std::string headers =
      "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: slow_compute\r\n";
  {
    RawClient client(port_);
    client.send(
        post(rpc(1, "tools/call",
                 {{"name", "slow_compute"}, {"arguments", {{"seconds", 3000}}}, {"_meta", meta}}),
             headers));
    ASSERT_EQ(client.head()->status, 200);
  }
  // Otherwise the call would sleep for most of an hour, and the server would wait for it.
  SUCCEED();
}

TEST_F(McpRoute, SessionsAreBounded) {
  const std::string first = introduced();
  for (std::size_t i = 0; i < McpEndpoint::kMostSessions; ++i) (void)introduced();
  EXPECT_EQ(endpoint_.sessions(), McpEndpoint::kMostSessions);
  EXPECT_EQ(status(post(rpc(1, "ping"), first)), 404);
}

// The message in a response, whether it came as a document or as the last event of a stream.
Json message_in(const std::string& body) {
  const std::size_t at = body.rfind("data: {");
  const std::string text = at == std::string::npos ? body : body.substr(at + 6);
  return Json::parse(text.substr(0, text.find('\n')), nullptr, false);
}

// 64 clients of both eras count from the same numbers at the same time.
TEST_F(McpRoute, ClientsWithTheSameIdsNeverGetEachOthersAnswers) {
  const int count = std::max(5, static_cast<int>(dragoman::test::scaled(200)));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int who = 0; who < 64; ++who) {
    threads.emplace_back([&, who] {
      const bool modern = who % 2 == 0;
      const std::string fields =
          modern
              ? "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: greet\r\n"
              : introduced();
      for (int id = 1; id <= count; ++id) {
        const std::string nonce = std::to_string(who) + "/" + std::to_string(id);
        Json params = {{"name", "greet"}, {"arguments", {{"name", nonce}}}};
        if (modern) {
          params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                             {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
        }
        const auto answer = ask_once(port_, post(rpc(id, "tools/call", params), fields));
        const Json message = answer ? message_in(answer->body) : Json();
        const Json text = message.value(Json::json_pointer("/result/content/0/text"), Json());
        if (message.value("id", 0) != id || text != "Hello, " + nonce + "!") ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// A store that does not answer: everything that looks into it waits.
class StuckBox final : public mcp::ToolBox {
 public:
  [[nodiscard]] const mcp::ServerInfo& info() const override { return info_; }
  [[nodiscard]] mcp::Abilities abilities() const override {
    return {.tasks = true, .task_list = true};
  }
  [[nodiscard]] const std::vector<mcp::ToolSpec>& tools() const override { return tools_; }
  [[nodiscard]] Result<mcp::ToolAnswer> call(const mcp::Call&) override {
    return mcp::ToolAnswer(mcp::ToolResult{});
  }
  [[nodiscard]] Result<mcp::TaskList> task_list(std::string_view) override {
    asked = true;
    asked.notify_all();
    stuck.wait(true);
    return mcp::TaskList{};
  }
  std::atomic<bool> asked = false;
  std::atomic<bool> stuck = true;

 private:
  mcp::ServerInfo info_;
  std::vector<mcp::ToolSpec> tools_;
};

TEST(McpRoutes, AStoreThatDoesNotAnswerHoldsUpNobodyElse) {
  StuckBox box;
  mcp::Server server(box);
  McpEndpoint endpoint(server);
  const auto routes = mcp_routes(endpoint);
  auto started = http::Server::start({}, [&](const http::Request& head) -> http::Decision {
    if (head.method == "GET") return http::Response{.status = 200, .fields = {}, .body = "ok"};
    const RouteSpec& spec = routes.front();
    return http::Route{spec.runs_in, spec.body_limit,
                       [&spec](const auto& request, http::Reply reply) {
                         spec.handler(Call{request, {}}, std::move(reply));
                       }};
  });
  ASSERT_TRUE(started);
  const auto post = [](const Json& message, const std::string& more) {
    const std::string body = message.dump();
    return fmt::format(
        "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: "
        "application/json, text/event-stream\r\n{}Content-Length: {}\r\n\r\n{}",
        more, body.size(), body);
  };
  const auto first =
      ask_once((*started)->port(), post({{"jsonrpc", "2.0"},
                                         {"id", 0},
                                         {"method", "initialize"},
                                         {"params",
                                          {{"protocolVersion", "2025-11-25"},
                                           {"capabilities", Json::object()},
                                           {"clientInfo", {{"name", "t"}, {"version", "1"}}}}}},
                                        ""));
  ASSERT_TRUE(first);
  RawClient polling((*started)->port());
  polling.send(post({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tasks/list"}},
                    "Mcp-Session-Id: " + first->fields.at("mcp-session-id") + "\r\n"));
  box.asked.wait(false);
  const auto other = ask_once((*started)->port(), "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(other ? other->body : "", "ok");
  box.stuck = false;
  box.stuck.notify_all();
  EXPECT_TRUE(polling.response());
  (*started)->stop();
}

}  // namespace
}  // namespace dragoman::web
