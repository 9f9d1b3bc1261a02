// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "dragoman/event/names.hpp"
#include "dragoman/event/permission.hpp"
#include "dragoman/show/html_page.hpp"
#include "dragoman/show/item_reports.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/show/words.hpp"

namespace dragoman::show {
namespace {

void put(std::string& out, std::string_view open, std::string_view text, std::string_view close) {
  if (text.empty()) return;
  out.append(open);
  append_html(out, text, Breaks::join);
  out.append(close);
}

void put_block(std::string& out, std::string_view open, std::string_view text,
               std::string_view close) {
  if (text.empty()) return;
  out.append(open);
  append_html(out, text);
  out.append(close);
}

void put_options(std::string& out, const Question& question) {
  if (question.options.empty()) return;
  out.append("<ol>");
  for (const Option& option : question.options) {
    put(out, "<li><strong>", option.label.empty() ? std::string_view("–") : option.label,
        "</strong>");
    put(out, " <span class=\"note\">", option.description, "</span>");
    out.append("</li>");
  }
  out.append("</ol>");
}

}  // namespace

void HtmlWriter::question(std::string& out, const Question& question) {
  const bool approval = question.kind == QuestionKind::approval;
  const bool answered = question.state == QuestionState::answered;
  const auto decision = decision_in(question);
  const bool denied = decision && decision->grant == Grant::deny;
  out.append("<div class=\"wxcode-question");
  if (answered) out.append(denied ? " wxcode-question-denied" : " wxcode-question-answered");
  out.append("\" role=\"group\" aria-label=\"");
  out.append(approval ? "Approval, " : "Question, ").append(state_words(question));
  out.append("\"><p>");
  put(out, "<span class=\"chip\">", question.header, "</span>");
  out.append(fmt::format("<span class=\"note\">{}{}</span></p>", approval ? "approval, " : "",
                         state_words(question)));
  put_block(out, "<p class=\"plain\" dir=\"auto\"><strong>",
            sentence_of(question.text, question.wants), "</strong></p>");
  if (question.wants) {
    put_block(out, "<pre class=\"command\">$ ", question.wants->command, "</pre>");
    const bool cut = question.wants->cut.value_or(false);
    put(out, "<p class=\"note\">", cut ? kCutNote : std::string_view(), "</p>");
  }
  if (decision) {
    put_block(out, "<p class=\"plain\">Reason: ", decision->reason, "</p>");
  } else if (answered) {
    const bool secret = question.secret.value_or(false);
    put_block(out, "<p class=\"plain\">Answer: ",
              secret ? std::string_view("(secret)") : question.answer, "</p>");
  } else {
    put_options(out, question);
    for (const std::string_view context : question.context) {
      put(out, "<p class=\"note\">", context, "</p>");
    }
    if (question.multi_select) out.append("<p class=\"note\">several may be chosen</p>");
    out.append(question.source == QuestionSource::permission && question.free_text
                   ? "<p class=\"note\">a denial may have a reason</p>"
               : question.free_text ? "<p class=\"note\">any other answer may be typed</p>"
                                    : "");
  }
  out.append("</div>\n");
}

void HtmlWriter::tool(std::string& out, const PageTool& tool) {
  const ToolFinished* const end = tool.finished;
  const bool ok = tool.ok();
  const std::string_view state = end == nullptr ? "open" : ok ? "ok" : "failed";
  const std::string_view words = tool.state();
  out.append(fmt::format("<details class=\"wxcode-tool wxcode-tool-{}\"{}><summary>", state,
                         ok ? "" : " open"));
  out.append(
      fmt::format("<span class=\"mark\" role=\"img\" aria-label=\"{}\" data-mark=\"{}\">"
                  "</span>",
                  words,
                  end == nullptr ? "◌"
                  : ok           ? "✓"
                                 : "✗"));
  put(out, "<span class=\"name\">", tool.title(), "</span>");
  put(out, "<span class=\"what\">", tool.what(), "</span>");
  if (tool.duration_ms) {
    out.append(fmt::format("<span class=\"time\">{}</span>", duration_words(*tool.duration_ms)));
  }
  out.append("</summary><div class=\"inside\">");
  const std::size_t empty = out.size();
  if (tool.call != nullptr && !tool.call->detail.empty()) {
    const bool command = tool.call->detail_kind == ToolCall::DetailKind::command;
    put_block(out, command ? "<pre class=\"command\">$ " : "<pre class=\"command\">",
              tool.call->detail, "</pre>");
  } else {
    put_block(out, "<pre class=\"command\">", tool.input, "</pre>");
  }
  out.append(tool.inside);
  if (end != nullptr) {
    put_block(out, "<div class=\"wxcode-error\" role=\"alert\"><p class=\"plain\">",
              printed(end->error), "</p></div>");
    put_block(out, "<pre>", printed(end->output), "</pre>");
    if (end->exit_code && *end->exit_code != 0) {
      out.append(fmt::format("<p class=\"note\">exit code {}</p>", *end->exit_code));
    }
  }
  if (out.size() == empty) {
    out.append(fmt::format("<p class=\"note\">{}, without output</p>", words));
  }
  out.append("</div></details>\n");
}

void HtmlWriter::item(std::string& out, const Item& item) {
  constexpr std::string_view kTones[] = {"quiet", "plain", "good", "warning", "bad"};
  const std::string_view tone = kTones[static_cast<std::size_t>(item.tone)];
  const bool small = item.tone == Tone::quiet && item.verbatim.empty() && item.lines.size() < 8;
  out.append(small ? "<div class=\"quiet\">" : "");
  if (!small) {
    out.append(fmt::format("<div class=\"card card-{}\"{}>", tone,
                           item.tone == Tone::bad ? " role=\"alert\"" : ""));
  }
  out.append(small ? "" : "<p><strong>");
  append_html(out, item.label, Breaks::join);
  out.append(small ? "" : "</strong>");
  put(out, " <span dir=\"auto\">", item.title, "</span>");
  out.append(small ? "" : "</p>");
  if (!item.lines.empty()) out.append(small ? " <span class=\"facts\">" : "<ul>");
  for (const ItemLine& line : item.lines) {
    out.append(small ? "<span>" : "<li>").append(line.mark);
    put(out, line.mark.empty() ? "<code>" : " <code>", line.code, "</code>");
    put(out, " ", line.text, "");
    put(out, " <span class=\"note\">(", line.note, ")</span>");
    out.append(small ? "</span>" : "</li>");
  }
  if (!item.lines.empty()) out.append(small ? "</span>" : "</ul>");
  if (item.left_out > 0) {
    out.append(fmt::format("<p class=\"note\">and {} more</p>", item.left_out));
  }
  put_block(out, "<pre dir=\"auto\">", item.verbatim, "</pre>");
  out.append("</div>\n");
}

void HtmlWriter::lint(std::string& out, const LintWarnings& lint) { item(out, report_item(lint)); }

void HtmlWriter::end(std::string& out, const RunSummary& run, const PageEnd& end) {
  std::string_view state = "failed";
  if (end.verdict == "completed") state = "completed";
  if (end.verdict == "question" || end.verdict == "blocked") state = "paused";
  if (end.verdict == "incomplete" || end.verdict == "cancelled") state = "pending";
  out.append("<div class=\"end\"><p class=\"verdict wxcode-status wxcode-status-").append(state);
  out.append("\" role=\"status\" aria-label=\"Verdict: ");
  append_html(out, end.verdict, Breaks::join);
  out.append("\"><span>Verdict: ");
  append_html(out, end.verdict, Breaks::join);
  out.append("</span></p>");
  if (!end.reasons.empty()) {
    out.append("<p class=\"facts\">");
    for (const std::string& reason : end.reasons) {
      put(out, "<span>", spaced(reason), "</span>");
    }
    out.append("</p>");
  }
  const std::vector<Total> figures = totals(run, end);
  if (!figures.empty()) out.append("<dl class=\"totals\">");
  for (const Total& total : figures) {
    out.append(fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", total.what, total.value));
  }
  if (!figures.empty()) out.append("</dl>");
  out.append("</div>\n");
}

}  // namespace dragoman::show
