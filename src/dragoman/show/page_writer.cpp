// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/page_writer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dragoman/event/names.hpp"
#include "dragoman/event/permission.hpp"
#include "dragoman/show/words.hpp"

namespace dragoman::show {

std::string_view PageTool::state() const {
  if (finished == nullptr) return "not finished";
  return ok() ? "succeeded" : name(finished->outcome);
}

StatusWords status_words(const Status& status) {
  StatusWords words{.message = shortened(status.message, Story::kKeptText),
                    .word = status.status,
                    .percent = std::nullopt};
  if (status.progress) {
    words.percent = status.progress->real;
  } else if (status.steps && status.steps->total > 0) {
    words.percent =
        100.0 * static_cast<double>(status.steps->done) / static_cast<double>(status.steps->total);
  }
  if (words.percent) {
    words.percent = std::round(std::clamp(*words.percent, 0.0, 100.0) * 10) / 10;
  }
  if (words.word.empty() && words.percent) words.word = "in_progress";
  return words;
}

std::string_view state_words(QuestionState state) {
  switch (state) {
    case QuestionState::open:
      return "waits for an answer";
    case QuestionState::answered:
      return "answered";
    case QuestionState::withdrawn:
      return "withdrawn";
    case QuestionState::unanswered:
      return "nobody answered";
  }
  return "";
}

std::string_view state_words(const Question& question) {
  const auto decision = decision_in(question);
  return decision ? words_for(decision->grant) : state_words(question.state);
}

std::vector<Total> totals(const RunSummary& run, const PageEnd& end) {
  std::vector<Total> list;
  if (end.duration_ms) list.push_back({"Time", duration_words(*end.duration_ms)});
  if (run.tools.started > 0) {
    std::string tools = std::to_string(run.tools.started);
    if (const auto bad = run.tools.failed + run.tools.denied + run.tools.abandoned; bad > 0) {
      tools += fmt::format(" ({} not ok)", bad);
    }
    list.push_back({"Tools", std::move(tools)});
  }
  if (run.turns.finished > 0) list.push_back({"Turns", std::to_string(run.turns.finished)});
  if (!run.usage.tokens.empty()) {
    list.push_back({"Tokens in", count_words(run.usage.tokens.total_input)});
    list.push_back({"Tokens out", count_words(run.usage.tokens.output)});
  }
  if (run.usage.cost_usd) list.push_back({"Cost", fmt::format("${:.4f}", *run.usage.cost_usd)});
  if (!run.files.empty()) list.push_back({"Files", std::to_string(run.files.size())});
  return list;
}

}  // namespace dragoman::show
