// SPDX-License-Identifier: Apache-2.0
// Questions and requests for permission that wait for an answer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/line_events.hpp"
#include "dragoman/dialect/question_payload.hpp"

namespace dragoman {

// One tool call or server request that asks. What was asked is kept, so that every later event
// about it says the whole question again.
struct OpenQuestion {
  std::string key;      // the id of the call; empty when that has ended without an answer
  std::string request;  // the id to answer to, as JSON; empty when nobody waits for a message
  std::string payload;  // the questions as JSON; approvals: empty
  std::vector<std::string> ids;  // of the questions, as they are given out; approvals: one
  std::string approval;          // approvals: which of its call, where that is said
  Question permission;           // approvals: as it was asked
  Arena arena;                   // of `permission`
  std::size_t bytes = 0;         // of what is kept
  QuestionSource source = QuestionSource::ask_user_question;
};

// May the agent use this tool on that command or path?
struct PermissionRequest {
  std::string_view key;       // the call that needs it
  std::string_view approval;  // which one of that call, where it may need several; else empty
  std::string_view request;   // the id to answer to, as JSON; empty: nobody waits for a message
  std::string_view tool;
  std::string_view subject;
  Wants wants = {};                      // what is known of it; the tool's name is added
  std::span<const Option> options = {};  // empty: to allow it once, or to deny it
};

// An agent that asks with 64 KiB of text asks a person who will not read more.
inline constexpr std::size_t kMostWanted = std::size_t{64} << 10U;
inline constexpr std::size_t kMostWantedFiles = 256;

// At most 256 are kept, and 4 MiB of them; the oldest is forgotten first. What is forgotten was
// asked, but what becomes of it is not told.
//
// A question keeps the id that it brings, unless another one that waits has it: an answer has to
// mean one of them. Then it is named after its call, and what it was called is told beside that.
class OpenQuestions {
 public:
  explicit OpenQuestions(Channel channel) : channel_(channel) {}

  // A set of questions in JSON. Asking the same again with the same key does not make a second
  // question; it only adds the id of the request, which whoever answers has to name. Without a key
  // nobody can tell what is the same.
  void ask(std::string_view key, std::string_view request, std::string_view payload,
           QuestionSource source, LineEvents& events, Arena& arena);
  // Asked again it is the same one, and may bring the id of the request. Two requests that both
  // wait for an answer are two questions, also where they are about one call.
  void ask_permission(const PermissionRequest& asked, LineEvents& events);

  [[nodiscard]] bool empty() const { return open_.empty(); }
  [[nodiscard]] OpenQuestion* find(std::string_view key);
  [[nodiscard]] OpenQuestion* find_request(std::string_view request);

  // Reports the new state and forgets the question; of one that is unanswered only its call, for
  // the user may still answer it. `answers` is an object from a question's text or id to its
  // answer, absent when there is none; a question it does not answer is unanswered.
  void settle(OpenQuestion& question, QuestionState state, const json::Value& answers,
              LineEvents& events, Arena& arena);
  void settle_permission(OpenQuestion& question, QuestionState state, std::optional<Grant> decision,
                         LineEvents& events);
  // The user's next message answers what was passed over and what waits for no message of its own.
  // Approvals are not answered in words.
  void answer_in_words(std::string_view words, LineEvents& events, Arena& arena);
  // The call was made or refused: so much is known about each of its approvals that waits. A call
  // that was made was allowed at least once. Absent: the stream does not tell.
  void settle_permissions(std::string_view key, std::optional<Grant> decision, LineEvents& events);

 private:
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20U;

  [[nodiscard]] std::string key_or_new(std::string_view key);
  [[nodiscard]] bool asks_the_same(const OpenQuestion& known, Arena& arena);
  [[nodiscard]] OpenQuestion* find_permission(std::string_view key);
  [[nodiscard]] OpenQuestion* find_same(const PermissionRequest& asked);
  [[nodiscard]] std::string new_permission_id(std::string_view key);
  [[nodiscard]] std::vector<std::string> new_ids(std::string_view key, QuestionSource source);
  void remember(OpenQuestion question);
  void forget(OpenQuestion& question);
  void pass_over(OpenQuestion& question);
  // `words`: one answer to all of the set, where `answers` is absent.
  void emit_set(const OpenQuestion& question, QuestionState state, const json::Value& answers,
                LineEvents& events, Arena& arena, std::string_view words = {});
  void emit_permission(const OpenQuestion& question, QuestionState state,
                       std::optional<Grant> decision, LineEvents& events);

  Channel channel_;
  std::vector<OpenQuestion> open_;
  std::unordered_set<std::string> taken_;  // their ids
  std::size_t bytes_ = 0;                  // of what they keep
  std::uint64_t without_key_ = 0;          // so many have been asked
  QuestionPayload payload_;                // of the question at hand
  QuestionPayload earlier_;
};

}  // namespace dragoman
