// SPDX-License-Identifier: Apache-2.0
// What failed, where the summary of a framework does not say it.
#include <utility>

#include "dragoman/report/plain_text.hpp"
#include "dragoman/report/test_summaries.hpp"

namespace dragoman {
namespace {

using std::string_view;

// Behind "FAIL [   0.003s] (3/12) ", in which the last part may be missing.
string_view behind_time(string_view text) {
  const std::size_t end = text.find("] ");
  if (end == string_view::npos) return {};
  text = without_blanks(text.substr(end + 2));
  const std::size_t counted = text.starts_with('(') ? text.find(") ") : string_view::npos;
  return counted == string_view::npos ? text : text.substr(counted + 2);
}

}  // namespace

bool TestSummaries::see_other_names(string_view text) {
  if (std::exchange(minitest_name_, false)) {  // "TestMath#test_adds [test/math.rb:3]:"
    const string_view name = text.substr(0, text.find(" ["));
    keep_name(minitest_, name.ends_with(':') ? name.substr(0, name.size() - 1) : name);
    return true;
  }
  string_view rest = text;
  if (take_number(rest) && take(rest, ") ")) {
    minitest_name_ = rest == "Failure:" || rest == "Error:";
    const bool exunit =
        rest.starts_with("test ") || rest.starts_with("doctest ") || rest.starts_with("property ");
    if (exunit && rest.ends_with(')')) keep_name(exunit_, rest);
    if (rest.find("::") != string_view::npos) keep_name(phpunit_, rest);
    return true;
  }
  if (take(rest, "rspec ")) {
    const std::size_t what = rest.find(" # ");
    if (what == string_view::npos) return false;
    keep_name(rspec_, rest.substr(what + 3));
  } else if (take(rest, "=== FAIL: ")) {
    const std::size_t blank = rest.find(' ');
    keep_name(gotestsum_, blank == string_view::npos ? rest : rest.substr(blank + 1));
  } else if (take(rest, "(fail) ")) {
    keep_name(bun_names_, rest);
  } else if (take(rest, "FAIL: ") || take(rest, "ERROR: ")) {
    keep_name(unittest_, rest.substr(0, rest.find(" (")));
  } else if (take(rest, "FAIL [") || take(rest, "TIMEOUT [")) {
    keep_name(nextest_, behind_time(rest));
  } else if (rest.starts_with("Failed ") && rest.ends_with("s]")) {
    keep_name(dotnet_, rest.substr(7));
  } else if (take(rest, "Test Case '")) {
    const std::size_t end = rest.find("' failed (");
    if (end != string_view::npos) keep_name(swift_.names, rest.substr(0, end));
  } else if (const std::size_t deno = rest.find(" ... FAILED ("); deno != string_view::npos) {
    keep_name(deno_, rest.substr(0, deno));
  } else if (rest.ends_with(" FAILED") && rest.find(" > ") != string_view::npos) {
    keep_name(gradle_, rest.substr(0, rest.size() - 7));
  } else {
    return false;
  }
  return true;
}

std::vector<std::string>* TestSummaries::names_of(Framework framework) {
  switch (framework) {
    case Framework::jest:
    case Framework::vitest:
      return !crosses_.empty() ? &crosses_ : !bullets_.empty() ? &bullets_ : &files_;
    case Framework::bun:
      return !bun_names_.empty() ? &bun_names_ : &crosses_;
    case Framework::pytest:
      return &pytest_;
    case Framework::node:
      return &node_;
    case Framework::rspec:
      return &rspec_;
    case Framework::minitest:
      return &minitest_;
    case Framework::exunit:
      return &exunit_;
    case Framework::phpunit:
      return &phpunit_;
    case Framework::unittest:
      return &unittest_;
    case Framework::dotnet:
      return &dotnet_;
    case Framework::nextest:
      return &nextest_;
    case Framework::deno:
      return &deno_;
    case Framework::swift:
      return &swift_.names;
    case Framework::gotestsum:
      return &gotestsum_;
    case Framework::gradle:
      return &gradle_;
    case Framework::mocha:
    case Framework::go:
    case Framework::cargo:
    case Framework::ctest:
    case Framework::googletest:
    case Framework::surefire:
    case Framework::launcher:
      return nullptr;
  }
  return nullptr;
}

}  // namespace dragoman
