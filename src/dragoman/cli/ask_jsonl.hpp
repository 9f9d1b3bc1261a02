// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
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
struct JsonlMessage {
  bool interrupt = false;
  std::string id;  // empty: of whichever question is asked first
  std::optional<std::string> answer;
  std::optional<std::vector<std::size_t>> options;
  std::optional<std::string> text;
  friend bool operator==(const JsonlMessage&, const JsonlMessage&) = default;
};
[[nodiscard]] Result<JsonlMessage> read_jsonl_message(std::string_view line);

// Takes answers from stdin. They may come before their question; what never comes is no answer.
class JsonlAsker final : public agent::Asker {
 public:
  struct Calls {
    std::function<void(const std::string& why)> refused;
    std::function<void()> interrupted;
  };
  JsonlAsker(boost::asio::io_context& io, int fd, Calls calls);

  void ask(const agent::Asked& asked, std::function<void(std::optional<Answer>)> done) override;
  void withdraw() override { done_ = nullptr; }
  // Nobody hears what is asked any more: what has come is all there is. From the event loop.
  void end() { take(std::nullopt); }

 private:
  static constexpr std::size_t kMostEarly = 4096;

  void take(const std::optional<std::string>& line);
  void try_answer(const JsonlMessage& message);

  boost::asio::io_context& io_;
  Calls calls_;
  agent::Asked asked_;
  std::function<void(std::optional<Answer>)> done_;
  std::map<std::string, JsonlMessage> early_;
  bool over_ = false;
  LineSource lines_;
};

}  // namespace dragoman::cli
