// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_views.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/words.hpp"
#include "dragoman/cli/run_screen.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/names.hpp"

namespace dragoman::cli {
namespace {

class QuietView final : public RunWatcher {};

// The events as JSON lines, each at once: whoever reads them may be waiting for it. Lines
// of text that come together go out together.
class JsonView final : public RunWatcher {
 public:
  explicit JsonView(Console& console) : console_(console) {}

  void event(const Event& event, engine::EventLine& line) override {
    if (event.partial) return;
    console_.out().write(line.json());
    console_.out().write("\n");
    if (plain_text(event) == nullptr) (void)console_.out().flush();
  }
  void pause() override { (void)console_.out().flush(); }
  void idle() override { (void)console_.out().flush(); }

 private:
  Console& console_;
};

void add_files(std::string& out, const engine::Ending& ending, const Console& console) {
  constexpr std::size_t kShown = 20;
  const auto& files = ending.run.files;
  for (std::size_t i = 0; i < std::min(files.size(), kShown); ++i) {
    const ChangedFile& file = files[i];
    std::string note;
    for (const engine::Claim& claim : ending.claims) {
      if (claim.path != file.path) continue;
      note = claim.state == engine::ClaimState::there
                 ? "claimed"
                 : fmt::format("claimed only: {}", engine::name(claim.state));
    }
    out += fmt::format("  {:<9} {}", name(file.action), printable(file.path));
    if (!note.empty()) out += console.told(Style::yellow, fmt::format(" ({})", note));
    out.push_back('\n');
  }
  if (files.size() > kShown) out += fmt::format("  … and {} more\n", files.size() - kShown);
}

}  // namespace

Style style_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::completed:
      return Style::green;
    case VerdictKind::question:
    case VerdictKind::blocked:
    case VerdictKind::incomplete:
      return Style::yellow;
    case VerdictKind::failed:
    case VerdictKind::timeout:
    case VerdictKind::cancelled:
      return Style::red;
  }
  return Style::plain;
}

std::unique_ptr<RunWatcher> make_run_view(const RunViewOptions& options, Console& console) {
  switch (options.view) {
    case RunView::terminal:
      return std::make_unique<RunScreen>(options, console);
    case RunView::json:
      return std::make_unique<JsonView>(console);
    case RunView::quiet:
      break;
  }
  return std::make_unique<QuietView>();
}

RunViewOptions run_view_options(RunView view, const Invocation& invocation) {
  RunViewOptions options;
  options.view = view;
  options.color = invocation.value("color").value_or("auto");
  if (invocation.has("quiet")) options.detail = show::Detail::quiet;
  if (invocation.has("verbose")) options.detail = show::Detail::verbose;
  return options;
}

std::string run_summary(const engine::Ending& ending, const Console& console) {
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
  if (console.is_one_terminal()) return out;  // the view has said it already
  out += fmt::format(
      "{}: {}\n", console.told(style_of(ending.verdict.kind), name(ending.verdict.kind)), reasons);
  return out;
}

}  // namespace dragoman::cli
