// SPDX-License-Identifier: Apache-2.0
// dragoman ask list, dragoman answer: the questions of tasks that wait for somebody.
#include <fmt/format.h>

#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/task_store.hpp"

namespace dragoman::cli {
namespace {

int list_questions(const Invocation& invocation, Console& console) {
  auto store = open_task_store(invocation, console);
  if (!store)
    return console.fail(fmt::format("ask: {}", printable(store.error().message)), "", 125);
  task::Service service = store->service();
  if (auto reconciled = service.reconcile(); !reconciled)
    return console.fail(fmt::format("ask: {}", printable(reconciled.error().message)), "", 125);
  auto questions = service.desk().open_questions();
  if (!questions)
    return console.fail(fmt::format("ask: {}", printable(questions.error().message)), "", 125);
  if (invocation.has("json")) {
    std::string& out = console.out().buffer();
    json::Writer w(out);
    w.begin_array();
    for (const auto& question : *questions) ask::put_question(w, question);
    w.end_array();
    out.push_back('\n');
    return kOk;
  }
  for (const auto& question : *questions) {
    console.out().write(fmt::format("{}  {}\n", question.id, printable(question.text)));
    for (std::size_t i = 0; i < question.labels.size(); ++i)
      console.out().write(fmt::format("  {} {}\n", i + 1, printable(question.labels[i])));
  }
  return kOk;
}

int run_ask(const Invocation& invocation, Console& console) {
  if (invocation.arguments()[0] == "list") return list_questions(invocation, console);
  return console.fail("ask: 'list' is what it can do", "see 'dragoman help ask'");
}

int run_answer(const Invocation& invocation, Console& console) {
  auto store = open_task_store(invocation, console);
  if (!store)
    return console.fail(fmt::format("answer: {}", printable(store.error().message)), "", 125);
  task::Service service = store->service();
  const auto& words = invocation.arguments();
  auto outcome = service.desk().answer(
      words[0], words[1], invocation.has("text") ? ask::Literal::yes : ask::Literal::no,
      "command line");
  if (!outcome) {
    const bool unknown = outcome.error().code == ErrorCode::not_found;
    return console.fail(fmt::format("answer: {}", printable(outcome.error().message)),
                        unknown ? "see 'dragoman ask list'" : "", kFindings);
  }
  if (!outcome->accepted) {
    const auto& question = outcome->question;
    const std::string said = question.secret ? "(secret)" : printable(question.answer);
    return console.fail(fmt::format("answer: the question is {}: {}", question.state, said), "",
                        kFindings);
  }
  if (auto reconciled = service.reconcile(); !reconciled)
    return console.fail(fmt::format("answer: {}", printable(reconciled.error().message)), "", 125);
  return kOk;
}

}  // namespace

CommandSpec ask_command() {
  return {"ask",
          "the questions that wait for an answer",
          "With --json an array of questions.",
          {store_option(), json_option()},
          {{"PART", "what to do", true, false, false, {"list"}}},
          {"dragoman ask list --json"},
          run_ask};
}

CommandSpec answer_command() {
  return {"answer",
          "answer a question of a task",
          "A number is an option, several are separated by commas, anything else a label or free\n"
          "text. The first valid answer counts: refused or answered before gives exit code 3.",
          {{"text", "", "take the value literally"}, store_option()},
          {{"ID", "the question", true}, {"VALUE", "the answer", true}},
          {"dragoman answer q_1f0c2 2"},
          run_answer};
}

}  // namespace dragoman::cli
