// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/markdown_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/show/neutral.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::size_t kQuestionsShown = 8;
constexpr std::size_t kOptionsShown = 9;

std::string cut(std::string_view text, std::size_t most) {
  const std::string_view kept = utf8::prefix(text, most);
  return std::string(kept) + (kept.size() < text.size() ? "…" : "");
}

}  // namespace

std::string inline_words(std::string_view text, std::size_t most) {
  std::string out;
  show::append_terminal(out, cut(text, most), show::Breaks::join);
  return out;
}

std::string escaped_words(std::string_view text, std::size_t most) {
  std::string out;
  show::append_markdown(out, cut(text, most), show::Breaks::join, show::LineStart::yes);
  return out;
}

void put_task_line(std::string& out, std::string_view task_id) {
  out += fmt::format("Task ID: `{}`\n", task_id_of(task_id));
}

void put_next(std::string& out, std::string_view tool, std::string_view task_id,
              std::string_view more) {
  out += fmt::format("Next: {} {{\"task_id\":", tool);
  json::append_string(out, task_id_of(task_id));
  if (!more.empty()) out += fmt::format(",{}", more);
  out += "}\n";
}

void put_question_list(std::string& out, const std::vector<ask::QuestionRecord>& questions) {
  if (questions.empty()) return;
  out += fmt::format("Waiting for {}:\n", questions.size() == 1 ? "an answer" : "answers");
  const std::size_t shown = std::min(questions.size(), kQuestionsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const ask::QuestionRecord& question = questions[i];
    out += fmt::format("{}. {}", i + 1, escaped_words(ask::asked_words(question)));
    for (std::size_t n = 0; n < std::min(question.options.size(), kOptionsShown); ++n) {
      out += fmt::format("{} {}) {}", n == 0 ? " -" : ",", n + 1,
                         escaped_words(question.options[n].label, 80));
    }
    out += "\n";
    std::string command = "dragoman answer " + shell_word(question.key());
    command += question.options.empty() ? " TEXT" : question.permission() ? " y" : " 1";
    out += "   ";
    show::append_code_span(out, command);
    out += "\n";
  }
  if (shown < questions.size()) out += fmt::format("and {} more\n", questions.size() - shown);
}

}  // namespace dragoman::mcp
