// SPDX-License-Identifier: Apache-2.0
// The log of a GitHub Actions step. A line of it is one of our commands, with the agent's words
// escaped in it, or stands inside ::stop-commands::. Nothing else is ever written.
#include <utility>

#include <fmt/format.h>

#include "dragoman/event/names.hpp"
#include "dragoman/event/permission.hpp"
#include "dragoman/show/item_reports.hpp"
#include "dragoman/show/markdown_page.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/show/page_renderer.hpp"
#include "dragoman/show/words.hpp"

namespace dragoman::show {
namespace {

constexpr std::size_t kMaxSummary = 1024 * 1024;  // of a step, GitHub's limit
constexpr std::size_t kSummaryEnd = 64 * 1024;    // kept free for the verdicts

struct Place {
  std::string_view file;
  std::optional<std::int64_t> line;
  std::optional<std::int64_t> column;
};

class GithubWriter final : public PageWriter {
 public:
  explicit GithubWriter(std::string secret) : secret_(std::move(secret)) {}

  void start(std::string& /*out*/, std::string_view /*title*/) override {}
  void finish(std::string& /*out*/) override {}
  void run_label(std::string& out, std::string_view label) override { fence(out, label); }
  bool nests() const override { return false; }  // groups cannot stand in groups
  void subagent_start(std::string& out, std::string_view who) override {
    fence(out, fmt::format("subagent {}", who));
  }
  void subagent_end(std::string& /*out*/) override {}

  void spoken(std::string& out, const Spoken& spoken) override {
    std::string_view text = spoken.text;
    while (!text.empty() && (text.front() == '\n' || text.front() == '\r')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    fence(out, text);
  }

  void header(std::string& out, const CommandStarted& command) override {
    command_line(out, "notice", command.title.empty() ? command.command : command.title,
                 fmt::format("{} {}", command.command, command.args), {});
  }

  void session(std::string& out, const SessionStarted& session) override {
    fence(out, fmt::format("session {} {} {}", session.session_id, session.model, session.cwd));
  }

  void status(std::string& out, const Status& status) override {
    const auto [message, word, percent] = status_words(status);
    if (word == "failed") {
      command_line(out, "warning", "Status: failed", message, {});
      return;
    }
    std::string line;
    if (percent) line = fmt::format("[{:>3.0f} %] ", *percent);
    fence(out, line + fmt::format("{} {}", spaced(word), message));
  }

  void question(std::string& out, const Question& question) override {
    std::string text = text_with_command(question.text, question.wants);
    std::size_t number = 0;
    for (const Option& option : question.options) {
      text += fmt::format("\n{}. {}", ++number, option.label);
      if (!option.description.empty()) text += fmt::format(": {}", option.description);
    }
    if (const auto decision = decision_in(question)) {
      if (!decision->reason.empty()) text += fmt::format("\nReason: {}", decision->reason);
    } else if (question.state == QuestionState::answered && !question.secret.value_or(false)) {
      text += fmt::format("\nAnswer: {}", question.answer);
    }
    const bool waits = question.state == QuestionState::open;
    command_line(out, waits ? "warning" : "notice",
                 fmt::format("Question {} ({})", question.header, state_words(question)), text, {});
  }

  void next_action(std::string& out, const NextAction& action) override {
    command_line(out, "notice", fmt::format("Next ({})", action.priority),
                 fmt::format("{}\n{}", action.description, call_of(action)), {});
  }

  void failure(std::string& out, const Failure& failure) override {
    std::string text = shortened(failure.message, kMaxData);
    if (!failure.suggestion.empty()) text += fmt::format("\nSuggestion: {}", failure.suggestion);
    command_line(out, "error", failure.code.empty() ? std::string_view("Error") : failure.code,
                 text, {});
  }

  void lint(std::string& out, const LintWarnings& lint) override {
    for (const LintItem& item : lint.items) {
      const std::string_view level = item.severity == "error"  ? "error"
                                     : item.severity == "info" ? "notice"
                                                               : "warning";
      command_line(out, level, item.rule, item.message, {item.file, item.line, item.column});
    }
    if (!lint.summary.empty()) fence(out, lint.summary);
  }

  void tool(std::string& out, const PageTool& tool) override {
    const std::string_view mark = tool.finished == nullptr ? "◌" : tool.ok() ? "✓" : "✗";
    std::string title = fmt::format("{} {}", mark, tool.title());
    if (!tool.what().empty()) title += fmt::format(": {}", tool.what());
    if (!tool.ok()) title += fmt::format(" ({})", tool.state());
    if (tool.duration_ms) title += fmt::format(" {}", duration_words(*tool.duration_ms));
    std::string body;
    if (tool.call != nullptr && !tool.call->detail.empty()) {
      const bool command = tool.call->detail_kind == ToolCall::DetailKind::command;
      body = fmt::format("{}{}\n", command ? "$ " : "", tool.call->detail);
    }
    if (tool.finished != nullptr) {
      for (const json::Text& text : {tool.finished->error, tool.finished->output}) {
        body += printed(text);
        if (!body.empty() && body.back() != '\n') body.push_back('\n');
      }
    }
    group(out, title, body);
    if (tool.finished != nullptr && !tool.ok()) {
      command_line(out, "warning", fmt::format("{} {}", tool.title(), tool.state()), tool.what(),
                   {});
    }
  }

  void item(std::string& out, const Item& item) override {
    std::string body;
    for (const ItemLine& line : item.lines) {
      for (const std::string_view part :
           {line.mark, std::string_view(line.code), std::string_view(line.text),
            std::string_view(line.note)}) {
        if (!part.empty()) body.append(" ").append(part);
      }
      body.push_back('\n');
    }
    body += item.verbatim;
    const std::string title = fmt::format("{} {}", item.label, item.title);
    if (item.tone == Tone::bad || item.tone == Tone::warning) {
      command_line(out, item.tone == Tone::bad ? "error" : "warning", item.label,
                   fmt::format("{}\n{}", item.title, body), {});
    } else if (item.tone == Tone::quiet || body.empty()) {
      fence(out, body.empty() ? title : fmt::format("{}\n{}", title, body));
    } else {
      group(out, title, body);
    }
  }

  void end(std::string& out, const RunSummary& run, const PageEnd& end) override {
    std::string text = end.verdict;
    for (const std::string& reason : end.reasons) text += fmt::format(", {}", spaced(reason));
    for (const Total& total : totals(run, end)) {
      text += fmt::format("\n{}: {}", total.what, total.value);
    }
    const std::string_view level = end.verdict == "completed" ? "notice"
                                   : end.verdict == "failed" || end.verdict == "timeout"
                                       ? "error"
                                       : "warning";
    command_line(out, level, fmt::format("Verdict: {}", end.verdict), text, {});
  }

 private:
  static constexpr std::size_t kMaxData = 4096;  // an annotation shows no more

  void fence(std::string& out, std::string_view text) {
    append_github_fence(out, text, secret_, ++fences_);
  }

  void group(std::string& out, std::string_view title, std::string_view body) {
    out.append("::group::");
    append_github_data(out, title);
    out.push_back('\n');
    if (!body.empty()) fence(out, body);
    out.append("::endgroup::\n");
  }

  static void command_line(std::string& out, std::string_view level, std::string_view title,
                           std::string_view text, const Place& place) {
    out.append("::").append(level);
    std::string_view before = " ";
    const auto property = [&](std::string_view key, std::string_view value) {
      if (value.empty()) return;
      out.append(std::exchange(before, ",")).append(key).append("=");
      append_github_property(out, value);
    };
    property("file", place.file);
    if (place.line) property("line", std::to_string(*place.line));
    if (place.column) property("col", std::to_string(*place.column));
    property("title", title);
    out.append("::");
    append_github_data(out, utf8_head(text));
    out.push_back('\n');
  }

  static std::string utf8_head(std::string_view text) {
    return shortened(json::Text(text), kMaxData);
  }

  std::string secret_;
  std::uint64_t fences_ = 0;
};

// Writes the log, and beside it the job summary: Markdown within GitHub's limit, the verdict always
// in it.
class GithubRenderer final : public Renderer {
 public:
  explicit GithubRenderer(const RenderOptions& options)
      : log_(make_page_renderer(std::make_unique<GithubWriter>(github_secret(options.secret)),
                                options)),
        page_(make_markdown_renderer(options)) {}

