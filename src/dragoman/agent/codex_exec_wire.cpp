// SPDX-License-Identifier: Apache-2.0
// codex exec: one turn each start, the prompt on stdin, JSON lines out. It never asks by itself;
// what it wants to know it says in markers, and hears with the next turn of its thread.
#include "dragoman/agent/wire.hpp"

namespace dragoman::agent {
namespace {

class CodexExecWire final : public Wire {
 public:
  explicit CodexExecWire(std::string_view program) : program_(program) {}

  // Options of `exec` stand before the word resume, which has fewer of its own.
  [[nodiscard]] Launch start(Request& request, const Opening& opening) const override {
    Launch out{
        {std::string(program_), "exec", "--json"},
        opening.answers.empty() ? std::string(opening.text) : answers_as_prompt(opening.answers),
        Launch::Stdin::closed,
        any_secret(opening.answers)};
    add_option(out.argv, "--model", request.model);
    add_option(out.argv, "--sandbox", request.sandbox);
    add_option(out.argv, "--output-schema", request.output_schema);
    out.argv.insert(out.argv.end(), request.words.begin(), request.words.end());
    add_option(out.argv, "resume", opening.session);
    out.argv.emplace_back("-");
    return out;
  }

 private:
  std::string_view program_;
};

}  // namespace

std::unique_ptr<Wire> make_codex_exec_wire(std::string_view program) {
  return std::make_unique<CodexExecWire>(program);
}

}  // namespace dragoman::agent
