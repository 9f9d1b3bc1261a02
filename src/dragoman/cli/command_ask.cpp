// SPDX-License-Identifier: Apache-2.0
// dragoman ask list, dragoman ask test, dragoman answer: the questions that wait for somebody.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/duration.hpp"
#include "dragoman/cli/ask_terminal.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/suggest.hpp"
#include "dragoman/cli/surfaces.hpp"
#include "dragoman/cli/task_listing.hpp"
#include "dragoman/cli/task_rows.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/surface/judge.hpp"
#include "dragoman/surface/outbox.hpp"

namespace dragoman::cli {
namespace {

// "one of these, or your own words"
std::string_view how_to_answer(const ask::QuestionRecord& question) {
  if (question.secret) return "a secret: it is not kept";
  if (question.options.empty()) return {};
  if (question.permission()) return "y, n, one of them, or \"no: \" and the reason";
  if (question.multi_select) {
    return question.free_text ? "one or several, with commas, or your own words"
                              : "one or several, with commas";
  }
  return question.free_text ? "one of them, or your own words" : "one of them";
}

// Everything that somebody needs to answer it.
void print_question(const ask::QuestionRecord& question, const std::string& id, std::int64_t now,
                    Console& console) {
  Output& out = console.out();
  const auto& wants = question.wants.get();
  out.write(fmt::format("{}  {}\n", printable(id), printable(sentence_of(question.text, wants))));
  out.write(command_lines(wants));
  for (const std::string& line : question.context)
    out.write(fmt::format("  {}\n", console.styled(Style::dim, printable(line))));
  for (std::size_t i = 0; i < question.options.size(); ++i) {
    const auto& [label, more, grants] = question.options[i];
    out.write(fmt::format("  {} {}{}\n", i + 1, printable(label),
                          more.empty() ? "" : " - " + printable(more)));
  }
  const std::string_view how = how_to_answer(question);
  out.write(console.styled(Style::dim,
                           fmt::format("  {}{}run {}, since {}", how, how.empty() ? "" : "; ",
                                       question.task_id, age_words(now - question.asked_at))) +
            "\n");
}

int list_questions(const Invocation& invocation, Console& console) {
  auto store = open_task_store(invocation, console, StoreUse::looks);
  if (!store)
    return console.fail(fmt::format("ask: {}", printable(store.error().message)), "",
                        refusal_code(store.error()));
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
  if (questions->empty()) console.note("no question is open");
  const std::int64_t now = task::now_ms();
  for (const auto& question : *questions)
    print_question(question, answered_as(question, *questions), now, console);
  return kOk;
}

ask::QuestionRecord test_question(const std::string& surface) {
  ask::QuestionRecord question;
  question.task_id = surface::test_task_id(surface);
  question.id = "test";
  question.ours = true;
  question.header = "Test";
  question.text = fmt::format("Does the surface {} work?", surface);
  question.options = {{"Yes", "answers and edits arrive"}, {"No", "something is wrong"}};
  question.free_text = true;
  return question;
}

// Until the surface shows it, or says why not.
Result<surface::Delivery> wait_for_delivery(surface::Outbox& outbox, Log& log,
                                            const std::string& ref,
                                            std::chrono::steady_clock::time_point deadline) {
  std::uint64_t change = 0;
  for (;;) {
    DRAGOMAN_TRY(const auto delivery, outbox.find(ref));
    if (delivery && delivery->state != "wanted" && delivery->state != "sending") return *delivery;
    if (delivery && !delivery->error.empty()) return Error{ErrorCode::tool_error, delivery->error};
    if (std::chrono::steady_clock::now() > deadline)
      return Error{ErrorCode::timeout, "the surface has not shown the question in time"};
    change = log.wait_for_change(change, std::chrono::milliseconds(100));
  }
}

Result<ask::QuestionRecord> ask_once(const TaskStore& store, surface::Settings settings,
                                     const std::string& name, std::chrono::milliseconds patience,
                                     Console& console) {
  DRAGOMAN_CHECK(check_surfaces(settings, {name}));
  for (auto& surface : settings.surfaces) surface.offers.insert("question");
  settings.policy = {};
  const auto deadline = std::chrono::steady_clock::now() + patience;
  task::Service service = store.service();
  ask::QuestionRecord question = test_question(name);
  const std::string key = question.key();
  DRAGOMAN_TRY(const bool stale, service.desk().withdraw(key));  // of an earlier test
  (void)stale;
  DRAGOMAN_CHECK(service.desk().open(std::move(question)));
  DRAGOMAN_TRY(const auto asked, service.desk().find(key));
  const auto broker = start_broker(service, settings, {name});
  surface::Outbox outbox(*store.log, name);
  auto shown = wait_for_delivery(outbox, *store.log, surface::question_ref(asked), deadline);
  if (shown) {
    console.note(fmt::format("posted as {}; waiting for an answer", printable(shown->message_id)));
  }
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  auto settled = shown ? service.desk().wait(key, std::max(left, std::chrono::milliseconds(0)))
                       : Result<std::optional<ask::QuestionRecord>>(std::move(shown).error());
  DRAGOMAN_TRY(const bool open, service.desk().give_up(key));
  (void)open;
  broker->settle(std::chrono::seconds(10));
  DRAGOMAN_TRY(auto question_then, std::move(settled));
  if (!question_then) return Error{ErrorCode::timeout, "nobody has answered in time"};
  return *std::move(question_then);
}

int test_surface(const Invocation& invocation, Console& console) {
  const auto fail = [&](const Error& error, int code) {
    return console.fail(fmt::format("ask: {}", printable(error.message)),
                        "docs/surfaces.md says how each surface is set up", code);
  };
  auto timeout = duration_of(invocation, "timeout");
  if (!timeout) return fail(timeout.error(), kUsage);
  auto config = load_settings(invocation, console);
  if (!config) return fail(config.error(), kUsage);
  auto settings = surface_settings(*config);
  if (!settings) return fail(settings.error(), kUsage);
  auto store = open_task_store(invocation, console, StoreUse::adds);
  if (!store) return fail(store.error(), refusal_code(store.error()));
  auto answered = ask_once(*store, *std::move(settings), invocation.arguments()[0],
                           timeout->value_or(std::chrono::minutes(2)), console);
  if (!answered)
    return fail(answered.error(), answered.error().code == ErrorCode::timeout      ? 4
                                  : answered.error().code == ErrorCode::validation ? kUsage
                                                                                   : kFailed);
  console.out().write(fmt::format("{}: {}\n", printable(answered->answered_by),
                                  printable(ask::shown_answer(*answered))));
  return kOk;
}

int run_ask(const Invocation& invocation, Console& console) {
  const std::string& word = invocation.arguments()[0];
  const std::string meant = did_you_mean(word, {"list", "test"});
  return console.fail(fmt::format("ask: '{}' is not list or test", printable(word)),
                      meant.empty() ? "see 'dragoman help ask'" : meant);
}

// Surfaces show questions under a name of their own, which is the same on all of them.
Result<ask::QuestionRecord> question_called(task::Service& service, const std::string& word) {
  DRAGOMAN_TRY(const auto open, service.desk().open_questions());
  for (const auto& question : open) {
    if (surface::question_ref(question) == word) return question;
  }
  return service.question(word);
}

// What counts as the answer, for the user who gave it: "answered: Cookie", "denied: use npm".
std::string said_in(const ask::QuestionRecord& question) {
  const std::string words = printable(ask::settled_words(question));
  return question.decision ? words : "answered: " + words;
}

int run_answer(const Invocation& invocation, Console& console) {
  auto store = open_task_store(invocation, console, StoreUse::looks);
  if (!store)
    return console.fail(fmt::format("answer: {}", printable(store.error().message)), "",
                        refusal_code(store.error()));
  task::Service service = store->service();
  const auto unreachable = [&console](const Error& error) {
    return console.fail(fmt::format("answer: {}", printable(error.message)), "", 125);
  };
  // What dead processes asked nobody waits for any more.
  if (auto reconciled = service.reconcile(); !reconciled) return unreachable(reconciled.error());
  const auto& words = invocation.arguments();
  const auto asked = question_called(service, words[0]);
  if (!asked) {
    return console.fail(fmt::format("answer: {}", printable_lines(asked.error().message)),
                        "see 'dragoman ask list'", refusal_code(asked.error()));
  }
  if (words[0] != asked->key() && words[0] != asked->id)
    console.note(fmt::format("{}: {}", asked->key(), printable(asked->text)));
  Reply reply{.id = asked->key()};
  (invocation.has("text") ? reply.text : reply.typed) = words[1];
  auto outcome = service.desk().answer(reply, "command line");
  if (!outcome) {
    return console.fail(fmt::format("answer: {}", printable(outcome.error().message)), "",
                        kFindings);
  }
  if (!outcome->accepted) {
    const auto& question = outcome->question;
    const std::string was = question.state == QuestionState::answered
                                ? said_in(question)
                                : std::string(name(question.state));
    return console.fail(fmt::format("answer: the question is {}", was), "", kFindings);
  }
  if (auto reconciled = service.reconcile(); !reconciled) return unreachable(reconciled.error());
  console.note(said_in(outcome->question));
  return kOk;
}

}  // namespace

CommandSpec ask_command() {
  CommandSpec spec{"ask",
                   "the questions that wait for an answer",
                   "'dragoman help ask PART' explains each part: list, test.",
                   {color_option()},
                   {{"PART", "what to do", true, true}},
                   {"dragoman ask list --json", "dragoman ask test ops"},
                   run_ask};
  spec.parts = {
      {"ask list",
       "the questions of tasks that wait for an answer, oldest first",
       "",
       {store_option(), json_option()},
       {},
       {},
       list_questions},
      {"ask test",
       "send a question to a surface, and print who answered what",
       "The surface is one of your configuration. Without an answer the exit code is 4.",
       {{"timeout", "DUR", "how long to wait: 2m"}, store_option()},
       {{"SURFACE", "the surface to test", true}},
       {"dragoman ask test ops"},
       test_surface},
  };
  return spec;
}

CommandSpec answer_command() {
  return {
      "answer",
      "answer a question of a task",
      "ID is the question's, what begins it, with its run in front where several ask the same\n"
      "(r-k3vqm2xa/q1, last/q1), or a run that asks one thing. A number is an option, several\n"
      "are separated by commas, anything else a label or free text. A permission takes y, n,\n"
      "session and always, where they are offered, and \"no: \" with a reason. The first valid\n"
      "answer counts: refused or answered before gives exit code 3.",
      {{"text", "", "take the value literally"}, store_option()},
      {{.name = "ID",
        .help = "the question, or its run",
        .required = true,
        .live = Live::questions},
       {"VALUE", "the answer", true}},
      {"dragoman answer q_1f0c2 2", "dragoman answer q_1f0c2 \"no: use npm instead\""},
      run_answer};
}

}  // namespace dragoman::cli