  void begin(RunIndex run, std::string_view label, std::string& out) override {
    log_->begin(run, label, out);
    keep([&](std::string& to) { page_->begin(run, label, to); });
  }
  void event(RunIndex run, const Event& event, std::string& out) override {
    log_->event(run, event, out);
    keep([&](std::string& to) { page_->event(run, event, to); });
  }
  void end(RunIndex run, std::string& out) override {
    log_->end(run, out);
    std::string piece;
    page_->end(run, piece);
    // What was still open comes before the verdict, which is always there.
    const std::size_t verdict = piece.rfind("***\n\n**Verdict: ");
    const std::size_t cut = verdict == std::string::npos ? 0 : verdict;
    keep([&](std::string& to) { to.append(piece, 0, cut); });
    if (ends_.size() + piece.size() - cut < kSummaryEnd / 2) ends_.append(piece, cut);
  }
  void finish(std::string& out) override { log_->finish(out); }

  std::string summary() override {
    std::string all = body_;
    if (left_out_ > 0) {
      all += fmt::format("> [!NOTE]\n> {} more are left out here: a summary holds {}.\n\n",
                         size_words(left_out_), size_words(kMaxSummary));
    }
    return all + ends_;
  }

 private:
  template <typename Write>
  void keep(Write write) {
    std::string piece;
    write(piece);
    // Once something did not fit nothing more does: a page with holes misleads.
    if (left_out_ == 0 && body_.size() + piece.size() <= kMaxSummary - kSummaryEnd) {
      body_.append(piece);
    } else {
      left_out_ += piece.size();
    }
  }

  std::unique_ptr<Renderer> log_;
  std::unique_ptr<Renderer> page_;
  std::string body_;
  std::string ends_;
  std::uint64_t left_out_ = 0;
};

}  // namespace

std::unique_ptr<Renderer> make_github_renderer(const RenderOptions& options) {
  return std::make_unique<GithubRenderer>(options);
}

}  // namespace dragoman::show
