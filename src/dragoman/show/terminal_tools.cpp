// SPDX-License-Identifier: Apache-2.0
// Tools: one line when they succeed, everything when they do not.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/show/columns.hpp"
#include "dragoman/show/terminal_run.hpp"
#include "dragoman/show/text_head.hpp"

namespace dragoman::show {
namespace {

constexpr std::size_t kMostErrorLines = 100;
constexpr std::size_t kEveryLine = SIZE_MAX;

struct Sign {
  std::string_view sign;
  std::string_view word;  // where the sign alone would not say it
  Ink ink = Ink::plain;
};

Sign sign_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return {"\u2713", "", Ink::completed};
    case Outcome::failed:
      return {"\u2717", "", Ink::failed};
    case Outcome::denied:
      return {"\u2298", "denied", Ink::paused};
    case Outcome::abandoned:
      return {"\u25CC", "no result", Ink::pending};
  }
  return {};
}

// Codex starts every command through a shell; what it runs is inside.
std::string_view without_shell(std::string_view command) {
  for (const std::string_view shell : {"/bin/bash -lc ", "bash -lc ", "/bin/sh -c ", "sh -c "}) {
    if (!command.starts_with(shell)) continue;
    std::string_view inside = command.substr(shell.size());
    if (inside.size() < 2 || (inside[0] != '\'' && inside[0] != '"')) return inside;
    const char quote = inside[0];
    if (inside.back() != quote) return command;
    inside = inside.substr(1, inside.size() - 2);
    return inside.find(quote) == std::string_view::npos ? inside : command;
  }
  return command;
}

std::string first_line(std::string_view text) {
  std::string line;
  if (append_first_line(line, json::Text(text), Story::kKeptText)) line.append(" \u2026");
  return line;
}

}  // namespace

// "Get model profile  $ cat .planning/config.json": what it is for, then what it does.
void TerminalRenderer::put_call(RichText& line, const ToolCall& call) const {
  const bool described = !call.description.empty();
  const bool shell = call.detail_kind == ToolCall::DetailKind::command;
  if (described) {
    if (!shell && call.detail_kind != ToolCall::DetailKind::file) {
      line.add(Ink::bold, call.tool);
      line.put(Ink::plain, " ");
    }
    line.add(Ink::plain, call.description);
  } else if (!shell || call.tool != "Bash") {
    line.add(Ink::bold, call.tool);
  }
  if (call.detail.empty()) return;
  if (!line.text().ends_with(' ')) line.put(Ink::plain, described ? "  " : " ");
  if (shell) {
    line.put(Ink::dim, "$ ");
    line.add(Ink::code, first_line(without_shell(call.detail)));
  } else {
    line.add(Ink::code, first_line(call.detail));
  }
}

void TerminalRenderer::announce(Run& run, const ToolCall& call) {
  if (!run.announced.insert(call.number).second) return;
  flush_text(run);
  turn_to(run, call.depth, call.parent);
  begin_section(Sort::tool);
  rich_.clear();
  rich_.put(Ink::in_progress, "\u2699 ");
  put_call(rich_, call);
  sheet_.elided(rich_);
  voice_ = call.id;
}

// The line of the call stands above what its subagent does, however late that comes.
void TerminalRenderer::announce_agent(Run& run, const ToolCall& call) {
  if (current_ == &run && voice_ == call.id) return;
  if (run.announced.contains(call.number)) {
    // Somebody else has spoken in between.
    turn_to(run, call.depth, call.parent);
    begin_section(Sort::tool);
    rich_.clear();
    rich_.put(Ink::dim, "\u22EF ");
    rich_.add(Ink::dim, call.description.empty() ? call.tool : call.description);
    sheet_.elided(rich_);
    voice_ = call.id;
    return;
  }
  announce(run, call);
}

void TerminalRenderer::show_tool_started(Run& run, const Step& step, const ToolStarted& p) {
  if (step.call == nullptr || step.repeats || !verbose()) return;
  announce(run, *step.call);
  if (!p.command.absent()) show_verbatim(p.command, Ink::code, kEveryLine);
  if (!p.input.absent() && p.command.absent()) {
    show_verbatim(p.input.json, Ink::dim, kEveryLine);
  }
}

