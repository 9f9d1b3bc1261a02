// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/terminal_renderer.hpp"

#include <algorithm>

#include "dragoman/show/columns.hpp"
#include "dragoman/show/news.hpp"
#include "dragoman/show/terminal_run.hpp"

namespace dragoman::show {
namespace {

constexpr std::size_t kLeastWidth = 10;
constexpr std::size_t kLongestLabel = 16;
constexpr std::uint32_t kDeepestBars = 8;
constexpr Ink kLabelInks[] = {Ink::in_progress, Ink::completed, Ink::paused,
                              Ink::accent,      Ink::code,      Ink::failed};

// Whose markers stand in Markdown. Bracket markers stand between lines of a program.
bool surrounds_markdown(Dialect dialect) {
  return dialect == Dialect::wxcode || dialect == Dialect::question;
}

// Null stays null.
template <typename T>
const T* as(const Event* event) {
  return event != nullptr ? event->as<T>() : nullptr;
}

}  // namespace

TerminalRenderer::TerminalRenderer(const RenderOptions& options)
    : options_(options),
      palette_(options.color),
      sheet_(palette_, std::max(options.width, kLeastWidth)) {}

TerminalRenderer::~TerminalRenderer() = default;

void TerminalRenderer::set_width(std::size_t width) {
  options_.width = width;
  sheet_.set_width(std::max(width, kLeastWidth));
}

const Story& TerminalRenderer::story(RunIndex run) const { return runs_.at(run)->story; }

void TerminalRenderer::expect(RunIndex run, Dialect dialect) {
  if (surrounds_markdown(dialect)) runs_[run]->markdown = true;
}

void TerminalRenderer::began_at(RunIndex run, Timestamp at) { runs_[run]->story.begin(at); }

void TerminalRenderer::begin(RunIndex run, std::string_view label, std::string& out) {
  sheet_.write_to(out);
  while (runs_.size() <= run) runs_.push_back(nullptr);
  // A run that begins a second time (its file was cut off) is a new one under the old label.
  runs_[run] = std::make_unique<Run>(sheet_);
  current_ = nullptr;
  Run& begun = *runs_[run];
  begun.label_ink = kLabelInks[run % std::size(kLabelInks)];
  if (!label.empty()) {
    std::string safe;
    append_terminal(safe, label, Breaks::join);
    append_elided(begun.label, safe, std::min(kLongestLabel, options_.width / 4));
    begun.label_columns = columns(begun.label) + 3;
  }
}

void TerminalRenderer::turn_to(Run& run, std::uint32_t depth, const std::string& agent) {
  depth = std::min(depth, kDeepestBars);
  while (run.margins.size() <= depth) {
    Margin margin;
    if (!run.label.empty()) {
      palette_.put(margin.text, run.label_ink, run.label);
      palette_.put(margin.text, Ink::dim, " \u2502 ");
      margin.columns = run.label_columns;
    }
    for (std::size_t i = 0; i < run.margins.size(); ++i) {
      palette_.put(margin.text, Ink::dim, "\u2502 ");
      margin.columns += 2;
    }
    run.margins.push_back(std::move(margin));
  }
  if (current_ != &run || run.agent != agent || run.depth != depth) {
    // Lines of another voice are no neighbours.
    if (last_ == Sort::text) last_ = Sort::note;
  }
  current_ = &run;
  run.agent = agent;
  run.depth = depth;
  sheet_.set_margin(run.margins[depth]);
}

void TerminalRenderer::turn_to(Run& run, const Step& step) {
  if (step.depth == 0) {
    turn_to(run, 0, {});
    return;
  }
  if (step.agent == nullptr) {
    turn_to(run, step.depth, "?");
    return;
  }
  announce_agent(run, *step.agent);
  turn_to(run, step.depth, step.agent->id);
}

void TerminalRenderer::begin_section(Sort sort) {
  const bool apart =
      sort == Sort::text || sort == Sort::card || last_ == Sort::text || last_ == Sort::card;
  if (last_ != Sort::nothing && apart && !(sort == Sort::text && last_ == Sort::text)) {
    sheet_.gap();
  }
  last_ = sort;
  voice_ = current_ != nullptr ? current_->agent : std::string();
}

void TerminalRenderer::event(RunIndex index, const Event& event, std::string& out) {
  sheet_.write_to(out);
  if (index >= runs_.size() || runs_[index] == nullptr) begin(index, {}, out);
  Run& run = *runs_[index];
  const Step step = run.story.add(event);
  run.said.add(event);
  if (const auto* text = event.as<DisplayText>()) {
    flush_turn(run);
    show_text(run, step, *text, event);
    return;
  }
  if (event.partial && event.origin.channel == Channel::partial) return;  // the whole follows
  if (defer(run, event)) return;
  // What an agent writes belongs together over the figures that come in between.
  const bool silent = event.kind() == Kind::usage && !verbose() && !run.turn.has_value();
  if (!silent) {
    flush_text(run);
    turn_to(run, step);
  }
  if (event.kind() != Kind::usage) flush_turn(run);
  if (surrounds_markdown(event.origin.dialect)) run.markdown = true;
  show_payload(run, step, event);
  if (may_grow(event)) run.block.keep(event);
  if (!verbose()) run.echo.expect(event);
}

// Every kind is named, so that a new one does not compile until it is decided.
void TerminalRenderer::show_payload(Run& run, const Step& step, const Event& event) {
  if (quiet() && is_mere_progress(event.kind())) return;
  const Event* const before = run.block.before(event);
  std::visit(
      Overloaded{
          [this](const SessionStarted& p) { show_session(p); },
          [this](const CommandStarted& p) { show_header(p); },
          [](const DisplayText&) {},  // see show_text()
          [this](const Thinking& p) { show_thinking(p); },
          [&](const ToolStarted& p) { show_tool_started(run, step, p); },
          [&](const ToolFinished& p) { show_tool_finished(run, step, p); },
          [&](const Status& p) {
            show_status(run, p);
            show_todo(todo_list(event));
          },
          [&](const Question& p) { show_question(step, p); },
          [&](const Blocked& p) { show_blocked(p, as<Blocked>(before)); },
          [&](const FilesChanged& p) { show_files(p, as<FilesChanged>(before)); },
          [this](const NextAction& p) { show_next_action(p); },
          [&](const Failure& p) { show_failure(run, p); },
          [&](const Usage& p) { show_usage(run, p); },
          [this](const RateLimited& p) { show_rate_limit(p); },
          [this](const CompletionClaimed& p) { show_claim(p); },
          [&](const TurnFinished& p) { show_turn(run, step, p); },
          [&](const Finished& p) { show_finished(step, p); },
          [this](const ArtifactUpdated& p) { show_artifact(p); },
          [this](const ServerReady& p) {
            show_line(Ink::completed, "\u25C6", "server ready: ", p.url);
          },
          [this](const GoTo& p) { show_line(Ink::dim, "\u2192", "go to ", p.step); },
          [this](const ContextRequest& p) { show_context_request(p); },
          [&](const TestResults& p) { show_tests(p, as<TestResults>(before)); },
          [&](const LintWarnings& p) { show_lint(p, as<LintWarnings>(before)); },
          [&](const DependencyNeeded& p) { show_dependencies(p, as<DependencyNeeded>(before)); },
          [&](const CommitSuggestion& p) { show_commit(p, as<CommitSuggestion>(before)); },
          [this](const QuotedMarker& p) { show_quoted(p); },
          [this](const Malformed& p) { show_malformed(p); },
          [this](const Oversize& p) { show_oversize(p); },
          [this](const Unknown& p) { show_unknown(p); },
          [this](const Diagnostic& p) { show_diagnostic(p); },
      },
      event.payload);
}

void TerminalRenderer::idle(std::string& out) {
  sheet_.write_to(out);
  for (const auto& run : runs_) {
    if (run == nullptr) continue;
    flush_turn(*run);
    flush_text(*run);
    if (options_.running_tools_shown_elsewhere || quiet()) continue;
    for (const ToolCall& call : run->story.open_tools()) announce(*run, call);
  }
}

void TerminalRenderer::end(RunIndex index, std::string& out) {
  sheet_.write_to(out);
  if (index >= runs_.size() || runs_[index] == nullptr) return;
  Run& run = *runs_[index];
  flush_turn(run);
  flush_text(run);
  // A stream that was cut off in the middle of a message: the reader gave what it had.
  run.fragment_text.drop_pending();
  show_open_tools(run);
}

void TerminalRenderer::finish(std::string& out) { sheet_.write_to(out); }

}  // namespace dragoman::show
