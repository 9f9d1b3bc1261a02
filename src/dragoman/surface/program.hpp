// SPDX-License-Identifier: Apache-2.0
// A program that asks a person: started with a question, it answers on stdout.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/surface/surface.hpp"

namespace dragoman::surface {

struct ProgramCall {
  std::vector<std::string> argv;  // the program first
  std::string input;              // its stdin
};

// What a program said on stdout: plain words, as typed; or an object with "answer" (as typed),
// "options" (numbers) or "text" (taken literally). Absent: it has no answer.
[[nodiscard]] std::optional<Incoming> read_program_answer(const Message& message,
                                                          std::string_view out);
// The question as a program reads it, one JSON object and a line end.
[[nodiscard]] std::string program_input(const Message& message);

// Runs the program once for each message. It is ended when the question is settled elsewhere, and
// when we end. Nothing can be looked up: after a crash it is asked once more, under the same id.
class ProgramSurface final : public Surface {
 public:
  using Make = ProgramCall (*)(const SurfaceSettings&, const Message&);
  ProgramSurface(const SurfaceSettings& settings, Make make);
  ~ProgramSurface() override;

  Result<std::string> offer(const Message& message) override;
  Result<std::optional<std::string>> find(const Message& message) override;
  Result<void> update(const Shown& shown) override;
  Result<void> close(const Shown& shown) override;
  Result<std::vector<Incoming>> answers(const std::vector<Shown>& open) override;
  void taken() override;
  Result<void> tell(const Incoming& incoming, std::string_view words) override;

 private:
  class Run;
  SurfaceSettings settings_;
  Make make_;
  std::map<std::string, std::unique_ptr<Run>> runs_;
  std::vector<std::string> found_;  // refs of the last answers
};

}  // namespace dragoman::surface