void TerminalRenderer::show_tool_finished(Run& run, const Step& step, const ToolFinished& p) {
  const Sign sign = sign_of(p.outcome);
  const bool ok = p.outcome == Outcome::ok;
  if (step.call != nullptr) {
    run.announced.erase(step.call->number);
    // The line that is written now announces a subagent that goes on behind it.
    if (step.call->tool == "Agent" || step.call->tool == "Task") {
      run.announced.insert(step.call->number);
    }
  }
  if (quiet() && ok) return;
  begin_section(Sort::tool);
  rich_.clear();
  rich_.put(sign.ink, sign.sign);
  rich_.put(Ink::plain, " ");
  if (step.call != nullptr) {
    put_call(rich_, *step.call);
  } else {
    rich_.add(Ink::bold, p.tool.empty() ? "tool" : p.tool);
  }
  std::string figures;
  if (step.duration_ms.has_value()) append_duration(figures, *step.duration_ms);
  if (!sign.word.empty()) figures.append(figures.empty() ? "" : ", ").append(sign.word);
  if (p.exit_code.value_or(0) != 0) {
    figures.append(fmt::format("{}exit {}", figures.empty() ? "" : ", ", *p.exit_code));
  }
  const json::Text said = p.error.absent() ? p.output : p.error;
  if (ok && !verbose()) {
    // The result has its share of the line even when the command is long.
    std::string output;
    const bool more = append_first_line(output, said, 4 * options_.width);
    std::string scratch;
    RichText tail;
    if (!figures.empty()) tail.put(Ink::dim, " (" + figures + ")");
    if (!output.empty()) {
      tail.put(Ink::dim, " \u2192 ");
      tail.add(Ink::dim, without_colours(output, scratch));
      if (more) tail.put(Ink::dim, " \u2026");
    }
    sheet_.elided_pair(rich_, tail);
    return;
  }
  if (!figures.empty()) rich_.put(Ink::dim, " (" + figures + ")");
  sheet_.lines(rich_);
  show_output(said, ok ? Ink::plain : sign.ink, verbose() ? kEveryLine : kMostErrorLines);
  if (!p.error.absent() && !p.output.absent()) {
    show_output(p.output, Ink::plain, verbose() ? kEveryLine : kMostErrorLines);
  }
}

void TerminalRenderer::show_output(json::Text text, Ink ink, std::size_t most_lines) {
  std::string coloured;
  std::string scratch;
  json::decode_to(coloured, text);
  show_verbatim(without_colours(coloured, scratch), ink, most_lines);
}

// A command is not output: what runs is seen, whatever it is made of.
void TerminalRenderer::show_verbatim(json::Text text, Ink ink, std::size_t most_lines) {
  decoded_.clear();
  json::decode_to(decoded_, text);
  show_verbatim(std::string_view(decoded_), ink, most_lines);
}

void TerminalRenderer::show_verbatim(std::string_view shown, Ink ink, std::size_t most_lines) {
  while (!shown.empty() && (shown.back() == '\n' || shown.back() == '\r')) shown.remove_suffix(1);
  if (shown.empty()) return;
  std::size_t end = 0;
  for (std::size_t lines = 0; lines < most_lines && end < shown.size(); ++lines) {
    end = std::min(shown.find('\n', end), shown.size());
    if (end < shown.size() && lines + 1 < most_lines) ++end;
  }
  const std::string_view rest = shown.substr(end);
  RichText body;
  body.add(ink, shown.substr(0, end), Breaks::keep);
  RichText first;
  first.put(Ink::dim, "  \u2192 ");
  RichText bar;
  bar.put(Ink::plain, "    ");
  // Words of an error are read, output is looked at.
  const Wrapping wrapping = ink == Ink::failed ? Wrapping::words : Wrapping::anywhere;
  sheet_.lines(body, wrapping, &first, &bar);
  if (rest.empty()) return;
  const auto left = std::count(rest.begin(), rest.end(), '\n');
  rich_.clear();
  rich_.put(Ink::dim, fmt::format("    \u2026 {} more lines, -v shows them", left));
  sheet_.elided(rich_);
}

void TerminalRenderer::show_open_tools(Run& run) {
  for (const ToolCall& call : run.story.open_tools()) {
    turn_to(run, call.depth, call.parent);
    begin_section(Sort::tool);
    rich_.clear();
    rich_.put(Ink::pending, "\u25CC ");
    put_call(rich_, call);
    rich_.put(Ink::dim, " (no result)");
    sheet_.elided(rich_);
  }
}

}  // namespace dragoman::show
