// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace dragoman::http {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t kReadBytes = 16 * 1024;
constexpr std::size_t kLingerBytes = 48 * 1024;
constexpr std::chrono::milliseconds kLinger{1000};

// A request whose body is counted as long as anybody holds it.
struct CountedRequest : Request {
  CountedRequest(Request request, std::unique_ptr<BodyShare> share)
      : Request(std::move(request)), share_(std::move(share)) {}

 private:
  std::unique_ptr<BodyShare> share_;
};

// Brings an answer from any thread to the connection, which lives and dies in the server's own.
class Exchange final : public Reply::Sender {
 public:
  Exchange(const std::shared_ptr<Connection>& connection, std::uint64_t number)
      : core_(connection->core()), connection_(connection), number_(number) {}

  void send(Response response) override {
    deliver([number = number_, response = std::move(response)](Connection* connection) mutable {
      if (connection != nullptr) connection->answer(number, std::move(response));
    });
  }
  std::shared_ptr<Stream> stream(Response head) override {
    auto wake = [connection = connection_, core = core_] {
      if (core->over) return;
      asio::post(core->io, [connection] {
        if (const auto there = connection.lock()) there->signal();
      });
    };
    auto stream = std::make_shared<StreamQueue>(core_->options.stream_bytes, std::move(wake));
    deliver([number = number_, head = std::move(head), stream](Connection* connection) mutable {
      connection == nullptr ? stream->close() : connection->answer(number, std::move(head), stream);
    });
    if (core_->over) stream->close();
    return stream;
  }

 private:
  template <typename Action>
  void deliver(Action action) {
    if (core_->over) return;
    asio::dispatch(core_->io, [connection = connection_, action = std::move(action)]() mutable {
      action(connection.lock().get());
    });
  }

  std::shared_ptr<Core> core_;
  std::weak_ptr<Connection> connection_;
  std::uint64_t number_;
};

}  // namespace

Connection::Connection(std::shared_ptr<Core> core, Socket socket, Peer peer)
    : core_(std::move(core)),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      signal_(core_->io, Core::Clock::time_point::max()),
      place_{this} {
  core_->connections.insert(this);
  ++core_->open_connections;
}

Connection::~Connection() {
  without_deadline();
  core_->connections.erase(this);
  if (gone_) --core_->ending;
  --core_->open_connections;
}

bool Core::make_room() {
  if (strangers.empty()) return false;
  ++displaced;
  strangers.front()->cut();
  return true;
}

void Connection::within(std::chrono::milliseconds time) {
  without_deadline();
  deadline_ = Core::Clock::now() + time;
  if (!known_ && !gone_) core_->strangers.splice(core_->strangers.end(), place_);
}

void Connection::without_deadline() {
  deadline_ = Core::Clock::time_point::max();
  if (place_.empty()) place_.splice(place_.end(), core_->strangers, self_);
}

void Connection::start() {
  error_code failed;
  if (socket_.non_blocking(true, failed)) return;  // and with it the connection
  asio::co_spawn(
      core_->io, [self = shared_from_this()]() -> Flow { co_await self->run(); }, asio::detached);
}

void Connection::cut() {
  without_deadline();
  if (!gone_) ++core_->ending;
  gone_ = true;
  error_code ignored;
  (void)socket_.close(ignored);
  if (stream_ != nullptr) stream_->close();
  signal();
}

void Connection::stop() {
  if (stream_ != nullptr) {
    stream_->finish();
  } else if (!busy_) {
    cut();
  }
}

void Connection::answer(std::uint64_t number, Response response) {
  if (number != number_ || answer_ || stream_ != nullptr) return;
  answer_ = std::move(response);
  signal();
}

void Connection::answer(std::uint64_t number, Response head,
                        const std::shared_ptr<StreamQueue>& stream) {
  if (number != number_ || answer_ || stream_ != nullptr || gone_) {
    stream->close();
    return;
  }
  answer_ = std::move(head);
  stream_ = stream;
  signal();
}

Connection::Flow Connection::run() {
  for (bool more = true; more && !core_->stopping && !gone_;) more = co_await serve_one();
  cut();
}

// False: the connection ends.
Connection::Yes Connection::serve_one() {
  std::string text;
  busy_ = false;
  const bool complete = co_await fetch_head(text);
  if (!complete) co_return false;
  busy_ = true;
  ++core_->requests;
  BadHead bad;
  auto head = read_head(text, bad);
  text = {};
  if (!head) {
    ++core_->refused;
    co_await refuse(bad.status, bad.why);
    co_return false;
  }
  const bool more = co_await handle(*head);
  co_return more;
}

// What is there already, without waiting. False: nothing is, or the peer has gone.
bool Connection::receive_at_once() {
  error_code failed;
  const std::size_t got = socket_.read_some(asio::buffer(core_->arrived), failed);
  if (failed) return false;
  buffer_.append(core_->arrived.data(), got);
  return got > 0;
}

Connection::Yes Connection::receive() {
  const std::size_t had = buffer_.size();
  buffer_.resize(had + kReadBytes);
  error_code failed;
  const std::size_t got = co_await socket_.async_read_some(
      asio::buffer(buffer_.data() + had, kReadBytes), error_into(failed));
  buffer_.resize(had + got);
  co_return !failed && got > 0;
}

