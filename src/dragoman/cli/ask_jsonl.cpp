// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/ask_jsonl.hpp"

#include <boost/asio/post.hpp>

#include "dragoman/json/cursor.hpp"
#include "dragoman/json/number.hpp"

namespace dragoman::cli {
namespace {

std::optional<std::vector<std::size_t>> numbers(json::Cursor& c) {
  if (!c.next_is(json::Kind::array)) {
    c.skip();
    return std::nullopt;
  }
  std::vector<std::size_t> out;
  json::Elements elements(c);
  while (elements.next()) {
    const auto number = json::parse_number(c.take().raw).value.whole();
    out.push_back(number.has_value() && *number > 0 ? static_cast<std::size_t>(*number) : 0);
  }
  return out;
}

}  // namespace

Result<JsonlMessage> read_jsonl_message(std::string_view line) {
  JsonlMessage message;
  Reply& reply = message.reply;
  std::string type;
  json::Cursor c(line);
  json::Members members(c);
  for (std::string_view key; members.next(key);) {
    const std::string field(key);
    if (field == "options") {
      reply.options = numbers(c);
      continue;
    }
    const json::Value value = c.take();
    std::string text = value.is(json::Kind::string) ? value.text().str() : std::string(value.raw);
    if (field == "type") type = text;
    if (field == "id") reply.id = text;
    if (field == "answer") reply.typed = text;
    if (field == "text") reply.text = text;
  }
  if (!c.finish()) return Error{ErrorCode::validation, "the line is not a JSON object"};
  message.interrupt = type == "interrupt";
  if (type == "message" && reply.text &&
      reply.text->find_first_not_of(" \t\r\n") != std::string::npos) {
    message.said = *std::move(reply.text);
    reply = {};
    return message;
  }
  const bool answers = reply.typed || reply.options || reply.text;
  const bool fits = (type == "answer" && !reply.id.empty()) || type == "input";
  if (!message.interrupt && (!fits || !answers)) {
    return Error{ErrorCode::validation,
                 R"(expected {"type":"answer","id":…,"answer"|"options"|"text":…}, )"
                 R"({"type":"input","answer"|"options"|"text":…}, {"type":"message","text":…} )"
                 R"(or {"type":"interrupt"})"};
  }
  return message;
}

Result<std::string> read_jsonl_prompt(std::string_view line) {
  json::Cursor c(line);
  json::Members members(c);
  std::string type;
  std::optional<std::string> text;
  for (std::string_view key; members.next(key);) {
    const std::string field(key);
    const json::Value value = c.take();
    if (!value.is(json::Kind::string)) continue;
    if (field == "type") type = value.text().str();
    if (field == "text") text = value.text().str();
  }
  if (c.finish() && type == "prompt" && text) return *std::move(text);
  return Error{ErrorCode::validation, R"(expected {"type":"prompt","text":…} in the first line)"};
}

JsonlInput::JsonlInput(boost::asio::io_context& io, Calls calls, int fd, std::string begun)
    : calls_(std::move(calls)) {
  auto lines = LineSource::open(
      io, fd,
      [this](const std::optional<std::string>& line) {
        if (line) {
          hear(*line);
        } else {
          calls_.end();
        }
      },
      std::move(begun));
  if (lines) {
    lines_ = *std::move(lines);
    return;
  }
  // From the loop, as everything that comes in is: the owner is not ready for calls.
  boost::asio::post(io, [this, why = lines.error().message] {
    calls_.refused(why);
    calls_.end();
  });
}

void JsonlInput::hear(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  auto message = read_jsonl_message(line);
  if (!message) {
    calls_.refused(message.error().message);
  } else if (message->interrupt) {
    calls_.interrupt();
  } else if (message->said) {
    calls_.say(*std::move(message->said));
  } else {
    calls_.answer(std::move(message->reply));
  }
}

}  // namespace dragoman::cli
