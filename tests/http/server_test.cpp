// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/server.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/eventually.hpp"
#include "tests/support/few_descriptors.hpp"
#include "tests/support/files.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::http {
namespace {

using namespace std::chrono_literals;
using test::RawClient;

Route echo() {
  return {RunsIn::pool, 1000, [](std::shared_ptr<const Request> request, Reply reply) {
            reply.send({.body = request->method + " " + request->path + " " + request->body});
          }};
}

Decision decide(const Request& head) {
  if (head.path == "/no") return Response{.status = 403, .fields = {}, .body = "no"};
  if (head.path == "/echo") return echo();
  if (head.path == "/large") {
    return Response{.status = 200, .fields = {}, .body = std::string(5'000'000, 'x')};
  }
  if (head.path == "/dropped")
    return Route{RunsIn::pool, 0, [](std::shared_ptr<const Request>, Reply) {}};
  if (head.path == "/stream") {
    return Route{RunsIn::loop, 0, [](std::shared_ptr<const Request>, Reply reply) {
                   auto stream = reply.stream({.fields = {{"Content-Type", "text/event-stream"}}});
                   for (int i = 1; i <= 3; ++i) stream->write(fmt::format("id: {}\n\n", i));
                   stream->finish();
                 }};
  }
  return Response{.status = 404, .fields = {}, .body = "nothing here"};
}

class HttpServer : public testing::Test {
 protected:
  void start(ServerOptions options = {}, Decide decision = decide) {
    options.every = {{"X-Every", "yes"}};
    auto started = Server::start(std::move(options), std::move(decision));
    ASSERT_TRUE(started) << started.error().message;
    server_ = *std::move(started);
    port_ = server_->port();
  }
  std::unique_ptr<Server> server_;
  std::uint16_t port_ = 0;
};

TEST_F(HttpServer, AnswersManyRequestsOnOneConnection) {
  start();
  RawClient client(port_);
  for (int i = 0; i < 100; ++i) {
    client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
    const auto response = client.response();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, "POST /echo hi");
    EXPECT_EQ(response->fields.at("x-every"), "yes");
  }
  EXPECT_EQ(server_->statistics().accepted, 1U);
}

