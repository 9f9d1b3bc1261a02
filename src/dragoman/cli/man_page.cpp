// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/man_page.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/cli/help_rows.hpp"

namespace dragoman::cli {
namespace {

struct Fact {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array<Fact, 11> kExitCodes = {{
    {"0", "done; of a run or task: completed"},
    {"1", "of a run or task: failed or incomplete; of doctor: something cannot be used"},
    {"2", "the command line or the settings are not understood, or input cannot be read"},
    {"3", "check found errors; what was asked for is refused, or is not there"},
    {"4", "a question is unanswered"},
    {"5", "the run is blocked"},
    {"75", "usage or rate limit"},
    {"124", "timeout"},
    {"125, 126, 127", "not started: our own failure; the program cannot be executed; not found"},
    {"128+n", "ended by signal n"},
    {"130", "interrupted or cancelled"},
}};

constexpr std::array<Fact, 3> kFiles = {{
    {"$XDG_CONFIG_HOME/dragoman/config.toml", "the user's settings"},
    {".dragoman.toml", "the settings of a project, in its directory or above"},
    {"$XDG_STATE_HOME/dragoman/", "tasks, questions and recordings of runs"},
}};

constexpr std::array<Fact, 6> kVariables = {{
    {"DRAGOMAN_CONFIG", "as --config"},
    {"DRAGOMAN_STORE", "as --store"},
    {"DRAGOMAN_STATE_DIR", "the state directory"},
    {"DRAGOMAN_LOG", "how much is said on stderr: error, info or debug"},
    {"NO_COLOR, CLICOLOR_FORCE", "colour nowhere, or everywhere"},
    {"CODEX_MAX_CONCURRENCY", "how many tasks run at once"},
}};

// Text as roff shows it unchanged: nothing in it is a request, an escape or a typographic dash.
std::string plain(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
  while (!text.empty()) {
    const utf8::CodePoint c = utf8::first(text);
    if (c.length > 1) {
      out += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(c.value));
    } else if (text.front() == '\\') {
      out += "\\e";
    } else if (text.front() == '-') {
      out += "\\-";
    } else {
      out += text.front();
    }
    text.remove_prefix(c.length);
  }
  return out;
}

// A line that is an argument of a request, and may not end it.
std::string in_quotes(std::string_view text) {
  std::string out = plain(text);
  for (std::size_t at = 0; (at = out.find('"', at)) != std::string::npos; at += 4)
    out.replace(at, 1, "\\(dq");
  return "\"" + out + "\"";
}

std::string_view without_indent(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

class Page {
 public:
  Page(std::string_view name, std::string_view summary) {
    std::string title(name);
    std::ranges::transform(title, title.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    out_ = fmt::format(".TH {} 1 \"\" \"dragoman {}\" \"dragoman\"\n", in_quotes(title),
                       DRAGOMAN_VERSION);
    section("NAME");
    line(fmt::format("{} - {}", name, summary));
  }

  void section(std::string_view title) { out_ += fmt::format(".SH {}\n", in_quotes(title)); }
  void part(std::string_view title) { out_ += fmt::format(".SS {}\n", in_quotes(title)); }
  void line(std::string_view text) { out_.append(plain(text)).append("\n"); }
  void bold(std::string_view text) { out_ += fmt::format(".B {}\n", in_quotes(text)); }

  void paragraphs(const std::string& text) {
    std::istringstream lines(text);
    for (std::string words; std::getline(lines, words);) {
      if (words.empty()) {
        out_ += ".PP\n";
      } else {
        line(words);
      }
    }
  }
  void rows(std::string_view title, const std::vector<HelpRow>& all) {
    if (all.empty()) return;
    if (!title.empty()) section(title);
    for (const HelpRow& row : all) term(without_indent(row.left), row.right);
  }
  template <std::size_t N>
  void facts(std::string_view title, const std::array<Fact, N>& all) {
    section(title);
    for (const Fact& fact : all) term(fact.name, fact.meaning);
  }
  void examples(const std::vector<std::string>& all) {
    if (all.empty()) return;
    section("EXAMPLES");
    out_ += ".nf\n";
    for (const std::string& example : all) line(example);
    out_ += ".fi\n";
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void term(std::string_view name, std::string_view meaning) {
    out_ += ".TP\n";
    bold(name);
    line(meaning);
  }

  std::string out_;
};

std::vector<HelpRow> rows_everywhere() {
  std::vector<HelpRow> rows;
  for (const OptionSpec& option : everywhere_options()) rows.push_back(option_row(option));
  return rows;
}

}  // namespace

std::string man_page() {
  Page page("dragoman", "between coding agents and the people and programs that work with them");
  page.section("SYNOPSIS");
  page.bold("dragoman COMMAND [OPTIONS] [ARGUMENTS]");
  page.section("DESCRIPTION");
  page.paragraphs(
      "Reads what coding agents print into one stream of events; writes, checks and converts their "
      "dialects; runs and supervises agents, carries their questions to people and the answers "
      "back; serves delegation tools over MCP; shows everything in a terminal and in a browser.\n"
      "\n"
      "Data goes to stdout, talk to stderr; - is stdin.");
  std::vector<HelpRow> commands;
  for (const CommandSpec& command : all_commands())
    commands.push_back({fmt::format("dragoman-{}(1)", command.name), command.summary});
  page.rows("COMMANDS", commands);
  page.rows("OPTIONS", rows_everywhere());
  page.facts("EXIT STATUS", kExitCodes);
  page.facts("ENVIRONMENT", kVariables);
  page.facts("FILES", kFiles);
  return page.take();
}

std::string man_page(const CommandSpec& spec) {
  Page page("dragoman-" + spec.name, spec.summary);
  page.section("SYNOPSIS");
  page.bold(usage_of(spec));
  if (!spec.details.empty()) {
    page.section("DESCRIPTION");
    page.paragraphs(spec.details);
  }
  page.rows("ARGUMENTS", argument_rows(spec));
  page.rows("OPTIONS", option_rows(spec));
  if (!spec.parts.empty()) page.section(spec.name == "emit" ? "KINDS" : "PARTS");
  for (const CommandSpec& part : spec.parts) {
    page.part(usage_of(part));
    page.line(part.summary);
    page.paragraphs(part.details.empty() ? "" : "\n" + part.details);
    page.rows("", argument_rows(part));
    page.rows("", option_rows(part));
  }
  page.examples(spec.examples);
  page.section("SEE ALSO");
  page.bold("dragoman(1)");
  return page.take();
}

}  // namespace dragoman::cli
