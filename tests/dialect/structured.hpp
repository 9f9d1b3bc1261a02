// SPDX-License-Identifier: Apache-2.0
// Short ways to hear what a structured stream says.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/reading.hpp"

namespace dragoman::test {

inline Heard hear(Dialect dialect, std::string_view input, ReaderOptions options = {}) {
  const auto reader = make_reader(dialect, std::move(options));
  return Heard(*reader, input);
}

inline Heard hear_capture(Dialect dialect, const std::string& file, ReaderOptions options = {}) {
  const auto path = source_dir() / "tests/data/captures" / std::string(name(dialect));
  return hear(dialect, read_file(path / (file + ".jsonl")), std::move(options));
}

inline Heard claude(std::string_view input, ReaderOptions options = {}) {
  return hear(Dialect::claude, input, std::move(options));
}

// The last state of each question, by id.
inline std::map<std::string, QuestionState> questions_of(const Heard& heard) {
  std::map<std::string, QuestionState> states;
  for (const Question* question : heard.all<Question>()) {
    states[std::string(question->id)] = question->state;
  }
  return states;
}

// kind, and what tells two events of a kind apart.
inline std::vector<std::string> outline(const Heard& heard) {
  std::vector<std::string> lines;
  for (const Event& event : heard.events()) {
    std::string line(name(event.kind()));
    if (const auto* p = event.as<DisplayText>()) line += " " + p->text.str();
    if (const auto* p = event.as<Thinking>()) line += " " + p->text.str();
    if (const auto* p = event.as<Status>()) line += " " + std::string(p->activity);
    if (const auto* p = event.as<ToolStarted>()) line += " " + std::string(p->tool);
    if (const auto* p = event.as<ToolFinished>()) {
      constexpr std::array<std::string_view, 4> kOutcomes = {"ok", "failed", "denied", "abandoned"};
      line += " " + std::string(p->tool) + " ";
      line += kOutcomes[static_cast<std::size_t>(p->outcome)];
    }
    if (const auto* p = event.as<Diagnostic>()) line += " " + std::string(p->rule);
    if (const auto* p = event.as<Malformed>()) line += " " + std::string(p->reason);
    if (const auto* p = event.as<Unknown>()) line += " " + std::string(p->type);
    if (const auto* p = event.as<Failure>()) line += " " + std::string(p->reason);
    if (const auto* p = event.as<SessionStarted>()) line += " " + std::string(p->session_id);
    if (const auto* p = event.as<TurnFinished>()) {
      line += (p->ok ? " ok " : " not ok ") + std::string(p->subtype);
    }
    if (event.partial) line += " (partial)";
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace dragoman::test
