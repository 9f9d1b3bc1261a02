// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_views.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/event/json.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/show/neutral.hpp"

namespace dragoman::cli {
namespace {

class QuietView final : public agent::Audience {};

// The events as JSON lines, each at once: whoever reads them may be waiting for it.
class JsonView final : public agent::Audience {
 public:
  explicit JsonView(Console& console) : console_(console) {}

  void event(const Event& event) override {
    if (event.partial) return;
    append_json(console_.out().buffer(), event);
    console_.out().write("\n");
    if (plain_text(event) == nullptr) (void)console_.out().flush();
  }
  void idle() override { (void)console_.out().flush(); }

 private:
  Console& console_;
};

// What the agent says as it says it, and a line for each thing it does.
class TerminalView final : public agent::Audience {
 public:
  TerminalView(Console& console, bool asks) : console_(console), asks_(asks) {}
  ~TerminalView() override {
    end_line();
    (void)console_.out().flush();
  }
  TerminalView(const TerminalView&) = delete;
  TerminalView& operator=(const TerminalView&) = delete;

  void live(const Event& event) override {
    if (event.partial) return;
    if (const auto* const text = event.as<DisplayText>()) show(*text, event.origin.channel);
    if (const auto* const tool = event.as<ToolStarted>()) show(*tool);
    if (const auto* const tool = event.as<ToolFinished>()) show(*tool);
    if (const auto* const status = event.as<Status>()) show(*status);
    if (const auto* const question = event.as<Question>()) show(*question);
    if (const auto* const blocked = event.as<Blocked>()) {
      line(Style::yellow, "blocked: ", blocked->reason);
    }
    if (const auto* const failure = event.as<Failure>()) {
      line(Style::red, "error: ", failure->message.str());
    }
    if (const auto* const diagnostic = event.as<Diagnostic>()) {
      if (diagnostic->level != Level::info) line(Style::yellow, "note: ", diagnostic->message);
    }
    (void)console_.out().flush();
  }
  void idle() override {
    end_line();
    (void)console_.out().flush();
  }

 private:
  void show(const DisplayText& text, Channel channel) {
    const std::string words = text.text.str();
    if (words.empty()) return;
    show::append_terminal(console_.out().buffer(), words);
    open_line_ = words.back() != '\n';
    if (text.block.has_value() || channel == Channel::stderr_) end_line();
  }
  void show(const ToolStarted& tool) {
    std::string what(tool.tool);
    const std::string command = tool.command.absent() ? std::string(tool.file) : tool.command.str();
    if (!command.empty()) what += ": " + command;
    line(Style::dim, "> ", what);
  }
  void show(const ToolFinished& tool) {
    if (tool.outcome == Outcome::ok) return;
    line(Style::yellow, fmt::format("{} {}: ", tool.tool, name(tool.outcome)),
         tool.error.absent() ? tool.output.str() : tool.error.str());
  }
  void show(const Status& status) {
    const bool limit = status.activity == "waiting_limit";
    if (status.message.absent() || (status.activity.data() != nullptr && !limit)) return;
    const std::string progress =
        status.progress.has_value() ? fmt::format("{:.0f}% ", status.progress->real) : "";
    line(Style::dim, "- " + progress, status.message.str());
  }
  void show(const Question& question) {
    if (question.state == QuestionState::answered) {
      line(Style::dim, "answered: ", question.answer);
    } else if (question.state == QuestionState::withdrawn) {
      line(Style::dim, "withdrawn: ", question.text);
    } else if (!asks_) {
      line(Style::bold, "question: ", question.text);
    }
  }
  void line(Style style, std::string_view before, std::string_view words) {
    end_line();
    console_.out().write(console_.styled(style, fmt::format("{}{}", before, printable(words))) +
                         "\n");
  }
  void end_line() {
    if (open_line_) console_.out().write("\n");
    open_line_ = false;
  }

  Console& console_;
  bool asks_;
  bool open_line_ = false;
};

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void add_files(std::string& out, const agent::Ending& ending, const Console& console) {
  constexpr std::size_t kShown = 20;
  const auto& files = ending.run.files;
  for (std::size_t i = 0; i < std::min(files.size(), kShown); ++i) {
    const ChangedFile& file = files[i];
    std::string note;
    for (const agent::Claim& claim : ending.claims) {
      if (claim.path != file.path) continue;
      note = claim.state == agent::ClaimState::there
                 ? "claimed"
                 : fmt::format("claimed only: {}", agent::name(claim.state));
    }
    out += fmt::format("  {:<9} {}", name(file.action), printable(file.path));
    if (!note.empty()) out += console.told(Style::yellow, fmt::format(" ({})", note));
    out.push_back('\n');
  }
  if (files.size() > kShown) out += fmt::format("  … and {} more\n", files.size() - kShown);
}

Style style_of(VerdictKind kind) {
  if (kind == VerdictKind::completed) return Style::green;
  const bool open = kind == VerdictKind::question || kind == VerdictKind::blocked ||
                    kind == VerdictKind::incomplete;
  return open ? Style::yellow : Style::red;
}

}  // namespace

std::unique_ptr<agent::Audience> make_run_view(RunView view, Console& console, bool asks) {
  switch (view) {
    case RunView::terminal:
      return std::make_unique<TerminalView>(console, asks);
    case RunView::json:
      return std::make_unique<JsonView>(console);
    case RunView::quiet:
      break;
  }
  return std::make_unique<QuietView>();
}

std::string run_summary(const agent::Ending& ending, const Console& console) {
  const RunSummary& run = ending.run;
  std::string out;
  std::vector<std::string> parts;
  if (!run.files.empty()) parts.push_back(counted(run.files.size(), "file"));
  if (run.tools.started > 0) {
    std::string tools = counted(run.tools.started, "tool call");
    if (run.tools.failed > 0) tools += fmt::format(" ({} failed)", run.tools.failed);
    if (run.tools.denied > 0) tools += fmt::format(" ({} denied)", run.tools.denied);
    parts.push_back(std::move(tools));
  }
  if (!run.usage.tokens.empty()) {
    parts.push_back(
        fmt::format("{} tokens in, {} out", run.usage.tokens.total_input, run.usage.tokens.output));
  }
  if (run.usage.cost_usd.has_value()) parts.push_back(fmt::format("${:.4f}", *run.usage.cost_usd));
  if (!run.questions.empty()) {
    const auto open =
        std::count_if(run.questions.begin(), run.questions.end(),
                      [](const AskedQuestion& question) { return question.pending(); });
    std::string questions = counted(run.questions.size(), "question");
    if (open > 0) questions += fmt::format(" ({} unanswered)", open);
    parts.push_back(std::move(questions));
  }
  if (!parts.empty()) out += fmt::format("{}\n", fmt::join(parts, ", "));
  add_files(out, ending, console);
  std::string reasons;
  for (const std::string& reason : ending.verdict.reasons()) {
    reasons += (reasons.empty() ? "" : ", ") + printable(reason);
  }
  out += fmt::format(
      "{}: {}\n", console.told(style_of(ending.verdict.kind), name(ending.verdict.kind)), reasons);
  return out;
}

}  // namespace dragoman::cli
