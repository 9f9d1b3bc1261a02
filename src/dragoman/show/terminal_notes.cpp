// SPDX-License-Identifier: Apache-2.0
// Reports that are a line or a few.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/show/columns.hpp"
#include "dragoman/show/progress_bar.hpp"
#include "dragoman/show/terminal_run.hpp"
#include "dragoman/show/text_head.hpp"

namespace dragoman::show {
namespace {

// What the program around an agent does all the time; a status area shows it, the record need not.
constexpr std::array<std::string_view, 16> kEveryday = {
    "status",          "background_tasks_changed",
    "task_progress",   "task_updated",
    "thinking_tokens", "turn_started",
    "keep_alive",      "session_state_changed",
    "hook_started",    "hook_progress",
    "hook_response",   "tool_progress",
    "ui_invalidate",   "command_lifecycle",
    "task_started",    "prompt_suggestion"};

bool is_everyday(std::string_view activity) {
  return std::find(kEveryday.begin(), kEveryday.end(), activity) != kEveryday.end();
}

struct Mark {
  std::string_view sign;
  Ink ink = Ink::plain;
};

Mark mark_of(FileAction action) {
  switch (action) {
    case FileAction::created:
      return {"+", Ink::completed};
    case FileAction::modified:
      return {"~", Ink::in_progress};
    case FileAction::deleted:
      return {"-", Ink::failed};
    case FileAction::renamed:
      return {">", Ink::paused};
    case FileAction::unknown:
      return {"?", Ink::pending};
  }
  return {};
}

}  // namespace

void TerminalRenderer::show_line(Ink ink, std::string_view sign, std::string_view words,
                                 json::Text agents_words) {
  begin_section(Sort::note);
  RichText first;
  first.put(ink, sign);
  first.put(Ink::plain, " ");
  RichText rest;
  rest.put(Ink::plain, std::string(columns(first.text()), ' '));
  rich_.clear();
  rich_.put(Ink::plain, words);
  decoded_.clear();
  json::decode_to(decoded_, agents_words);
  rich_.add(Ink::plain, decoded_, Breaks::keep);
  rich_.trim_end();
  sheet_.lines(rich_, Wrapping::words, &first, &rest);
}

void TerminalRenderer::show_session(const SessionStarted& p) {
  begin_section(Sort::note);
  rich_.clear();
  rich_.put(Ink::dim, "\u25CF session ");
  rich_.add(Ink::dim, verbose() ? p.session_id : p.session_id.substr(0, 8));
  for (const std::string_view part : {p.model, p.cwd}) {
    if (part.empty()) continue;
    rich_.put(Ink::dim, " \u00B7 ");
    rich_.add(Ink::dim, part);
  }
  if (verbose() && !p.version.empty()) {
    rich_.put(Ink::dim, " \u00B7 version ");
    rich_.add(Ink::dim, p.version);
  }
  if (verbose() && !p.tools.empty()) {
    rich_.put(Ink::dim, fmt::format(" \u00B7 {}:", counted(std::ssize(p.tools), "tool")));
    for (const std::string_view tool : p.tools) {
      rich_.put(Ink::dim, " ");
      rich_.add(Ink::dim, tool);
    }
  }
  if (verbose()) {
    sheet_.lines(rich_);
  } else {
    sheet_.elided(rich_);
  }
  for (const McpServer& server : p.mcp_servers) {
    const bool failed = server.status == "failed";
    if (!failed && !verbose()) continue;
    show_line(failed ? Ink::failed : Ink::dim, failed ? "\u2717" : "\u25CF", "MCP server ",
              std::string_view(fmt::format("{}: {}", server.name, server.status)));
  }
}

// What the agent's program is at.
void TerminalRenderer::show_activity(Run& run, const Status& p) {
  if (p.activity == "api_retry") {
    // What was shown of the message so far does not count any more.
    run.fragments.clear();
    run.fragment_text.drop_pending();
  }
  if (!verbose() && (quiet() || is_everyday(p.activity))) return;
  std::string words;
  append_terminal(words, p.activity, Breaks::join);
  if (!p.status.empty()) append_terminal(words.append(" "), p.status, Breaks::join);
  std::replace(words.begin(), words.end(), '_', ' ');
  if (!p.message.absent()) words.append(": ");
  show_line(Ink::dim, "\u00B7", words, p.message);
}

void TerminalRenderer::show_status(Run& run, const Status& p) {
  if (p.activity.data() != nullptr && !p.steps.has_value()) return show_activity(run, p);
  if (quiet() && p.status != "failed") return;
  begin_section(Sort::note);
  const std::string_view status = p.status.empty() ? "in_progress" : p.status;
  const Ink ink = ink_of_status(status);
  const auto& progress = run.story.progress();
  const bool counts = p.progress.has_value() || p.steps.has_value();
  rich_.clear();
  if (counts && progress.has_value() && progress->percent.has_value()) {
    const std::size_t cells = sheet_.room() >= 60 ? 20 : 10;
    rich_.put(ink, progress_bar(*progress->percent, cells));
    rich_.put(Ink::bold, fmt::format(" {:>3}%", std::floor(*progress->percent)));
  } else {
    rich_.put(ink, status_sign(status));
  }
  decoded_.clear();
  json::decode_to(decoded_, p.message);
  RichText first = rich_;
  first.put(Ink::plain, " ");
  rich_.clear();
  rich_.add(Ink::plain, decoded_);
  if (ink == Ink::plain) {
    rich_.put(Ink::dim, rich_.empty() ? "" : " \u00B7 ");
    rich_.add(Ink::dim, status);
  }
  if (p.steps.has_value()) {
    rich_.put(Ink::dim, fmt::format("{}{} of {} steps", rich_.empty() ? "" : " \u00B7 ",
                                    p.steps->done, p.steps->total));
  }
  if (p.phase.has_value()) rich_.put(Ink::dim, fmt::format(" \u00B7 phase {}", p.phase->real));
  for (const auto& [what, value] : {std::pair{"plan", p.plan}, std::pair{"task", p.task}}) {
    if (value.empty()) continue;
    rich_.put(Ink::dim, fmt::format(" \u00B7 {} ", what));
    rich_.add(Ink::dim, value);
  }
  constexpr std::size_t kRoomBesideABar = 36;
  if (counts && sheet_.room() < kRoomBesideABar) {
    first.trim_end();
    sheet_.line(first);
    first.clear();
    first.put(Ink::plain, "  ");
  }
  RichText rest;
  rest.put(Ink::plain, std::string(columns(first.text()), ' '));
  sheet_.lines(rich_, Wrapping::words, &first, &rest);
}

void TerminalRenderer::show_todo(const TodoList& list) {
  if (quiet()) return;
  for (const Todo& todo : list.items) {
    const Ink ink = todo.done ? Ink::dim : Ink::plain;
    show_line(ink, sign_of(todo), {}, std::string_view(todo.text));
  }
  if (list.left_out > 0) {
    show_line(Ink::dim, "\u2026", {}, std::string_view(fmt::format("{} more", list.left_out)));
  }
}

void TerminalRenderer::show_files(const FilesChanged& p, const FilesChanged* before) {
  if (p.files.empty()) show_line(Ink::dim, "~", "no file changed", {});
  for (const FileChange& file : before == nullptr ? p.files : added(p.files, before->files)) {
    const Mark mark = mark_of(file.action);
    begin_section(Sort::note);
    rich_.clear();
    rich_.put(mark.ink, mark.sign);
    rich_.put(Ink::plain, " ");
    if (!file.from.empty()) {
      rich_.add(Ink::plain, file.from);
      rich_.put(Ink::dim, " \u2192 ");
    }
    rich_.add(Ink::plain, file.path);
    if (!file.note.empty()) {
      rich_.put(Ink::dim, " \u00B7 ");
      rich_.add(Ink::dim, file.note);
    }
    if (p.claimed) rich_.put(Ink::dim, " (as the agent says)");
    sheet_.lines(rich_);
  }
}

void TerminalRenderer::show_usage(Run& run, const Usage& p) {
  if (run.turn.has_value()) {
    if (!p.final) return;
    const std::string usage = describe(run.story.turn_usage());
    if (!usage.empty()) run.turn->put(Ink::dim, " \u00B7 " + usage);
    flush_turn(run);
    return;
  }
  const std::string usage = describe(run.story.usage());
  if (verbose() && !usage.empty())
    show_line(Ink::dim, "\u00B7", "so far ", std::string_view(usage));
}

void TerminalRenderer::show_turn(Run& run, const Step& step, const TurnFinished& p) {
  decoded_.clear();
  json::decode_to(decoded_, p.text);
  if (!ascii::is_blank(decoded_) && !run.said.has(decoded_)) {
    // The only place where the answer stands.
    begin_section(Sort::text);
    run.text.add(decoded_, TextForm::markdown);
    flush_text(run);
  }
  if (quiet() && p.ok) return;
  RichText line;
  line.put(p.ok ? Ink::completed : Ink::failed, p.ok ? "\u2713 " : "\u2717 ");
  line.put(Ink::plain, p.ok ? "turn finished" : "turn failed");
  if (!p.ok || (verbose() && !p.subtype.empty())) {
    line.put(Ink::plain, ": ");
    line.add(Ink::plain, p.terminal_reason.empty() ? p.subtype : p.terminal_reason);
  }
  if (step.duration_ms.has_value()) {
    std::string took = " \u00B7 ";
    append_duration(took, *step.duration_ms);
    line.put(Ink::dim, took);
  }
  if (p.num_turns.has_value()) line.put(Ink::dim, " \u00B7 " + counted(*p.num_turns, "step"));
  run.turn = std::move(line);
}

void TerminalRenderer::flush_turn(Run& run) {
  if (!run.turn.has_value()) return;
  turn_to(run, 0, {});
  begin_section(Sort::card);  // the end of a turn is set apart
  sheet_.lines(*run.turn);
  run.turn.reset();
  last_ = Sort::note;
}

void TerminalRenderer::show_finished(const Step& step, const Finished& p) {
  const bool good = p.verdict == "completed";
  if (quiet() && good) return;
  const bool waits = p.verdict == "question" || p.verdict == "blocked";
  std::string words;
  append_terminal(words, p.verdict, Breaks::join);
  if (step.duration_ms.has_value()) append_duration(words.append(" after "), *step.duration_ms);
  if (p.exit_code.has_value()) words.append(fmt::format(" \u00B7 exit {}", *p.exit_code));
  if (!p.signal.empty()) {
    const bool is_number = ascii::is_digit(p.signal.front());
    append_terminal(words.append(is_number ? " \u00B7 signal " : " \u00B7 "), p.signal,
                    Breaks::join);
  }
  std::string reasons;
  for (const std::string_view reason : p.reasons) {
    reasons.append(reasons.empty() ? " \u00B7 " : ", ").append(reason);
  }
  show_line(good ? Ink::completed : (waits ? Ink::paused : Ink::failed),
            good ? "\u25CF" : (waits ? "\u2753" : "\u2717"), words, std::string_view(reasons));
}

}  // namespace dragoman::show
