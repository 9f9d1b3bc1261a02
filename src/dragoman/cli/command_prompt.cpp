// SPDX-License-Identifier: Apache-2.0
// dragoman prompt: what to tell an agent so that it speaks a dialect.
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/dialect/prompts.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::cli {
namespace {

int run_prompt(const Invocation& invocation, Console& console) {
  const std::string& dialect = invocation.arguments()[0];
  const std::string_view text = prompt_for(dialect);
  if (!invocation.has("json")) {
    console.out().write(text);
    if (!text.ends_with('\n')) console.out().write("\n");
    return kOk;
  }
  json::Writer w(console.out().buffer());
  w.begin_object();
  w.key("dialect").string(dialect).key("prompt").string(text);
  w.end_object();
  console.out().write("\n");
  return kOk;
}

}  // namespace

CommandSpec prompt_command() {
  std::vector<std::string_view> dialects;
  for (const DialectPrompt& prompt : dialect_prompts()) dialects.push_back(prompt.dialect);
  return {"prompt",
          "the instructions that make an agent speak a dialect",
          "Put them into the agent's system prompt or in front of the task.",
          {json_option(), color_option()},
          {{"DIALECT", "which dialect", true, false, false, dialects}},
          {"claude -p --append-system-prompt \"$(dragoman prompt question)\" …"},
          run_prompt};
}

}  // namespace dragoman::cli
