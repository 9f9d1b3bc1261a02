// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/agent/conversation.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/cli/line_source.hpp"

namespace dragoman::cli {

// What a program may say on stdin of `run --io jsonl`, a JSON object a line:
//   {"type":"answer","id":ID,"answer":"2"}      as a person would type it
//   {"type":"answer","id":ID,"options":[1,3]}   by number
//   {"type":"answer","id":ID,"text":"words"}    taken literally; with the option that denies: why
//   {"type":"input","text":"words"}             the same, for whichever question is asked first
//   {"type":"message","text":"words"}           what the agent is to hear or to do next
//   {"type":"interrupt"}                        with --keep the turn ends, else the run
// and, where the prompt is '-', in the first line:
//   {"type":"prompt","text":"words"}
struct JsonlMessage {
  bool interrupt = false;
  std::optional<std::string> said;  // a message
  Reply reply;
  friend bool operator==(const JsonlMessage&, const JsonlMessage&) = default;
};
[[nodiscard]] Result<JsonlMessage> read_jsonl_message(std::string_view line);
// The text of the first line.
[[nodiscard]] Result<std::string> read_jsonl_prompt(std::string_view line);

// Hears what a program says on a descriptor.
class JsonlInput {
 public:
  // Called from the event loop.
  struct Calls {
    std::function<void(Reply)> answer;
    std::function<void(std::string text)> say;            // a message to the agent
    std::function<void(const std::string& why)> refused;  // a line that is none of these
    std::function<void()> interrupt;
    std::function<void()> end;  // the program says no more
  };
  // `begun` was read from the descriptor before.
  JsonlInput(boost::asio::io_context& io, Calls calls, int fd, std::string begun);

 private:
  void hear(const std::string& line);

  Calls calls_;
  std::unique_ptr<LineSource> lines_;  // last: its thread calls us
};

}  // namespace dragoman::cli