Connection::Yes Connection::fetch_head(std::string& head) {
  std::size_t searched = 0;
  if (buffer_.empty()) {
    // An idle connection costs no buffer.
    buffer_ = {};
    within(core_->options.idle);
    error_code failed;
    co_await socket_.async_wait(Socket::wait_read, error_into(failed));
    if (failed) co_return false;
    if (!receive_at_once()) {
      const bool got = co_await receive();
      if (!got) co_return false;
    }
  }
  within(core_->options.head_within);
  for (;;) {
    // Empty lines before a request are old clients' habit (RFC 9112, 2.2).
    if (searched == 0) buffer_.erase(0, buffer_.compare(0, 2, "\r\n") == 0 ? 2 : 0);
    const auto end = end_of_head(buffer_, searched);
    if (end.value_or(buffer_.size()) > core_->options.head_bytes) {
      ++core_->refused;
      co_await refuse(431, "the head of the request is too large");
      co_return false;
    }
    if (end) {
      head = buffer_.substr(0, *end);
      buffer_.erase(0, *end);
      co_return true;
    }
    searched = buffer_.size();
    const bool got = co_await receive();
    if (!got) {
      ++core_->refused;
      co_return false;
    }
  }
}

Connection::Yes Connection::fetch_body(BodyReader& reader, BodyShare& share) {
  const auto whole = Core::Clock::now() + core_->options.body_within;
  while (reader.state() == BodyReader::State::more) {
    if (buffer_.empty()) {
      within(core_->options.body_idle);
      deadline_ = std::min(deadline_, whole);
      const bool got = co_await receive();
      if (!got) co_return false;
    }
    std::size_t taken = 0;
    reader.push(buffer_, taken);
    buffer_.erase(0, taken);
    if (share.grow_to(reader.body().size())) continue;
    // Others need not wait until this peer has gone.
    reader.body() = {};
    (void)share.grow_to(0);
    co_await refuse(503, "too many bodies at once; try again");
    co_return false;
  }
  if (reader.state() == BodyReader::State::done) co_return true;
  const bool large = reader.state() == BodyReader::State::too_large;
  co_await refuse(large ? 413 : 400, large ? "the body is too large for this address"
                                           : "the chunks of the body are broken");
  co_return false;
}

Connection::Yes Connection::handle(Head& head) {
  head.request.peer = peer_;
  Decision decision = core_->decide(head.request);
  if (auto* const response = std::get_if<Response>(&decision)) {
    // Nobody wants the body, so nothing behind it can be found.
    const bool keep = head.keep_alive && !head.has_body();
    const bool more =
        co_await send(*response, {head.request.method == "HEAD", head.http_1_0, keep});
    if (head.has_body()) co_await linger();
    co_return more;
  }
  const Route route = *std::get_if<Route>(&decision);
  known_ = known_ || route.known;
  BodyReader reader(head, route.body_limit);
  if (head.wants_continue && reader.state() == BodyReader::State::more && buffer_.empty()) {
    within(core_->options.write_idle);
    const bool sent = co_await write("HTTP/1.1 100 Continue\r\n\r\n");
    if (!sent) co_return false;
  }
  auto share = std::make_unique<BodyShare>(core_);
  const bool complete = co_await fetch_body(reader, *share);
  if (!complete) co_return false;
  without_deadline();
  ++number_;
  answer_.reset();
  head.request.body = std::move(reader.body());
  const bool head_only = head.request.method == "HEAD";
  hand_over(route,
            std::make_shared<const CountedRequest>(std::move(head.request), std::move(share)));
  const bool more = co_await wait_for_answer({head_only, head.http_1_0, head.keep_alive});
  co_return more;
}

void Connection::hand_over(const Route& route, std::shared_ptr<const Request> request) {
  Reply reply(std::make_shared<Exchange>(shared_from_this(), number_));
  if (route.runs_in == RunsIn::loop) {
    route.handler(std::move(request), std::move(reply));
    return;
  }
  if (core_->waiting >= core_->options.waiting) {
    Response busy = refusal(503, "too much to do at once; try again");
    busy.fields.add("Retry-After", "1");
    reply.send(std::move(busy));
    return;
  }
  ++core_->waiting;
  asio::post(core_->pool.context(),
             [core = core_, handler = route.handler, request = std::move(request),
              reply = std::move(reply)]() mutable {
               --core->waiting;
               handler(std::move(request), std::move(reply));
             });
}

Connection::Yes Connection::wait_for_answer(Manner manner) {
  while (!answer_ && !gone_) {
    error_code ignored;
    co_await signal_.async_wait(error_into(ignored));
  }
  if (gone_) co_return false;
  if (stream_ != nullptr) {
    co_await send_stream(manner);
    co_return false;
  }
  const Response response = *std::move(answer_);
  answer_.reset();
  const bool more = co_await send(response, manner);
  co_return more;
}

Response Connection::refusal(int status, std::string_view why) const {
  if (core_->options.refusal) return core_->options.refusal(status, why);
  Response response{.status = status, .fields = {{"Content-Type", "text/plain; charset=utf-8"}}};
  response.body.assign(why).push_back('\n');
  return response;
}

Connection::Flow Connection::refuse(int status, std::string_view why) {
  const Response response = refusal(status, why);
  co_await send(response, {.keep = false});
  co_await linger();
}

// A close with unread bytes would make the kernel throw away what the peer has not read yet.
Connection::Flow Connection::linger() {
  error_code ignored;
  (void)socket_.shutdown(Socket::shutdown_send, ignored);
  within(kLinger);
  buffer_.clear();
  for (std::size_t read = 0; read < kLingerBytes; buffer_.clear()) {
    const bool got = co_await receive();
    if (!got) break;
    read += buffer_.size();
  }
}

}  // namespace dragoman::http
