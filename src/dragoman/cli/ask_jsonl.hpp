// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "dragoman/agent/asker.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/cli/line_source.hpp"

namespace dragoman::cli {

// What a program may say on stdin of `run --io jsonl`, a JSON object a line:
//   {"type":"answer","id":ID,"answer":"2"}      as a person would type it
//   {"type":"answer","id":ID,"options":[1,3]}   by number
//   {"type":"answer","id":ID,"text":"words"}    taken literally
//   {"type":"input","text":"words"}             the same, for whichever question is asked first
//   {"type":"interrupt"}
// and, where the prompt is '-', in the first line:
//   {"type":"prompt","text":"words"}
struct JsonlMessage {
  bool interrupt = false;
  std::string id;  // empty: of whichever question is asked first
  std::optional<std::string> answer;
  std::optional<std::vector<std::size_t>> options;
  std::optional<std::string> text;
  friend bool operator==(const JsonlMessage&, const JsonlMessage&) = default;
};
[[nodiscard]] Result<JsonlMessage> read_jsonl_message(std::string_view line);
// The text of the first line.
[[nodiscard]] Result<std::string> read_jsonl_prompt(std::string_view line);

// Takes answers from a program. They may come before their question, and are tried in the order in
// which they came; what never comes is no answer.
class JsonlAsker final : public agent::Asker {
 public:
  struct Calls {
    std::function<void(const std::string& why)> refused;
    std::function<void()> interrupted;
  };
  // From a descriptor; `begun` was read from it before.
  JsonlAsker(boost::asio::io_context& io, Calls calls, int fd, std::string begun);
  // From whoever calls hear().
  JsonlAsker(boost::asio::io_context& io, Calls calls) : io_(io), calls_(std::move(calls)) {}

  void ask(const agent::Asked& asked, std::function<void(std::optional<Answer>)> done) override;
  void withdraw(agent::Withdrawn how) override;
  // A line without its newline. Both from the event loop.
  void hear(const std::string& line);
  // Nobody hears what is asked any more: what has come is all there is.
  void end();

 private:
  static constexpr std::size_t kMostEarly = 4096;

  void take(JsonlMessage message);
  void try_early();
  // Whether it is one; if not, that is told.
  bool try_answer(const JsonlMessage& message);
  void settle();

  boost::asio::io_context& io_;
  Calls calls_;
  agent::Asked asked_;
  std::function<void(std::optional<Answer>)> done_;
  std::deque<JsonlMessage> early_;  // in the order in which they came
  std::set<std::string> settled_;   // questions that need no answer any more
  bool over_ = false;
  std::unique_ptr<LineSource> lines_;  // last: its thread calls us
};

}  // namespace dragoman::cli
