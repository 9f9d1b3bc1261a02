// SPDX-License-Identifier: Apache-2.0
// Frames around what a person must not miss.
#include <fmt/format.h>

#include "dragoman/event/permission.hpp"
#include "dragoman/show/terminal_run.hpp"
#include "dragoman/show/text_head.hpp"
#include "dragoman/show/words.hpp"

namespace dragoman::show {
namespace {

BoxLine blank() { return {}; }

BoxLine words(Ink ink, std::string_view agents_words) {
  BoxLine line;
  line.text.add(ink, agents_words, Breaks::keep);
  line.text.trim_end();
  return line;
}

BoxLine titled(Ink ink, std::string_view title, std::string_view agents_words) {
  BoxLine line;
  line.text.put(ink, title);
  line.text.add(ink, agents_words);
  return line;
}

std::string_view title_of(const Question& p) {
  switch (p.kind) {
    case QuestionKind::question:
      return "\u2753 ";
    case QuestionKind::approval:
      return "\U0001F512 ";
    case QuestionKind::blocked:
      return "\u26D4 ";
  }
  return "";
}

std::string_view how_to_answer(const Question& p) {
  if (p.options.empty()) return "free text";
  if (p.source == QuestionSource::permission && p.free_text) {
    return "one of these, or a denial with its reason";
  }
  if (p.multi_select) return p.free_text ? "several, or free text" : "several may be chosen";
  return p.free_text ? "one of these, or free text" : "";
}

// What is asked, with the command that permission is asked for.
std::vector<BoxLine> lines_asking(const Question& p) {
  std::vector<BoxLine> lines;
  const std::string text = sentence_of(p.text, p.wants);
  if (!p.header.empty() && p.header != p.text) {
    lines.push_back(titled(Ink::bold, title_of(p), p.header));
    lines.push_back(blank());
    lines.push_back(words(Ink::plain, text));
  } else {
    lines.push_back(titled(Ink::bold, title_of(p), text));
  }
  if (p.wants && !p.wants->command.empty()) {
    BoxLine command;
    command.text.put(Ink::dim, "$ ");
    command.text.add(Ink::code, p.wants->command, Breaks::keep);
    command.text.trim_end();
    lines.push_back(std::move(command));
  }
  if (p.wants && p.wants->cut.value_or(false)) lines.push_back(titled(Ink::dim, kCutNote, {}));
  return lines;
}

}  // namespace

void TerminalRenderer::show_card(const std::vector<BoxLine>& lines, Ink frame, Ink fill) {
  begin_section(Sort::card);
  sheet_.box(lines, frame, fill);
}

void TerminalRenderer::show_header(const CommandStarted& p) {
  std::string made;
  std::string_view title = p.title;
  if (title.empty()) {
    made = fmt::format("{} {}", p.command, p.args);
    title = made;
  }
  BoxLine line;
  line.text.put(Ink::header, "\U0001F7E3 ");
  line.text.add(Ink::header, title);
  line.text.trim_end();
  show_card({line}, Ink::accent, Ink::header);
  if (!verbose() || p.command.empty()) return;
  rich_.clear();
  rich_.put(Ink::dim, "/wxcode:");
  rich_.add(Ink::dim, fmt::format("{} {}", p.command, p.args));
  rich_.trim_end();
  if (!p.plan.empty()) {
    rich_.put(Ink::dim, " \u00B7 plan ");
    rich_.add(Ink::dim, p.plan);
  }
  sheet_.elided(rich_);
}

// What became of a question, on one line.
void TerminalRenderer::show_settled(const Question& p) {
  if (p.state == QuestionState::withdrawn) {
    show_line(Ink::pending, "\u2298", "question withdrawn: ", p.header.empty() ? p.text : p.header);
  } else if (const auto decision = decision_in(p)) {
    const bool denied = decision->grant == Grant::deny;
    show_line(denied ? Ink::failed : Ink::completed, denied ? "\u2717" : "\u2713",
              decision->reason.empty() ? words_for(decision->grant) : "denied: ",
              std::string_view(decision->reason));
  } else if (p.secret.value_or(false)) {
    show_line(Ink::completed, "\u2713", "answered, in secret", {});
  } else {
    show_line(Ink::completed, "\u2713", "answered: ", p.answer);
  }
}

void TerminalRenderer::show_question(const Step& step, const Question& p) {
  if (p.state == QuestionState::answered || p.state == QuestionState::withdrawn) {
    // By whoever asked it and once more by the agent, in its own words.
    if (!step.repeats) show_settled(p);
    return;
  }
  if (step.repeats && !step.changed) {
    if (p.state == QuestionState::unanswered) {
      show_line(Ink::paused, "\u2753", "still unanswered: ", p.header.empty() ? p.text : p.header);
    }
    return;
  }
  std::vector<BoxLine> lines = lines_asking(p);
  // What was shown stays on the screen, so the whole stands below it: options go by their numbers.
  if (step.changed) lines.front().text.put(Ink::dim, " (updated)");
  if (!p.options.empty()) lines.push_back(blank());
  std::size_t number = 0;
  for (const Option& option : p.options) {
    BoxLine line = titled(Ink::bold, fmt::format("{}. ", ++number), option.label);
    if (!option.description.empty()) {
      line.text.put(Ink::dim, " \u2013 ");
      line.text.add(Ink::dim, option.description);
    }
    lines.push_back(std::move(line));
  }
  // The context of a comment is the text before it, which has just been shown.
  if (p.source != QuestionSource::comment && !p.context.empty()) {
    lines.push_back(blank());
    for (const std::string_view line : p.context) lines.push_back(words(Ink::dim, line));
  }
  if (const std::string_view how = how_to_answer(p); !how.empty()) {
    lines.push_back(blank());
    lines.push_back(titled(Ink::dim, how, {}));
  }
  show_card(lines, Ink::paused);
}

void TerminalRenderer::show_blocked(const Blocked& p, const Blocked* before) {
  const std::string_view title = before == nullptr ? "\u26D4 Blocked: " : "\u26D4 Blocked, more: ";
  const auto context = before == nullptr ? p.context : added(p.context, before->context);
  std::vector<BoxLine> lines = {titled(Ink::failed, title, p.reason)};
  if (!context.empty()) lines.push_back(blank());
  for (const std::string_view line : context) lines.push_back(words(Ink::plain, line));
  show_card(lines, Ink::failed);
}

void TerminalRenderer::show_next_action(const NextAction& p) {
  std::vector<BoxLine> lines = {titled(Ink::bold, "\u25B6 Next: ", p.description)};
  BoxLine command;
  command.text.put(Ink::accent, "[");
  command.text.add(Ink::accent, call_of(p));
  command.text.put(Ink::accent, "]");
  if (!p.priority.empty() && p.priority != "recommended") {
    command.text.put(Ink::dim, " ");
    command.text.add(p.priority == "required" ? Ink::paused : Ink::dim, p.priority);
  }
  lines.push_back(blank());
  lines.push_back(std::move(command));
  show_card(lines, Ink::accent);
}

void TerminalRenderer::show_failure(Run& run, const Failure& p) {
  const std::string_view code = p.code.empty() ? p.reason : p.code;
  std::string head;
  json::decode_to(head, cut(p.message, Story::kKeptText));
  if (!head.empty() && head == run.last_failure && p.suggestion.empty()) {
    show_line(Ink::failed, "\u2717", "the same error again: ", code);
    return;
  }
  run.last_failure = std::move(head);
  std::vector<BoxLine> lines = {
      titled(Ink::failed, code.empty() ? "\u274C Error" : "\u274C Error: ", code)};
  decoded_.clear();
  json::decode_to(decoded_, p.message);
  if (!decoded_.empty()) {
    lines.push_back(blank());
    lines.push_back(words(Ink::plain, decoded_));
  }
  if (!p.suggestion.empty()) {
    lines.push_back(blank());
    BoxLine hint;
    hint.text.put(Ink::plain, "\U0001F4A1 ");
    hint.text.add(Ink::plain, p.suggestion, Breaks::keep);
    lines.push_back(std::move(hint));
  }
  if (p.recoverable == Recoverable::false_) {
    lines.push_back(blank());
    lines.push_back(titled(Ink::dim, "cannot be recovered from", {}));
  }
  show_card(lines, Ink::failed);
}

}  // namespace dragoman::show
