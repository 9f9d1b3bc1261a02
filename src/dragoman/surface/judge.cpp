// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/judge.hpp"

#include <fmt/format.h>

#include "dragoman/task/task.hpp"

namespace dragoman::surface {
namespace {

constexpr std::string_view kTest = "surface-test-";
constexpr std::size_t kLongestName = 80;

Verdict said(Verdict::Kind kind, std::string words, Message message = {}) {
  return {kind, std::move(words), std::move(message)};
}

}  // namespace

Result<Verdict> give_answer(ask::Desk& desk, Outbox& outbox, std::string_view surface,
                            const Incoming& incoming) {
  using enum Verdict::Kind;
  const std::string by = fmt::format("{} via {}", one_line_of(incoming.by, kLongestName), surface);
  DRAGOMAN_TRY(const auto delivery, outbox.find(incoming.ref));
  if (!delivery || delivery->question.empty()) {
    outbox.audit("unknown_answer", incoming.ref, by, "");
    return said(unknown, "That question is not known here.");
  }
  auto question = desk.find(delivery->question);
  if (!question && question.error().code != ErrorCode::not_found)
    return std::move(question).error();
  if (!question) return said(unknown, "That question is gone.");
  if (question->asked_at != delivery->asked_at) {
    outbox.audit("late_answer", incoming.ref, by, "asked again");
    return said(late, "That question was asked again later; answer the newer one.",
                message_of(*question));
  }
  dragoman::Reply reply{.id = delivery->question};
  (incoming.literal ? reply.text : reply.typed) = incoming.value;
  auto outcome = desk.answer(reply, by);
  if (!outcome) {
    if (outcome.error().code != ErrorCode::validation) return std::move(outcome).error();
    outbox.audit("refused_answer", incoming.ref, by, outcome.error().message);
    return said(refused, fmt::format("That is no answer: {}.", outcome.error().message),
                message_of(*question));
  }
  Message message = message_of(outcome->question);
  if (outcome->accepted) {
    std::string words = message.outcome;
    return said(accepted, std::move(words), std::move(message));
  }
  outbox.audit("late_answer", incoming.ref, by, "");
  std::string words = fmt::format("Already {}.", message.outcome);
  return said(late, std::move(words), std::move(message));
}

std::string test_task_id(std::string_view surface) { return fmt::format("{}{}", kTest, surface); }

Result<std::vector<std::string>> surfaces_of(Log& log, std::string_view task_id) {
  if (task_id.starts_with(kTest))
    return std::vector<std::string>{std::string(task_id.substr(kTest.size()))};
  DRAGOMAN_TRY(const auto task, task::find_task(log, task_id));
  return task ? task->surfaces : std::vector<std::string>();
}

}  // namespace dragoman::surface
