// SPDX-License-Identifier: Apache-2.0
// Whatever the documents tell people to type is there: commands, parts of them, options.
#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

// The help of a command or a part of one; empty: there is none.
const std::string& help_of(const std::string& command) {
  static std::map<std::string, std::string> known;
  const auto [found, is_new] = known.try_emplace(command);
  if (!is_new) return found->second;
  std::vector<std::string> words = {"help"};
  std::istringstream in(command);
  for (std::string word; in >> word;) words.push_back(word);
  const Ended ended = dragoman({.arguments = words});
  if (ended.exit_code == 0) found->second = ended.out;
  return found->second;
}

// Whether the help of the command, or of any part of it, has the option.
bool takes(const std::string& command, const std::string& option) {
  const std::regex spelled(option + "(?![a-z-])");
  const std::string& help = help_of(command);
  if (std::regex_search(help, spelled)) return true;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    std::smatch part;
    if (!std::regex_search(line, part, std::regex("^  (" + command + " [a-z-]+) "))) continue;
    if (std::regex_search(help_of(part[1]), spelled)) return true;
  }
  // Every command takes these, and no help spells them out.
  return option == "--help" || option == "--quiet" || option == "--verbose";
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    out.push_back((*at)[1]);
  return out;
}

// The lines of fences and the code within lines.
std::vector<std::string> code_in(const std::string& document) {
  std::vector<std::string> code;
  static const std::regex quoted("`([^`]+)`");
  std::istringstream lines(document);
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      fenced = !fenced;
    } else if (fenced) {
      code.push_back(line);
    } else {
      for (std::string& piece : matches(line, quoted)) code.push_back(std::move(piece));
    }
  }
  return code;
}

// What is wrong with a command line; empty: nothing.
std::string fault_in(const std::string& words) {
  const std::string ours = words.substr(0, words.find(" -- "));
  std::istringstream in(ours);
  std::string command;
  std::string part;
  in >> command >> part;
  if (help_of(command).empty()) return "no command '" + command + "'";
  if (!part.empty() && !help_of(command + " " + part).empty()) command += " " + part;
  for (const std::string& option : matches(ours, std::regex("(--[a-z][a-z-]+)"))) {
    if (!takes(command, option)) return command + " has no " + option;
  }
  return "";
}

std::vector<std::filesystem::path> documents() {
  std::vector<std::filesystem::path> files = {source_dir() / "README.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() / "docs")) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Documents, TellPeopleToTypeOnlyWhatIsUnderstood) {
  // Up to what a shell does with the output, or the end of a quotation.
  const std::regex call(R"((?:^|[^\w./-])dragoman ([a-z]+(?![\w:.,/])[^`|;&#<>"')\\]*))");
  std::size_t seen = 0;
  for (const auto& file : documents()) {
    for (const std::string& piece : code_in(read_file(file))) {
      if (piece.find("dragoman ") == std::string::npos) continue;  // the search below is slow
      for (const std::string& words : matches(piece, call)) {
        ++seen;
        EXPECT_EQ(fault_in(words), "") << file << ": " << piece;
      }
    }
  }
  EXPECT_GE(seen, 60U);
}

TEST(CommandLineDocument, NamesNoOptionThatIsNotThere) {
  std::istringstream lines(read_file(source_dir() / "docs/cli.md"));
  std::string command;
  std::size_t seen = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) command = line.substr(3);
    if (!line.starts_with("| `-") || help_of(command).empty()) continue;
    const std::string cell = line.substr(0, line.find(" | ", 2));
    for (const std::string& option : matches(cell, std::regex("(--[a-z][a-z-]+)"))) {
      ++seen;
      EXPECT_TRUE(takes(command, option)) << command << " " << option;
    }
  }
  EXPECT_GE(seen, 50U);
}

}  // namespace
}  // namespace dragoman::test