TEST_F(HttpServer, AnswersPipelinedRequestsInTheirOrder) {
  start();
  RawClient client(port_);
  client.send(
      "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"
      "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
      "GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n"
      "HEAD /large HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.response()->body, "GET /echo ");
  EXPECT_EQ(client.response()->body, "POST /echo abc");
  EXPECT_EQ(client.response()->status, 404);
  EXPECT_EQ(client.response(false)->fields.at("content-length"), "5000000");
}

TEST_F(HttpServer, SendsLargeBodiesWhole) {
  start();
  EXPECT_EQ(test::ask_once(port_, "GET /large HTTP/1.1\r\nHost: h\r\n\r\n")->body.size(),
            5'000'000U);
}

TEST_F(HttpServer, AReplyNobodyGivesIsAnError) {
  start();
  EXPECT_EQ(test::ask_once(port_, "GET /dropped HTTP/1.1\r\nHost: h\r\n\r\n")->status, 500);
}

TEST_F(HttpServer, ARefusalComesBeforeTheBodyIsRead) {
  start();
  RawClient client(port_);
  client.send("POST /no HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n");
  const auto response = client.response();  // not a byte of the body was sent
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 403);
  EXPECT_EQ(response->fields.at("connection"), "close");
  std::size_t sent = 0;
  const std::string piece(65536, 'x');
  while (sent < 1'000'000'000 && client.send(piece)) sent += piece.size();
  EXPECT_LT(sent, 50'000'000U);  // what the kernel's buffers took until it was cut off
}

TEST_F(HttpServer, TooLargeBodiesAreRefused) {
  start();
  EXPECT_EQ(test::ask_once(port_, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n")
                ->status,
            413);
  EXPECT_EQ(test::ask_once(port_,
                           "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                           "3e9\r\n")
                ->status,
            413);
}

TEST_F(HttpServer, SaysContinueOnlyWhenTheBodyIsWanted) {
  start();
  RawClient wanted(port_);
  wanted.send(
      "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(wanted.head()->status, 100);
  wanted.send("hi");
  EXPECT_EQ(wanted.response()->body, "POST /echo hi");
  EXPECT_EQ(test::ask_once(port_,
                           "POST /no HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
                           "Expect: 100-continue\r\n\r\n")
                ->status,
            403);
}

TEST_F(HttpServer, BrokenAndHugeHeadsAreRefusedAndTheNextRequestWorks) {
  start();
  EXPECT_EQ(test::ask_once(port_, "nonsense\r\n\r\n")->status, 400);
  EXPECT_EQ(test::ask_once(
                port_, "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(40'000, 'a') + "\r\n\r\n")
                ->status,
            431);
  EXPECT_EQ(test::ask_once(port_, "GET / HTTP/1.1\r\nX: " + std::string(1'000'000, 'a'))->status,
            431);
  EXPECT_EQ(test::ask_once(port_, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n")->status, 200);
}

TEST_F(HttpServer, SlowHeadsAndBodiesAreCutAndHarmNobody) {
  ServerOptions options;
  options.head_within = 300ms;
  options.body_idle = 300ms;
  options.idle = 300ms;
  start(options);
  std::vector<std::unique_ptr<RawClient>> slow;
  const std::size_t each = test::scaled(1000);
  for (std::size_t i = 0; i < each; ++i) {
    slow.push_back(std::make_unique<RawClient>(port_));
    slow.back()->send("GET / HTTP/1.1\r\nHo");
    slow.push_back(std::make_unique<RawClient>(port_));
    slow.back()->send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n1");
    slow.push_back(std::make_unique<RawClient>(port_));
  }
  EXPECT_EQ(test::ask_once(port_, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n")->status, 200);
  for (auto& client : slow) EXPECT_TRUE(client->ends_within(30s));
  EXPECT_TRUE(test::eventually([&] { return server_->statistics().connections == 0; }));
}

TEST_F(HttpServer, AStreamIsSentPieceByPiece) {
  start();
  RawClient client(port_);
  client.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.head()->fields.at("transfer-encoding"), "chunked");
  for (const char* expected : {"id: 1", "id: 2", "id: 3"}) EXPECT_EQ(client.next_event(), expected);
  EXPECT_EQ(client.next_event(), std::nullopt);
}

// Streams that the test itself writes to.
class HttpStream : public HttpServer {
 protected:
  void start_streams(ServerOptions options = {}) {
    start(options, [this](const Request&) -> Decision {
      return Route{RunsIn::loop, 0, [this](std::shared_ptr<const Request>, Reply reply) {
                     auto stream = reply.stream({.fields = {}});
                     stream->when([this] { ++rooms_; }, [this] { ++closed_; });
                     streams_.set_value(std::move(stream));
                   }};
    });
  }
  std::shared_ptr<Stream> open(RawClient& client) {
    streams_ = {};
    auto coming = streams_.get_future();
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    return coming.get();
  }
  std::promise<std::shared_ptr<Stream>> streams_;
  std::atomic<int> rooms_ = 0;
  std::atomic<int> closed_ = 0;
};

TEST_F(HttpStream, NoticesAPeerThatGoesAway) {
  start_streams();
  auto client = std::make_unique<RawClient>(port_);
  const auto stream = open(*client);
  EXPECT_TRUE(stream->open());
  client.reset();
  EXPECT_TRUE(test::eventually([&] { return closed_ == 1; }));
  EXPECT_FALSE(stream->write("x"));
  EXPECT_TRUE(test::eventually([&] { return server_->statistics().streams == 0; }));
}

TEST_F(HttpStream, ASlowReaderIsToldOfWhenThereIsRoomAndLosesNothing) {
  ServerOptions options;
  options.stream_bytes = 100'000;
  start_streams(options);
  RawClient client(port_);
  client.shrink_receive_buffer(65536);
  const auto stream = open(client);
  const auto head = client.head();
  ASSERT_TRUE(head);
  int written = 0;
  const std::string filler(1000, '.');
  // Fill what the kernel takes, and our own half.
  for (int waits = 0; waits < 20; ++waits) {
    while (stream->queued() < 50'000 && written < 10'000)
      ASSERT_TRUE(stream->write(fmt::format("id: {}\ndata: {}\n\n", ++written, filler)));
    (void)test::eventually([&] { return stream->queued() < 50'000; }, 0s);
  }
  const int before = rooms_;
  std::thread writer([&] {
    while (written < 10'000 &&
           test::eventually([&] { return stream->queued() < 50'000 || !stream->open(); })) {
      if (!stream->write(fmt::format("id: {}\ndata: {}\n\n", ++written, filler))) break;
    }
    stream->finish();
  });
  int read = 0;
  while (const auto event = client.next_event()) {
    ASSERT_EQ(test::event_field(*event, "id"), std::to_string(read + 1));
    ++read;
  }
  writer.join();
  EXPECT_EQ(read, 10'000);
  EXPECT_GT(rooms_, before);
}

TEST_F(HttpStream, AWriterThatDoesNotWaitLosesTheConnectionNotTheMemory) {
  ServerOptions options;
  options.stream_bytes = 100'000;
  start_streams(options);
  RawClient client(port_);
  client.shrink_receive_buffer(4096);
  const auto stream = open(client);
  const std::string piece(10'000, 'x');
  std::size_t most = 0;
  std::size_t written = 0;
  while (stream->write(piece)) {
    most = std::max(most, stream->queued());
    ASSERT_LT(++written, 1'000'000U);
  }
  EXPECT_LE(most, 100'000U);
  EXPECT_TRUE(test::eventually([&] { return closed_ == 1; }));
}

TEST_F(HttpStream, APeerThatTakesNothingIsCut) {
  ServerOptions options;
  options.write_idle = 300ms;
  options.stream_bytes = 50'000'000;
  start_streams(options);
  RawClient client(port_);
  const auto stream = open(client);
  stream->write(std::string(40'000'000, 'x'));
  EXPECT_TRUE(test::eventually([&] { return closed_ == 1; }));
}

TEST_F(HttpStream, StoppingEndsStreamsAndIdleConnections) {
  start_streams();
  RawClient idle(port_);
  RawClient client(port_);
  const auto stream = open(client);
  stream->write("id: 7\n\n");
  std::thread stopping([&] { server_->stop(); });
  EXPECT_TRUE(client.head());
  EXPECT_EQ(client.next_event(), "id: 7");
  EXPECT_EQ(client.next_event(), std::nullopt);
  client.close();
  stopping.join();
  EXPECT_TRUE(idle.ends_within(1s));
  EXPECT_FALSE(RawClient(port_).connected());
  EXPECT_FALSE(stream->open());
}

TEST_F(HttpServer, AnswersThatAreRunningGoOutBeforeTheEnd) {
  std::promise<void> entered;
  start({}, [&](const Request&) -> Decision {
    return Route{RunsIn::pool, 0, [&](std::shared_ptr<const Request>, Reply reply) {
                   entered.set_value();
                   EXPECT_TRUE(test::eventually([&] { return !RawClient(port_).connected(); }));
                   reply.send({.body = "late"});
                 }};
  });
  RawClient client(port_);
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  entered.get_future().get();
  std::thread stopping([&] { server_->stop(); });
  EXPECT_EQ(client.response()->body, "late");
  stopping.join();
}

TEST_F(HttpServer, WhatBlocksDoesNotBlockOthers) {
  std::atomic<bool> go = false;
  ServerOptions options;
  options.threads = 2;
  options.waiting = 3;
  start(options, [&](const Request& head) -> Decision {
    if (head.path == "/quick") return Response{.body = "quick"};
    return Route{RunsIn::pool, 0, [&](std::shared_ptr<const Request>, Reply reply) {
                   EXPECT_TRUE(test::eventually([&] { return go.load(); }));
                   reply.send({.body = "slow"});
                 }};
  });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<RawClient>(port_));
    clients.back()->send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  EXPECT_EQ(test::ask_once(port_, "GET /quick HTTP/1.1\r\nHost: h\r\n\r\n")->body, "quick");
  EXPECT_TRUE(test::eventually([&] { return server_->statistics().requests == 11; }));
  go = true;
  int slow = 0;
  int refused = 0;
  for (auto& client : clients) {
    const auto response = client->response();
    ASSERT_TRUE(response);
    (response->status == 503 ? refused : slow) += 1;
  }
  EXPECT_GE(refused, 3);  // two run, three wait; the first may have been taken up meanwhile
  EXPECT_GE(slow, 3);
}

// Bodies that do not end would otherwise hold as much as there are connections.
TEST_F(HttpServer, WhatHasArrivedOfABodyCountsBeforeItIsWhole) {
  ServerOptions options;
  options.bodies_bytes = 1000;
  start(options);
  const auto post = [&](std::size_t bytes) {
    const auto response =
        test::ask_once(port_, fmt::format("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: {}"
                                          "\r\n\r\n{}",
                                          bytes, std::string(bytes, 'b')));
    return response ? response->status : 0;
  };
  RawClient slow(port_);
  RawClient gone(port_);
  for (RawClient* const client : {&slow, &gone}) {
    client->send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 310\r\n\r\n");
    client->send(std::string(300, 'a'));
  }
  EXPECT_TRUE(test::eventually([&] { return post(500) == 503; }));
  EXPECT_EQ(post(300), 200);
  slow.send(std::string(10, 'a'));
  EXPECT_EQ(slow.response()->status, 200);
  EXPECT_TRUE(test::eventually([&] { return post(600) == 200; }));
  EXPECT_EQ(post(800), 503);
  gone.close();
  EXPECT_TRUE(test::eventually([&] { return post(1000) == 200; }));
}

// At the bound of connections a peer without a token that does nothing makes room.
class CrowdedServer : public HttpServer {
 protected:
  void start_with(std::size_t connections) {
    ServerOptions options;
    options.connections = connections;
    options.idle = options.head_within = options.body_idle = 10min;  // nothing goes by itself
    start(std::move(options), [](const Request& head) -> Decision {
      if (head.path == "/healthz") return Response{.body = "ok"};
      Route route = echo();
      route.known = head.fields.find("Authorization").has_value();
      return route;
    });
  }
  // As a probe does it, with a connection of its own.
  bool is_alive() const {
    const auto answer = test::ask_once(port_, "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
    return answer && answer->body == "ok";
  }
  std::unique_ptr<RawClient> connect(std::string_view says = {}) const {
    auto client = std::make_unique<RawClient>(port_);
    EXPECT_TRUE(client->connected());
    if (!says.empty()) client->send(says);
    return client;
  }
  static std::string with_token() {
    return "POST /echo HTTP/1.1\r\nHost: h\r\nAuthorization: x\r\nContent-Length: 2\r\n\r\nhi";
  }
};

TEST_F(CrowdedServer, AnswersWhileThousandsOfStrangersStayIdle) {
  const std::size_t most = test::scaled(4096);
  const std::size_t all = test::scaled(10'000);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max < 2 * all) GTEST_SKIP() << "both ends of so many connections are not allowed";
  start_with(most);
  const auto guest = connect(with_token());
  ASSERT_TRUE(guest->response());
  const std::string_view sayings[] = {
      "", "GET / HTTP/1.1\r\nHo", "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n1"};
  std::vector<std::unique_ptr<RawClient>> idle;
  for (std::size_t i = 0; i < all; ++i) {
    idle.push_back(connect(sayings[i % 3]));
    if (i % (all / 20) == 0) {
      EXPECT_TRUE(is_alive()) << i;
    }
  }
  EXPECT_TRUE(is_alive());
  EXPECT_TRUE(test::eventually([&] { return server_->statistics().connections <= most; }));
  // The oldest went. Whoever has shown who he is did not, however long he says nothing.
  EXPECT_TRUE(idle.front()->ends_within(30s));
  guest->send(with_token());
  const auto answer = guest->response();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "POST /echo hi");
  EXPECT_GE(server_->statistics().displaced, all - most);
}

TEST_F(CrowdedServer, TheLastToHaveSaidSomethingStays) {
  start_with(3);
  const std::string ask = "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n";
  const auto first = connect(ask);
  ASSERT_TRUE(first->response());
  const auto second = connect(ask);
  ASSERT_TRUE(second->response());
  const auto third = connect(ask);
  ASSERT_TRUE(third->response());
  first->send(ask);
  ASSERT_TRUE(first->response());
  EXPECT_TRUE(is_alive());
  EXPECT_TRUE(second->ends_within(30s));
  for (RawClient* const client : {first.get(), third.get()}) {
    client->send(ask);
    EXPECT_TRUE(client->response());
  }
}

TEST_F(CrowdedServer, GuestsAreNotCutForStrangers) {
  start_with(2);
  const auto one = connect(with_token());
  auto two = connect(with_token());
  ASSERT_TRUE(one->response());
  ASSERT_TRUE(two->response());
  const auto waits = connect("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
  for (RawClient* const client : {one.get(), two.get()}) {
    client->send(with_token());
    ASSERT_TRUE(client->response());
  }
  EXPECT_EQ(server_->statistics().accepted, 2U);
  two.reset();
  EXPECT_TRUE(waits->response());
}

TEST_F(CrowdedServer, LeavesDescriptorsForWhatLiesBehindIt) {
  {
    const test::FewDescriptors few(80);
    start_with(4096);
  }
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 100; ++i) idle.push_back(connect());
  EXPECT_TRUE(is_alive());
  EXPECT_TRUE(test::eventually([&] { return server_->statistics().connections < 75; }));
}

TEST_F(CrowdedServer, MakesRoomAlsoWhereDescriptorsRunOut) {
  start_with(4096);
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 10; ++i) idle.push_back(connect());
  ASSERT_TRUE(test::eventually([&] { return server_->statistics().connections == 10; }));
  const test::FewDescriptors one(1);  // that of the probe
  EXPECT_TRUE(is_alive());
  EXPECT_TRUE(idle.front()->ends_within(30s));
}

TEST_F(HttpServer, AUnixSocketIsForItsOwnerAlone) {
  const test::TempDir directory;
  const std::string path = directory.path() / "d.sock";
  ServerOptions options;
  options.host.clear();
  options.socket = path;
  std::optional<std::uint32_t> user;
  start(options, [&](const Request& head) -> Decision {
    user = head.peer.user;
    return Response{.body = head.peer.address};
  });
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  RawClient client(path);
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.response()->body, "unix");
  EXPECT_EQ(user, ::geteuid());
  auto second = Server::start({.host = "", .socket = path}, decide);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another server listens there"), std::string::npos);
  server_->stop();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(HttpServer, APortInUseIsNamed) {
  start();
  auto second = Server::start({.port = port_}, decide);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find(std::to_string(port_)), std::string::npos);
}

}  // namespace
}  // namespace dragoman::http
