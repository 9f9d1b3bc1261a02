// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/markdown_page.hpp"

#include <cmath>

#include <fmt/format.h>

#include "dragoman/event/names.hpp"
#include "dragoman/event/permission.hpp"
#include "dragoman/show/item_reports.hpp"
#include "dragoman/show/markdown_text.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/show/page_renderer.hpp"
#include "dragoman/show/words.hpp"

namespace dragoman::show {
namespace {

constexpr std::size_t kMaxOutput = 16 * 1024;

void put_words(std::string& out, std::string_view before, std::string_view text,
               std::string_view after = {}) {
  if (text.empty()) return;
  out.append(before);
  append_markdown(out, text);
  out.append(after);
}

void put_code(std::string& out, std::string_view before, std::string_view text,
              std::string_view after = {}) {
  if (text.empty()) return;
  out.append(before);
  append_code_span(out, text);
  out.append(after);
}

// > [!KIND] and what stands below it.
void put_alert(std::string& out, std::string_view kind, std::string_view body) {
  out.append("> [!").append(kind).append("]\n");
  append_prefixed(out, body, "> ");
  out.push_back('\n');
}

std::string_view bar_of(double percent, std::string& scratch) {
  constexpr int kCells = 20;
  const auto full = std::lround(percent / 100 * kCells);
  scratch.clear();
  for (int i = 0; i < kCells; ++i) scratch.append(i < full ? "█" : "░");
  return scratch;
}

// An element of a line of HTML: it can hold no blank line, and GitHub finds no names in <code>.
void put_html_code(std::string& out, std::string_view text) {
  out.append("<code>");
  append_html(out, text, Breaks::join);
  out.append("</code>");
}

}  // namespace

void MarkdownPageWriter::start(std::string& out, std::string_view title) {
  out.append("# ");
  append_markdown(out, title.empty() ? std::string_view("What the agent did") : title);
  out.append("\n\n");
}

void MarkdownPageWriter::finish(std::string& /*out*/) {}

void MarkdownPageWriter::run_label(std::string& out, std::string_view label) {
  put_code(out, "", label, "\n\n");
}

void MarkdownPageWriter::subagent_start(std::string& out, std::string_view who) {
  out.append("<blockquote>\n\n*Subagent*");
  put_words(out, " ", who);
  out.append("\n\n");
}

void MarkdownPageWriter::subagent_end(std::string& out) { out.append("</blockquote>\n\n"); }

void MarkdownPageWriter::spoken(std::string& out, const Spoken& spoken) {
  if (spoken.unfinished) out.append("*Unfinished:*\n\n");
  if (spoken.manner == Manner::verbatim) {
    std::string scratch;
    append_fenced(out, without_colours(spoken.text, scratch), "text");
    out.push_back('\n');
    return;
  }
  if (spoken.manner == Manner::markdown) {
    append_markdown_text(out, spoken.text);
    return;
  }
  std::string thoughts = "*Thinking*\n\n";
  append_markdown_text(thoughts, spoken.text);
  append_prefixed(out, thoughts, "> ");
  out.push_back('\n');
}

void MarkdownPageWriter::header(std::string& out, const CommandStarted& command) {
  out.append("## ");
  append_markdown(out, !command.title.empty()     ? command.title
                       : !command.command.empty() ? command.command
                                                  : std::string_view("Command"));
  out.append("\n\n");
  std::string line;
  std::string call(command.command);
  if (!command.args.empty()) call.append(" ").append(command.args);
  put_code(line, "", call);
  if (command.phase) line.append(fmt::format(" phase {}", number_words(command.phase->real)));
  put_words(line, " plan ", command.plan);
  if (!line.empty()) out.append(line).append("\n\n");
}

void MarkdownPageWriter::session(std::string& out, const SessionStarted& session) {
  item(out, describe(Event{.payload = session, .origin = {}, .ts = {}, .extra = {}}, {}));
}

void MarkdownPageWriter::status(std::string& out, const Status& status) {
  const auto [message, word, percent] = status_words(status);
  std::string line;
  if (percent) {
    std::string bar;
    line.append(fmt::format("`{}` {} % ", bar_of(*percent, bar), number_words(*percent)));
  }
  if (!word.empty()) {
    line.append("**");
    append_markdown(line, spaced(word));
    line.append("** ");
  }
  append_markdown(line, message);
  if (status.phase) line.append(fmt::format(" · phase {}", number_words(status.phase->real)));
  put_words(line, " · plan ", status.plan);
  put_words(line, " · task ", status.task);
  put_words(line, " · ", status.activity);
  if (status.steps) {
    line.append(fmt::format(" · {} of {} steps", status.steps->done, status.steps->total));
  }
  out.append(line).append("\n\n");
}

void MarkdownPageWriter::question(std::string& out, const Question& question) {
  std::string body = question.kind == QuestionKind::approval ? "**Approval**" : "**Question**";
  put_words(body, " ", question.header);
  body.append(fmt::format(" ({})\n\n", state_words(question)));
  if (!question.text.empty()) {
    append_markdown(body, sentence_of(question.text, question.wants), Breaks::keep, LineStart::yes);
    body.append("\n\n");
  }
  if (question.wants && !question.wants->command.empty()) {
    append_fenced(body, question.wants->command, "sh");
    body.push_back('\n');
  }
  if (question.wants && question.wants->cut.value_or(false)) put_words(body, "", kCutNote, "\n\n");
  if (const auto decision = decision_in(question)) {
    put_words(body, "Reason: ", decision->reason);
  } else if (question.state == QuestionState::answered) {
    put_words(body, "Answer: ",
              question.secret.value_or(false) ? std::string_view("(secret)") : question.answer);
  } else {
    std::size_t number = 0;
    for (const Option& option : question.options) {
      body.append(fmt::format("{}. ", ++number));
      put_words(body, "**", option.label.empty() ? std::string_view("–") : option.label, "**");
      put_words(body, " ", option.description);
      body.push_back('\n');
    }
    if (number > 0) body.push_back('\n');
    for (const std::string_view context : question.context) {
      append_markdown(body, context, Breaks::join, LineStart::yes);
      body.append("\n\n");
    }
    if (question.multi_select) body.append("*several may be chosen*\n\n");
    const bool permission = question.source == QuestionSource::permission;
    if (question.free_text) {
      body.append(permission ? "*a denial may have a reason*\n\n"
                             : "*any other answer may be typed*\n\n");
    }
  }
  put_alert(out, "IMPORTANT", body);
}

void MarkdownPageWriter::next_action(std::string& out, const NextAction& action) {
  std::string body = "**Next**";
  put_words(body, " ", action.description);
  put_words(body, " (", action.priority, ")");
  body.append("\n\n");
  put_code(body, "", call_of(action));
  put_alert(out, "TIP", body);
}

void MarkdownPageWriter::failure(std::string& out, const Failure& failure) {
  std::string body = "**Error**";
  put_code(body, " ", failure.code);
  body.append("\n\n");
  if (const std::string message = shortened(failure.message, kMaxOutput); !message.empty()) {
    append_markdown(body, message, Breaks::keep, LineStart::yes);
    body.append("\n\n");
  }
  put_words(body, "Suggestion: ", failure.suggestion, "\n\n");
  put_words(body, "Reason: ", failure.reason, "\n\n");
  if (failure.recoverable == Recoverable::true_) body.append("*recoverable*");
  if (failure.recoverable == Recoverable::false_) body.append("*not recoverable*");
  put_alert(out, "CAUTION", body);
}

void MarkdownPageWriter::lint(std::string& out, const LintWarnings& lint) {
  item(out, report_item(lint));
}

void MarkdownPageWriter::tool(std::string& out, const PageTool& tool) {
  const ToolFinished* const end = tool.finished;
  const std::string_view mark = end == nullptr ? "◌" : tool.ok() ? "✓" : "✗";
  out.append(fmt::format("<details{}>\n<summary>{} ", tool.ok() ? "" : " open", mark));
  put_html_code(out, tool.title());
  if (!tool.what().empty()) {
    out.push_back(' ');
    put_html_code(out, tool.what());
  }
  if (!tool.ok()) out.append(fmt::format(" {}", tool.state()));
  if (tool.duration_ms) out.append(fmt::format(" · {}", duration_words(*tool.duration_ms)));
  out.append("</summary>\n\n");
  if (tool.call != nullptr && !tool.call->detail.empty()) {
    const bool command = tool.call->detail_kind == ToolCall::DetailKind::command;
    append_fenced(out, tool.call->detail, command ? "sh" : "text");
    out.push_back('\n');
  } else if (!tool.input.empty()) {
    append_fenced(out, tool.input, "json");
    out.push_back('\n');
  }
  out.append(tool.inside);
  if (end != nullptr) {
    for (const json::Text& text : {end->error, end->output}) {
      if (text.bytes.empty()) continue;
      append_fenced(out, printed(text, kMaxOutput), "text");
      out.push_back('\n');
    }
    if (end->exit_code && *end->exit_code != 0) {
      out.append(fmt::format("exit code {}\n\n", *end->exit_code));
    }
  }
  out.append("</details>\n\n");
}

void MarkdownPageWriter::item(std::string& out, const Item& item) {
  std::string body = "**";
  append_markdown(body, item.label);
  body.append("**");
  put_words(body, " ", item.title);
  body.append("\n\n");
  for (const ItemLine& line : item.lines) {
    body.append("- ").append(line.mark);
    put_code(body, line.mark.empty() ? "" : " ", line.code);
    put_words(body, line.mark.empty() && line.code.empty() ? "" : " ", line.text);
    put_words(body, " (", line.note, ")");
    body.push_back('\n');
  }
  if (item.left_out > 0) body.append(fmt::format("- and {} more\n", item.left_out));
  if (!item.lines.empty()) body.push_back('\n');
  if (!item.verbatim.empty()) {
    append_fenced(body, item.verbatim, "text");
    body.push_back('\n');
  }
  if (item.tone == Tone::bad) {
    put_alert(out, "CAUTION", body);
  } else if (item.tone == Tone::warning) {
    put_alert(out, "WARNING", body);
  } else {
    out.append(body);
  }
}

void MarkdownPageWriter::end(std::string& out, const RunSummary& run, const PageEnd& end) {
  out.append("***\n\n**Verdict: ");
  append_markdown(out, end.verdict);
  out.append("**");
  for (const std::string& reason : end.reasons) put_words(out, " · ", spaced(reason));
  out.append("\n\n");
  const std::vector<Total> figures = totals(run, end);
  if (figures.empty()) return;
  std::string head = "|";
  std::string rule = "|";
  std::string values = "|";
  for (const Total& total : figures) {
    head.append(fmt::format(" {} |", total.what));
    rule.append(" --: |");
    values.append(fmt::format(" {} |", total.value));
  }
  out.append(fmt::format("{}\n{}\n{}\n\n", head, rule, values));
}

std::unique_ptr<Renderer> make_markdown_renderer(const RenderOptions& options) {
  return make_page_renderer(std::make_unique<MarkdownPageWriter>(), options);
}

}  // namespace dragoman::show
