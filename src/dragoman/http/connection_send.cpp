// SPDX-License-Identifier: Apache-2.0
// What a connection writes: answers, and streams until they end or the peer goes.
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <fmt/format.h>

#include "dragoman/http/connection.hpp"

namespace dragoman::http {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t kWriteBytes = 64 * 1024;

}  // namespace

std::string Connection::head_text(int status, const Fields& fields, std::string_view framing,
                                  bool keep) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", status, reason_phrase(status));
  for (const auto& [name, value] : fields.all()) {
    text.append(name).append(": ");
    for (const char c : value)
      if (c != '\r' && c != '\n' && c != '\0') text.push_back(c);
    text.append("\r\n");
  }
  text.append(core_->every).append(core_->date).append(framing);
  if (!keep) text.append("Connection: close\r\n");
  return text.append("\r\n");
}

// Whether the connection is good for another request.
Connection::Yes Connection::send(const Response& response, Manner manner) {
  const std::string_view body = response.lasting.empty() ? response.body : response.lasting;
  const bool keep = manner.keep && !core_->stopping;
  const bool bodiless = response.status == 204 || response.status == 304;
  std::string text = head_text(
      response.status, response.fields,
      bodiless ? std::string() : fmt::format("Content-Length: {}\r\n", body.size()), keep);
  std::string_view rest = manner.head_only || bodiless ? std::string_view() : body;
  const std::string_view with_head = rest.substr(0, kWriteBytes);
  text.append(with_head);
  rest.remove_prefix(with_head.size());
  within(core_->options.write_idle);
  bool good = co_await write(text);
  while (good && !rest.empty()) {
    const std::string_view slice = rest.substr(0, kWriteBytes);
    within(core_->options.write_idle);
    good = co_await write(slice);
    rest.remove_prefix(slice.size());
  }
  co_return good&& keep;
}

Connection::Yes Connection::write(std::string_view bytes) {
  // Most answers fit into the kernel's buffer: then there is nothing to wait for.
  error_code failed;
  const std::size_t sent = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), failed);
  core_->bytes_sent += sent;
  if (failed && failed != asio::error::would_block) co_return false;
  if (sent == bytes.size()) co_return true;
  const std::string_view rest = bytes.substr(sent);
  co_await asio::async_write(socket_, asio::buffer(rest.data(), rest.size()), error_into(failed));
  if (!failed) core_->bytes_sent += rest.size();
  co_return !failed;
}

Connection::Flow Connection::send_stream(Manner manner) {
  const bool chunked = !manner.http_1_0;
  std::string text = head_text(answer_->status, answer_->fields,
                               chunked ? "Transfer-Encoding: chunked\r\n" : "", /*keep=*/false);
  answer_.reset();
  buffer_ = {};
  if (core_->stopping) stream_->finish();
  ++core_->streams;
  watch_for_end();
  within(core_->options.write_idle);
  bool good = co_await write(text);
  text = {};
  while (good && !gone_) {
    const StreamQueue::Batch batch = stream_->take(kWriteBytes);
    if (batch.cut) break;
    if (batch.bytes > 0) {
      within(core_->options.write_idle);
      good = co_await send_batch(batch, chunked);
      stream_->sent(batch.bytes);
    } else if (!batch.last) {
      without_deadline();
      error_code ignored;
      co_await signal_.async_wait(error_into(ignored));
    }
    if (!batch.last) continue;
    if (good && chunked) good = co_await write("0\r\n\r\n");
    if (good) co_await linger();
    break;
  }
  --core_->streams;
}

Connection::Yes Connection::send_batch(const StreamQueue::Batch& batch, bool chunked) {
  const std::string size = chunked ? fmt::format("{:x}\r\n", batch.bytes) : std::string();
  std::vector<asio::const_buffer> buffers;
  buffers.reserve(batch.pieces.size() + 2);
  buffers.emplace_back(asio::buffer(size));
  for (const auto& piece : batch.pieces) buffers.emplace_back(asio::buffer(*piece));
  if (chunked) buffers.emplace_back(asio::buffer("\r\n", 2));
  error_code failed;
  const std::size_t sent = co_await asio::async_write(socket_, buffers, error_into(failed));
  core_->bytes_sent += sent;
  co_return !failed;
}

// A peer that goes away while nothing is sent to it would not be noticed otherwise. What it sends
// on a stream's connection is not looked at.
void Connection::watch_for_end() {
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code failed) {
    if (failed || self->gone_) return;
    std::array<char, 1024> unwanted;
    const std::size_t got = self->socket_.read_some(asio::buffer(unwanted), failed);
    if ((failed && failed != asio::error::would_block) || (!failed && got == 0)) {
      self->cut();
    } else {
      self->watch_for_end();
    }
  });
}

}  // namespace dragoman::http
