// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/ask_jsonl.hpp"

#include <algorithm>
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

JsonlAsker::JsonlAsker(boost::asio::io_context& io, Calls calls, int fd, std::string begun)
    : JsonlAsker(io, std::move(calls)) {
  auto lines = LineSource::open(
      io, fd,
      [this](const std::optional<std::string>& line) {
        if (line) {
          hear(*line);
        } else {
          end();
        }
      },
      std::move(begun));
  if (lines) {
    lines_ = *std::move(lines);
    return;
  }
  // From the loop, as everything that comes in is: who made us is not ready for calls.
  boost::asio::post(io_, [this, why = lines.error().message] {
    calls_.refused(why);
    end();
  });
}

void JsonlAsker::ask(const agent::Asked& asked, std::function<void(std::optional<Answer>)> done) {
  asked_ = asked;
  done_ = std::move(done);
  settled_.erase(asked.id);
  // Answered from the loop, never from within the asking.
  boost::asio::post(io_, [this, id = asked.id] {
    if (done_ && asked_.id == id) try_early();
  });
}

// The first valid one counts. What was meant for this question and does not fit is told and gone.
void JsonlAsker::try_early() {
  const auto fits = [this](const JsonlMessage& message) {
    return message.id == asked_.id || message.id.empty();
  };
  while (done_) {
    const auto next = std::ranges::find_if(early_, fits);
    if (next == early_.end()) break;
    const JsonlMessage message = std::move(*next);
    early_.erase(next);
    if (try_answer(message)) return;
  }
  if (done_ && over_) std::exchange(done_, nullptr)(std::nullopt);
}

void JsonlAsker::end() {
  over_ = true;
  if (done_) std::exchange(done_, nullptr)(std::nullopt);
}

void JsonlAsker::hear(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  auto message = read_jsonl_message(line);
  if (!message) {
    calls_.refused(message.error().message);
  } else if (message->interrupt) {
    calls_.interrupted();
  } else {
    take(*std::move(message));
  }
}

void JsonlAsker::take(JsonlMessage message) {
  if (done_ && (message.id == asked_.id || message.id.empty())) {
    (void)try_answer(message);
  } else if (settled_.contains(message.id)) {
    calls_.refused(fmt::format("{}: it needs no answer any more", message.id));
  } else if (early_.size() == kMostEarly) {
    calls_.refused(fmt::format("{}: too many answers came before their questions", message.id));
  } else {
    early_.push_back(std::move(message));
  }
}

bool JsonlAsker::try_answer(const JsonlMessage& message) {
  auto answer = message.options ? agent::chosen_answer(asked_, *message.options)
                : message.text  ? agent::literal_answer(asked_, *message.text)
                                : agent::read_answer(asked_, message.answer.value_or(""));
  if (!answer) {
    calls_.refused(fmt::format("{}: {}", asked_.id, answer.error().message));
    return false;
  }
  const auto done = std::exchange(done_, nullptr);
  settle();
  done(*std::move(answer));
  return true;
}

// An answer to a question that is not asked at the moment waits until it is asked again.
void JsonlAsker::withdraw(agent::Withdrawn how) {
  if (how == agent::Withdrawn::for_good) return settle();
  done_ = nullptr;
}

void JsonlAsker::settle() {
  done_ = nullptr;
  if (settled_.size() < kMostEarly) settled_.insert(asked_.id);
}

}  // namespace dragoman::cli
