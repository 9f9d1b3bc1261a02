// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/html_page.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/base/words.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/show/html_style.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/show/page_renderer.hpp"
#include "dragoman/show/words.hpp"

namespace dragoman::show {
namespace {

// <span>text</span>, or nothing for nothing.
void put_fact(std::string& out, std::string_view mark, std::string_view text) {
  if (text.empty()) return;
  out.append("<span>");
  if (!mark.empty()) out.append(mark).append(" ");
  append_html(out, text, Breaks::join);
  out.append("</span>");
}

void put_code_fact(std::string& out, std::string_view mark, std::string_view text) {
  if (text.empty()) return;
  out.append("<span>").append(mark).append(mark.empty() ? "<code>" : " <code>");
  append_html(out, text, Breaks::join);
  out.append("</code></span>");
}

std::string_view status_class(std::string_view status) {
  constexpr std::array<std::string_view, 5> kKnown = {"pending", "in_progress", "completed",
                                                      "failed", "paused"};
  const auto* const found = std::find(kKnown.begin(), kKnown.end(), status);
  return found != kKnown.end() ? *found : "other";
}

void put_bar(std::string& out, double percent, std::string_view label) {
  const std::string words = number_words(percent);
  out.append(
      fmt::format("<div class=\"bar\" role=\"progressbar\" aria-valuenow=\"{}\" "
                  "aria-valuemin=\"0\" aria-valuemax=\"100\" aria-label=\"Progress",
                  words));
  if (!label.empty()) out.append(": ");
  append_html(out, label, Breaks::join);
  out.append(
      fmt::format("\"><svg viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" "
                  "aria-hidden=\"true\"><rect width=\"{}\" height=\"4\"/></svg></div>",
                  words));
}

}  // namespace

void append_page_start(std::string& out, std::string_view title) {
  out.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  out.append("<meta http-equiv=\"Content-Security-Policy\" content=\"");
  append_html(out, html_policy());
  out.append(
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
  const std::string_view shown = title.empty() ? "What the agent did" : title;
  append_html(out, shown, Breaks::join);
  out.append("</title>\n<style>").append(html_style()).append("</style>\n</head>\n<body>\n");
  out.append("<a class=\"skip\" href=\"#run\">Skip to the run</a>\n<header class=\"top\"><h1>");
  append_html(out, shown, Breaks::join);
  out.append("</h1></header>\n<main id=\"run\" tabindex=\"-1\">\n");
}

void append_page_end(std::string& out) {
  out.append(
      "</main>\n<footer class=\"foot\">Made by dragoman. Agent text is shown as text; "
      "nothing on this page runs or loads.</footer>\n</body>\n</html>\n");
}

void HtmlWriter::run_label(std::string& out, std::string_view label) {
  out.append("<p class=\"run-label\">");
  append_html(out, label, Breaks::join);
  out.append("</p>\n");
}

void HtmlWriter::subagent_start(std::string& out, std::string_view who) {
  out.append("<div class=\"wxcode-subagent\"><p class=\"who\">subagent");
  if (!who.empty()) out.append(": ");
  append_html(out, who, Breaks::join);
  out.append("</p>\n");
}

void HtmlWriter::subagent_end(std::string& out) { out.append("</div>\n"); }

void HtmlWriter::spoken(std::string& out, const Spoken& spoken) {
  if (spoken.manner == Manner::verbatim) {
    out.append("<pre dir=\"auto\">");
    std::string scratch;
    append_html(out, without_colours(spoken.text, scratch));
    out.append("</pre>\n");
    return;
  }
  const bool thinking = spoken.manner == Manner::thinking;
  out.append(thinking ? "<div class=\"say thinking\" dir=\"auto\">\n"
                      : "<div class=\"say\" dir=\"auto\">\n");
  if (spoken.unfinished) out.append("<p class=\"note\">unfinished:</p>\n");
  append_html_markdown(out, spoken.text, outline_);
  out.append("</div>\n");
}

void HtmlWriter::header(std::string& out, const CommandStarted& command) {
  out.append("<div class=\"wxcode-header\"><h2 dir=\"auto\">");
  append_html(out,
              !command.title.empty()     ? command.title
              : !command.command.empty() ? command.command
                                         : std::string_view("Command"),
              Breaks::join);
  out.append("</h2>");
  outline_.heading = 2;
  std::string line(command.command);
  if (!command.args.empty()) line.append(" ").append(command.args);
  if (!line.empty() || command.phase || !command.plan.empty()) {
    out.append("<p class=\"meta-line\">");
    put_code_fact(out, "", line);
    if (command.phase) put_fact(out, " phase", number_words(command.phase->real));
    put_fact(out, " plan", command.plan);
    out.append("</p>");
  }
  out.append("</div>\n");
}

void HtmlWriter::session(std::string& out, const SessionStarted& session) {
  out.append("<p class=\"meta\">");
  put_fact(out, "", session.model.empty() ? std::string_view("Session") : session.model);
  put_code_fact(out, "in", session.cwd);
  put_code_fact(out, "session", session.session_id);
  put_fact(out, "version", session.version);
  if (!session.tools.empty()) put_fact(out, "", counted(session.tools.size(), "tool"));
  for (const McpServer& server : session.mcp_servers) {
    put_code_fact(out, "server", server.name);
    put_fact(out, "", server.status);
  }
  out.append("</p>\n");
}

void HtmlWriter::status(std::string& out, const Status& status) {
  const auto [message, word, percent] = status_words(status);
  out.append("<div class=\"wxcode-status wxcode-status-").append(status_class(word));
  out.append("\" role=\"status\" aria-label=\"Status: ");
  append_html(out, spaced(word.empty() ? std::string_view("running") : word), Breaks::join);
  if (percent) out.append(fmt::format(", {} percent", number_words(*percent)));
  if (!message.empty()) out.append(", ");
  append_html(out, message, Breaks::join);
  out.append("\"><span dir=\"auto\">");
  const std::string shown_word = spaced(word);
  append_html(out,
              !message.empty()      ? std::string_view(message)
              : !shown_word.empty() ? std::string_view(shown_word)
                                    : status.activity,
              Breaks::join);
  out.append("</span>");
  if (percent)
    out.append(fmt::format("<span class=\"percent\">{} %</span>", number_words(*percent)));
  std::string facts;
  if (!message.empty() && word != "in_progress") put_fact(facts, "", shown_word);
  if (status.phase) put_fact(facts, "phase", number_words(status.phase->real));
  put_fact(facts, "plan", status.plan);
  put_fact(facts, "task", status.task);
  if (!message.empty() || !word.empty()) put_fact(facts, "", status.activity);
  if (status.steps) {
    put_fact(facts, "steps", fmt::format("{} of {}", status.steps->done, status.steps->total));
  }
  if (percent) put_bar(out, *percent, message);
  if (!facts.empty()) out.append("<div class=\"facts\">").append(facts).append("</div>");
  out.append("</div>\n");
}

void HtmlWriter::next_action(std::string& out, const NextAction& action) {
  const std::string_view priority = action.priority == "required"   ? "required"
                                    : action.priority == "optional" ? "optional"
                                                                    : "recommended";
  out.append("<div class=\"wxcode-next-action wxcode-priority-").append(priority);
  out.append("\" role=\"group\" tabindex=\"0\" aria-label=\"Next action, ").append(priority);
  out.append("\"><p><strong>Next</strong> ");
  append_html(out, action.description, Breaks::join);
  out.append(" <span class=\"note\">(");
  append_html(out, action.priority.empty() ? std::string_view("suggested") : action.priority,
              Breaks::join);
  out.append(")</span></p><p><code class=\"command\">");
  append_html(out, call_of(action), Breaks::join);
  out.append("</code></p></div>\n");
}

void HtmlWriter::failure(std::string& out, const Failure& failure) {
  out.append("<div class=\"wxcode-error\" role=\"alert\"><p><strong>Error");
  if (!failure.code.empty()) out.append(": ");
  append_html(out, failure.code, Breaks::join);
  out.append("</strong></p>");
  if (const std::string message = shortened(failure.message); !message.empty()) {
    out.append("<p class=\"plain\" dir=\"auto\">");
    append_html(out, message);
    out.append("</p>");
  }
  if (!failure.suggestion.empty()) {
    out.append("<p><strong>Suggestion:</strong> ");
    append_html(out, failure.suggestion, Breaks::join);
    out.append("</p>");
  }
  std::string facts;
  if (failure.recoverable == Recoverable::true_) put_fact(facts, "", "recoverable");
  if (failure.recoverable == Recoverable::false_) put_fact(facts, "", "not recoverable");
  put_fact(facts, "reason", failure.reason);
  if (!facts.empty()) out.append("<p class=\"facts\">").append(facts).append("</p>");
  out.append("</div>\n");
}

std::unique_ptr<Renderer> make_html_renderer(const RenderOptions& options) {
  return make_page_renderer(std::make_unique<HtmlWriter>(), options);
}

}  // namespace dragoman::show
