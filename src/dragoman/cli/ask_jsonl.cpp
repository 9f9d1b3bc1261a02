// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/ask_jsonl.hpp"

#include <boost/asio/post.hpp>

#include <fmt/format.h>

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
  std::string type;
  json::Cursor c(line);
  json::Members members(c);
  for (std::string_view key; members.next(key);) {
    const std::string field(key);
    if (field == "options") {
      message.options = numbers(c);
      continue;
    }
    const json::Value value = c.take();
    std::string text = value.is(json::Kind::string) ? value.text().str() : std::string(value.raw);
    if (field == "type") type = text;
    if (field == "id") message.id = text;
    if (field == "answer") message.answer = text;
    if (field == "text") message.text = text;
  }
  if (!c.finish()) return Error{ErrorCode::validation, "the line is not a JSON object"};
  message.interrupt = type == "interrupt";
  const bool answers = message.answer || message.options || message.text;
  const bool fits = (type == "answer" && !message.id.empty()) || type == "input";
  if (!message.interrupt && (!fits || !answers)) {
    return Error{ErrorCode::validation,
                 R"(expected {"type":"answer","id":…,"answer"|"options"|"text":…}, )"
                 R"({"type":"input","answer"|"options"|"text":…} or {"type":"interrupt"})"};
  }
  return message;
}

JsonlAsker::JsonlAsker(boost::asio::io_context& io, int fd, Calls calls)
    : io_(io), calls_(std::move(calls)), lines_(io, fd, [this](const auto& line) { take(line); }) {}

void JsonlAsker::ask(const agent::Asked& asked, std::function<void(std::optional<Answer>)> done) {
  asked_ = asked;
  done_ = std::move(done);
  // Answered from the loop, never from within the asking.
  boost::asio::post(io_, [this, id = asked.id] {
    if (!done_ || asked_.id != id) return;
    auto early = early_.find(id);
    if (early == early_.end()) early = early_.find("");
    if (early != early_.end()) {
      const JsonlMessage message = early->second;
      early_.erase(early);
      try_answer(message);
    } else if (over_) {
      std::exchange(done_, nullptr)(std::nullopt);
    }
  });
}

void JsonlAsker::take(const std::optional<std::string>& line) {
  if (!line.has_value()) {
    over_ = true;
    if (done_) std::exchange(done_, nullptr)(std::nullopt);
    return;
  }
  if (line->find_first_not_of(" \t\r") == std::string::npos) return;
  const auto message = read_jsonl_message(*line);
  if (!message) {
    calls_.refused(message.error().message);
  } else if (message->interrupt) {
    calls_.interrupted();
  } else if (done_ && (message->id == asked_.id || message->id.empty())) {
    try_answer(*message);
  } else if (early_.size() < kMostEarly) {
    early_.insert_or_assign(message->id, *message);
  }
}

void JsonlAsker::try_answer(const JsonlMessage& message) {
  auto answer = message.options ? agent::chosen_answer(asked_, *message.options)
                : message.text  ? agent::literal_answer(asked_, *message.text)
                                : agent::read_answer(asked_, message.answer.value_or(""));
  if (!answer) {
    calls_.refused(fmt::format("{}: {}", asked_.id, answer.error().message));
    // Nothing more will come: the refused answer was the last word.
    if (over_) std::exchange(done_, nullptr)(std::nullopt);
    return;
  }
  std::exchange(done_, nullptr)(*std::move(answer));
}

}  // namespace dragoman::cli
