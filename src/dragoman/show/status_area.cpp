// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/status_area.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "dragoman/show/progress_bar.hpp"
#include "dragoman/show/rich_text.hpp"
#include "dragoman/show/sheet.hpp"
#include "dragoman/show/terminal_run.hpp"
#include "dragoman/show/text_head.hpp"

namespace dragoman::show {
namespace {

constexpr std::array<std::string_view, 10> kSpinner = {"\u280B", "\u2819", "\u2839", "\u2838",
                                                       "\u283C", "\u2834", "\u2826", "\u2827",
                                                       "\u2807", "\u280F"};
constexpr std::size_t kMostRuns = 6;

void put_elapsed(RichText& line, std::chrono::milliseconds elapsed) {
  // Whole seconds: a figure that changes with every picture is restless.
  const auto seconds = std::chrono::floor<std::chrono::seconds>(elapsed).count();
  std::string words = fmt::format("{}s", seconds);
  if (seconds >= 60) {
    words.clear();
    append_duration(words, static_cast<double>(seconds) * 1000);
  }
  line.put(Ink::dim, words);
}

// What it does now: a tool, or the program around the agent, or nothing that is known.
void put_activity(RichText& line, const RunStatus& run) {
  const Story& story = *run.story;
  if (!story.open_tools().empty()) {
    const ToolCall& call = story.open_tools().back();
    std::string words;
    append_first_line(words, json::Text(call.description.empty() ? call.detail : call.description),
                      Story::kKeptText);
    line.add(Ink::bold, call.tool);
    line.put(Ink::plain, " ");
    line.add(Ink::plain, words);
    line.put(Ink::plain, " ");
    put_elapsed(line, run.tool_elapsed);
    if (story.open_tools().size() > 1) {
      line.put(Ink::dim, fmt::format(" and {} more", story.open_tools().size() - 1));
    }
  } else if (!story.open_questions().empty()) {
    line.put(Ink::dim, "waits for an answer");
  } else {
    line.add(Ink::dim, story.activity().empty() ? "working" : story.activity());
  }
}

void put_progress(RichText& line, const Progress& progress, std::size_t width) {
  const Ink ink = ink_of_status(progress.status);
  if (progress.percent.has_value()) {
    line.put(ink, progress_bar(*progress.percent, width >= 60 ? 20 : 10));
    line.put(Ink::bold, fmt::format(" {:>3}% ", std::floor(*progress.percent)));
  } else {
    line.put(ink, fmt::format("{} ", status_sign(progress.status)));
  }
  line.add(Ink::plain, progress.message);
}

class Area {
 public:
  Area(std::size_t width, const Palette& palette) : sheet_(palette, width) {
    sheet_.write_to(text_);
  }
  void add(const RichText& line) {
    text_.clear();
    sheet_.elided(line);
    text_.pop_back();  // the line end
    lines.push_back(text_);
  }
  std::vector<std::string> lines;

 private:
  Sheet sheet_;
  std::string text_;
};

void put_question(Area& area, const RunStatus& run) {
  const auto& questions = run.story->open_questions();
  if (questions.empty()) return;
  RichText line;
  line.put(Ink::paused, "\u2753 ");
  line.add(Ink::bold, questions.front().text);
  if (questions.size() > 1) {
    line.put(Ink::dim, fmt::format(" and {} more", questions.size() - 1));
  }
  area.add(line);
}

void add_single(Area& area, const RunStatus& run, std::string_view spinner, std::size_t width) {
  RichText line;
  if (run.story->progress().has_value()) {
    put_progress(line, *run.story->progress(), width);
    area.add(line);
    line.clear();
  }
  put_question(area, run);
  line.put(Ink::in_progress, spinner);
  line.put(Ink::plain, " ");
  put_elapsed(line, run.elapsed);
  line.put(Ink::dim, " \u00B7 ");
  put_activity(line, run);
  const std::string usage = describe(run.story->usage());
  if (!usage.empty()) line.put(Ink::dim, " \u00B7 " + usage);
  area.add(line);
}

void add_several(Area& area, const std::vector<RunStatus>& runs, std::string_view spinner) {
  for (std::size_t i = 0; i < std::min(runs.size(), kMostRuns); ++i) {
    RichText line;
    line.put(Ink::in_progress, spinner);
    line.put(Ink::plain, " ");
    line.add(Ink::bold, runs[i].label);
    line.put(Ink::plain, " ");
    const auto& progress = runs[i].story->progress();
    if (progress.has_value() && progress->percent.has_value()) {
      line.put(Ink::plain, fmt::format("{:>3}% ", std::floor(*progress->percent)));
    }
    put_activity(line, runs[i]);
    area.add(line);
  }
  if (runs.size() > kMostRuns) {
    RichText line;
    line.put(Ink::dim, fmt::format("and {} more", runs.size() - kMostRuns));
    area.add(line);
  }
  for (const RunStatus& run : runs) put_question(area, run);
}

}  // namespace

std::vector<std::string> status_lines(const std::vector<RunStatus>& runs, std::size_t frame,
                                      std::size_t width, const Palette& palette) {
  Area area(width, palette);
  const std::string_view spinner = kSpinner[frame % kSpinner.size()];
  if (runs.size() == 1) add_single(area, runs.front(), spinner, width);
  if (runs.size() > 1) add_several(area, runs, spinner);
  return std::move(area.lines);
}

}  // namespace dragoman::show
