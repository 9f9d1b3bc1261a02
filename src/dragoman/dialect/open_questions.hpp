// SPDX-License-Identifier: Apache-2.0
// Questions and requests for permission that wait for an answer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/line_events.hpp"
#include "dragoman/dialect/question_payload.hpp"

namespace dragoman {

// One tool call or server request that asks. What was asked is kept, so that every later event
// about it says the whole question again.
struct OpenQuestion {
  std::string key;      // the id of the call
  std::string request;  // the id to answer to, as JSON; empty when nobody waits for a message
  std::string payload;  // the questions as JSON; approvals: empty
  std::string tool;     // approvals
  std::string subject;  // approvals: the command or path
  QuestionSource source = QuestionSource::ask_user_question;
  std::size_t count = 1;
};

// At most 256 are kept, the oldest is forgotten first. Of a payload over 64 KiB only the ids are.
class OpenQuestions {
 public:
  explicit OpenQuestions(Channel channel) : channel_(channel) {}

  // A set of questions in JSON. Asking again with the same key does not make a second question; it
  // only adds the id of the request, which whoever answers has to name.
  void ask(std::string_view key, std::string_view request, std::string_view payload,
           QuestionSource source, LineEvents& events, Arena& arena);
  // May the agent use this tool on that command or path?
  void ask_permission(std::string_view key, std::string_view request, std::string_view tool,
                      std::string_view subject, LineEvents& events, Arena& arena);

  [[nodiscard]] OpenQuestion* find(std::string_view key);
  [[nodiscard]] OpenQuestion* find_request(std::string_view request);

  // Reports the new state and forgets the question. `answers` is an object from a question's text
  // or id to its answer, absent when there is none; a question it does not answer is unanswered.
  void settle(OpenQuestion& question, QuestionState state, const json::Value& answers,
              LineEvents& events, Arena& arena);
  void settle_permission(OpenQuestion& question, QuestionState state, std::string_view answer,
                         LineEvents& events, Arena& arena);

 private:
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kLargestPayload = 64 * 1024;

  OpenQuestion& remember(std::string_view key, std::string_view request);
  void forget(OpenQuestion& question);
  void emit_set(const OpenQuestion& question, QuestionState state, const json::Value& answers,
                LineEvents& events, Arena& arena);
  void emit_permission(const OpenQuestion& question, QuestionState state, std::string_view answer,
                       LineEvents& events, Arena& arena);

  Channel channel_;
  std::vector<OpenQuestion> open_;
  QuestionPayload payload_;
};

}  // namespace dragoman
