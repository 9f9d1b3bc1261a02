// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/help.hpp"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/help_rows.hpp"
#include "dragoman/cli/man_page.hpp"
#include "dragoman/cli/screen.hpp"
#include "dragoman/cli/suggest.hpp"

namespace dragoman::cli {
namespace {

// Words of `text`, broken so that lines behind `indent` columns end within the screen.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t screen) {
  constexpr std::size_t kNarrowest = 16;
  const std::size_t room = screen > indent + kNarrowest ? screen - indent : kNarrowest;
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t length = utf8::count(word);
    if (used > 0 && used + 1 + length > room) {
      out.append("\n").append(indent, ' ');
      used = 0;
    } else if (used > 0) {
      out.push_back(' ');
      ++used;
    }
    out += word;
    used += length;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Paragraphs as they are written where there is room, else broken anew.
std::string paragraphs(const std::string& text, std::size_t screen) {
  std::string out;
  std::string paragraph;
  bool fits = true;
  std::istringstream lines(text + "\n\n");
  std::string as_written;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) {
      fits = fits && utf8::count(line) <= screen;
      as_written.append(line).append("\n");
      paragraph.append(paragraph.empty() ? "" : " ").append(line);
      continue;
    }
    if (paragraph.empty()) continue;
    if (!out.empty()) out.push_back('\n');
    out.append(fits ? as_written : wrapped(paragraph, 0, screen).append("\n"));
    as_written.clear();
    paragraph.clear();
    fits = true;
  }
  return out;
}

// Where nobody looks at a terminal, lines may be as long as they are.
std::size_t columns_to_fill() {
  return ::isatty(STDOUT_FILENO) == 1 ? screen_width() : std::string::npos / 2;
}

// Two columns. A left side that is too long gets a line of its own.
std::string table(const std::vector<HelpRow>& rows) {
  const std::size_t screen = columns_to_fill();
  const std::size_t widest = screen < 60 ? 14 : 26;
  std::size_t width = 0;
  for (const HelpRow& row : rows) {
    const std::size_t length = utf8::count(row.left);
    if (length <= widest) width = std::max(width, length);
  }
  std::string out;
  for (const HelpRow& row : rows) {
    const std::size_t length = utf8::count(row.left);
    out.append("  ").append(row.left);
    if (length > width) {
      out.append("\n").append(width + 4, ' ');
    } else {
      out.append(width + 2 - length, ' ');
    }
    out.append(wrapped(row.right, width + 4, screen)).append("\n");
  }
  return out;
}

// The options that are not this command's own, in short: "-q, -v, --color WHEN".
std::string everywhere(const CommandSpec& spec) {
  std::string out;
  for (const OptionSpec& option : everywhere_options()) {
    const bool own = std::ranges::any_of(spec.options, [&option](const OptionSpec& one) {
      return one.name == option.name && !one.everywhere;
    });
    if (own) continue;
    if (!out.empty()) out += ", ";
    out += option.letter != 0 ? fmt::format("-{}", option.letter) : "--" + option.name;
    if (!option.value.empty()) out += " " + option.value;
  }
  return out;
}

// `prefix` is what the names of all candidates begin with.
int no_such(const std::string& name, std::string_view prefix,
            const std::vector<CommandSpec>& candidates, Console& console) {
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (const CommandSpec& command : candidates) names.push_back(command.name.substr(prefix.size()));
  const std::string meant = did_you_mean(std::string_view(name).substr(prefix.size()), names);
  return console.fail(fmt::format("help: no command '{}'", printable(name)),
                      meant.empty() ? "'dragoman help' lists them" : meant);
}

