// SPDX-License-Identifier: Apache-2.0
// dragoman send, dragoman interrupt: a talk with a run from outside.
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/task_door.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/task/hearing.hpp"

namespace dragoman::cli {
namespace {

using task::Hearing;
using task::Service;

constexpr std::string_view kBy = "command line";

// What becomes of the message: "r-k3vqm2xa goes on".
std::string what_becomes(const std::string& id, Hearing hearing) {
  switch (hearing) {
    case Hearing::now:
      return id + " is told";
    case Hearing::after_turn:
      return id + " hears it after its turn";
    case Hearing::next_turn:
      return id + " goes on";
  }
  return id;
}

void put_sent(json::Writer& w, const task::Sent& sent, Hearing hearing) {
  w.begin_object();
  w.name("id").string(sent.task.id);
  w.name("task_id").string(task_id_of(sent.task.id));
  w.name("message").count(sent.number);
  w.name("hears").string(task::name(hearing));
  w.name("state").string(sent.task.state);
  w.end_object();
}

// The words behind ID, or stdin: with "-", and where none are there and no person types.
Result<std::string> words_of(const Invocation& invocation) {
  const auto& given = invocation.arguments();
  if (given.size() == 1) {
    if (::isatty(STDIN_FILENO) == 1)
      return bad_value("TEXT is missing: give it behind the ID, or on stdin");
    return text_or_stdin("-");
  }
  if (given.size() == 2) return text_or_stdin(given[1]);
  return fmt::format("{}", fmt::join(given.begin() + 1, given.end(), " "));
}

// A message that was not delivered has changed nothing.
Result<int> wait_for_turn(const Invocation& invocation, Console& console, Service& service,
                          const task::Sent& sent) {
  DRAGOMAN_TRY(const int code, wait_and_print(invocation, console, service, sent.task.id));
  DRAGOMAN_TRY(const auto messages, service.messages(sent.task.id));
  const auto mine = std::ranges::find(messages, sent.number, &ask::MessageRecord::number);
  if (mine == messages.end() || mine->state != ask::kUndelivered) return code;
  return console.fail(fmt::format("send: not delivered: {}", printable(mine->reason)), "", kFailed);
}

int run_send(const Invocation& invocation, Console& console) {
  return with_service(invocation, console, "_codex_local_run",
                      [&](Service& service) -> Result<int> {
                        DRAGOMAN_TRY(auto text, words_of(invocation));
                        while (text.ends_with('\n')) text.pop_back();
                        DRAGOMAN_TRY(const auto run, chosen_run(invocation, console, service));
                        DRAGOMAN_TRY(const auto keep, duration_of(invocation, "keep"));
                        DRAGOMAN_TRY(const auto sent, service.send(run.id, text, kBy, keep));
                        DRAGOMAN_TRY(const auto hearing, service.hears(sent.task));
                        const std::string line = what_becomes(sent.task.id, hearing);
                        if (invocation.has("wait")) {
                          console.note(line);
                          return wait_for_turn(invocation, console, service, sent);
                        }
                        std::string& out = console.out().buffer();
                        if (invocation.has("json")) {
                          json::Writer w(out);
                          put_sent(w, sent, hearing);
                        } else {
                          out += line;
                        }
                        out.push_back('\n');
                        return kOk;
                      });
}

int run_interrupt(const Invocation& invocation, Console& console) {
  return with_service(invocation, console, "_codex_local_cancel",
                      [&](Service& service) -> Result<int> {
                        DRAGOMAN_TRY(const auto run, chosen_run(invocation, console, service));
                        DRAGOMAN_TRY(const auto interrupted, service.interrupt(run.id, kBy));
                        std::string& out = console.out().buffer();
                        if (invocation.has("json")) {
                          json::Writer w(out);
                          w.begin_object().name("id").string(run.id);
                          w.name("task_id").string(task_id_of(run.id));
                          w.name("state").string(interrupted.state).end_object();
                        } else {
                          out += fmt::format("{} is interrupted", run.id);
                        }
                        out.push_back('\n');
                        return kOk;
                      });
}

}  // namespace

CommandSpec send_command() {
  return {
      "send",
      "say something to a run",
      "A run that has ended goes on with it: the same session, directory, mode and model, under\n"
      "the same id. An agent at work hears it at once where it can (Claude), else after its turn.\n"
      "What is printed says which. Without TEXT, and with '-', it is read from stdin. A run that\n"
      "cannot go on is exit code 3, and nothing is stored. With --wait the exit code is that of\n"
      "'dragoman task wait'.",
      {{"wait", "", "wait for the end of the turn, and print its result"},
       {"timeout", "DUR", "how long to wait: 300s"},
       {"keep", "DUR", "how long the agent stays after this turn and later ones: as before"},
       {"output", "", "with what the agent printed"},
       {"max-output", "BYTES", "of that at most so much: 65536"},
       store_option(),
       json_option()},
      {id_argument(), {"TEXT", "what to say; '-' is stdin", false, true}},
      {"dragoman send r-k3vqm2xa \"now add a test for it\"",
       "dragoman send --wait last \"which files did you change?\"",
       "git diff | dragoman send last"},
      run_send};
}

CommandSpec interrupt_command() {
  return {"interrupt",
          "end the turn that a run is in",
          "The agent stops what it does, and its open questions are withdrawn. The run can go on:\n"
          "'dragoman send' begins its next turn, and what was said to it before does. 'dragoman\n"
          "task cancel' ends the run. Where no agent is at work the exit code is 3.",
          {store_option(), json_option()},
          {id_argument()},
          {"dragoman interrupt last"},
          run_interrupt};
}

}  // namespace dragoman::cli