int run_help(const Invocation& invocation, Console& console) {
  const bool man = invocation.has("man");
  if (invocation.arguments().empty()) {
    console.out().write(man ? man_page() : overview(console));
    return kOk;
  }
  const std::string& name = invocation.arguments()[0];
  const CommandSpec* spec = find_command_spec(name);
  if (spec == nullptr) return no_such(name, "", all_commands(), console);
  if (man && invocation.arguments().size() > 1) {
    return console.fail("help: the manual page of a command has its parts too",
                        fmt::format("dragoman help {} --man", printable(name)));
  }
  if (invocation.arguments().size() > 1) {
    const std::string part_name = name + " " + invocation.arguments()[1];
    const auto part = std::find_if(spec->parts.begin(), spec->parts.end(),
                                   [&](const CommandSpec& p) { return p.name == part_name; });
    if (part == spec->parts.end()) return no_such(part_name, name + " ", spec->parts, console);
    spec = &*part;
  }
  if (invocation.arguments().size() > 2) {
    return console.fail(
        fmt::format("help: no command '{} {}'", spec->name, printable(invocation.arguments()[2])),
        fmt::format("see 'dragoman help {}'", spec->name));
  }
  console.out().write(man ? man_page(*spec) : help_for(*spec, console));
  return kOk;
}

}  // namespace

std::string overview(const Console& console) {
  std::vector<HelpRow> rows;
  for (const CommandSpec& command : all_commands()) rows.push_back({command.name, command.summary});
  std::vector<HelpRow> global = {{"    --version", "the version; --version --json as JSON"},
                                 {"-h, --help", "this list; after a command, that command"}};
  for (const OptionSpec& option : everywhere_options()) global.push_back(option_row(option));
  const std::size_t screen = columns_to_fill();
  return fmt::format(
      "{}\n{}  dragoman COMMAND [OPTIONS] [ARGUMENTS]\n\n{}\n{}\n{}\n{}\n{}",
      paragraphs("dragoman stands between coding agents and the people and programs that work with "
                 "them.",
                 screen),
      console.styled(Style::bold, "usage:"), console.styled(Style::bold, "commands:"), table(rows),
      console.styled(Style::bold, "options:"), table(global),
      paragraphs("Data goes to stdout, talk to stderr; '-' is stdin. NO_COLOR and CLICOLOR_FORCE "
                 "are heeded.\n"
                 "'dragoman help COMMAND' explains a command and its options.",
                 screen));
}

std::string help_for(const CommandSpec& spec, const Console& console) {
  const std::size_t screen = columns_to_fill();
  std::string out = fmt::format("{}\n{}  {}\n", paragraphs(spec.summary, screen),
                                console.styled(Style::bold, "usage:"), usage_of(spec));
  if (!spec.details.empty()) out.append("\n").append(paragraphs(spec.details, screen));
  const auto section = [&](std::string_view title, const std::vector<HelpRow>& rows) {
    if (rows.empty()) return;
    out += fmt::format("\n{}\n{}", console.styled(Style::bold, title), table(rows));
  };
  section(spec.name == "emit" ? "kinds:" : "parts:", part_rows(spec));
  section("arguments:", argument_rows(spec));
  section("options:", option_rows(spec));
  if (!spec.examples.empty()) {
    out += fmt::format("\n{}\n", console.styled(Style::bold, "examples:"));
    for (const std::string& example : spec.examples) out += "  " + example + "\n";
  }
  constexpr std::size_t kIndent = 12;  // behind the word
  out += fmt::format("\n{} {}\n", console.styled(Style::bold, "everywhere:"),
                     wrapped(everywhere(spec), kIndent, screen));
  return out;
}

static std::vector<std::string_view> command_names() {
  std::vector<std::string_view> names;
  for (const CommandSpec& command : all_commands()) names.emplace_back(command.name);
  return names;
}

CommandSpec help_command() {
  return {"help",
          "what a command does and which options it takes",
          "",
          {color_option(), {.name = "man", .help = "as a manual page, for man -l -"}},
          {{.name = "COMMAND",
            .help = "a command; also a part of one: 'help emit status', 'help task submit'",
            .many = true,
            .offers = command_names}},
          {"dragoman help parse", "dragoman help run --man | man -l -"},
          run_help};
}

}  // namespace dragoman::cli
