// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/error_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "dragoman/base/utf8.hpp"
#include "dragoman/report/plain_text.hpp"

namespace dragoman {

namespace {

constexpr std::array<std::string_view, 38> kSourceExtensions = {
    "c",  "cc",    "cpp", "cxx",   "h",    "hh",     "hpp", "hxx", "m",   "mm",
    "js", "jsx",   "mjs", "cjs",   "ts",   "tsx",    "mts", "cts", "vue", "go",
    "rs", "py",    "pyx", "rb",    "php",  "java",   "kt",  "kts", "cs",  "fs",
    "vb", "swift", "sh",  "scala", "dart", "svelte", "lua", "ex"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool in_path(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || is_word(c) ||
         std::string_view("/.-+@~$%[]\\").find(c) != std::string_view::npos;
}

bool is_source(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  const std::string_view extension = path.substr(dot + 1);
  return std::find(kSourceExtensions.begin(), kSourceExtensions.end(), extension) !=
         kSourceExtensions.end();
}

void keep(std::vector<SourceLocation>& locations, SourceLocation location) {
  if (location.line <= 0 || location.file.size() > 4096) return;
  if (locations.size() >= ErrorText::kKeptLocations) return;
  for (const auto& known : locations) {
    if (known.file == location.file && known.line == location.line) return;
  }
  locations.push_back(std::move(location));
}

// path.ext:42:15, path.ext:42, path.ext(12,5)
void find_in_line(std::string_view line, std::vector<SourceLocation>& locations) {
  for (std::size_t at = 0; at < line.size();) {
    if (!in_path(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && in_path(line[end])) ++end;
    const std::string_view path = line.substr(at, end - at);
    at = end;
    if (end == line.size() || (line[end] != ':' && line[end] != '(') || !is_source(path)) continue;
    std::string_view rest = line.substr(end + 1);
    const auto number = take_number(rest);
    if (!number) continue;
    SourceLocation location{std::string(path), *number, std::nullopt};
    const char between = line[end] == ':' ? ':' : ',';
    if (!rest.empty() && rest.front() == between) {
      rest.remove_prefix(1);
      location.column = take_number(rest);
    }
    if (between == ',' && !rest.starts_with(')')) continue;
    keep(locations, std::move(location));
  }
}

// File "app.py", line 7
void find_python(std::string_view line, std::vector<SourceLocation>& locations) {
  std::string_view text = without_blanks(line);
  if (!take(text, "File \"")) return;
  const std::size_t quote = text.find('"');
  if (quote == std::string_view::npos) return;
  const std::string_view path = text.substr(0, quote);
  text.remove_prefix(quote + 1);
  if (!take(text, ", line ")) return;
  const auto number = take_number(text);
  if (number && is_source(path)) keep(locations, {std::string(path), *number, std::nullopt});
}

// "TypeError: …", "java.lang.NullPointerException: …", anywhere in the line.
bool find_named(std::string_view line, ErrorText& error) {
  for (const std::string_view ending : {"Error: ", "Exception: "}) {
    for (std::size_t at = line.find(ending); at != std::string_view::npos;
         at = line.find(ending, at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && is_word(line[begin - 1])) --begin;
      const std::size_t end = at + ending.size() - 2;
      if (begin == at || std::isupper(static_cast<unsigned char>(line[begin])) == 0) continue;
      error.type = line.substr(begin, end - begin);
      error.message = without_blanks(line.substr(at + ending.size()));
      return true;
    }
  }
  return false;
}

// "error: …" at the start of a line or behind a location, error[E0382]: of Rust too.
bool find_plain(std::string_view line, ErrorText& error) {
  for (const std::string_view word : {"error", "Error", "panic", "fatal", "fatal error"}) {
    for (std::size_t at = line.find(word); at != std::string_view::npos;
         at = line.find(word, at + 1)) {
      const bool begins = at == 0 || line.substr(0, at).ends_with(": ") ||
                          without_blanks(line.substr(0, at)).empty();
      std::string_view rest = line.substr(at + word.size());
      if (begins && word == "error" && rest.starts_with('[')) {
        const std::size_t close = rest.find(']');
        rest.remove_prefix(close == std::string_view::npos ? 0 : close + 1);
      }
      if (!begins || !take(rest, ": ") || without_blanks(rest).empty()) continue;
      error.message = without_blanks(rest);
      return true;
    }
  }
  return false;
}

}  // namespace

ErrorText read_error_text(std::string_view text) {
  ErrorText error;
  const std::string plain = strip_ansi(text);
  for_each_line(plain, [&](std::string_view line) {
    if (error.type.empty()) (void)find_named(line, error);
    find_python(line, error.locations);
    find_in_line(line, error.locations);
  });
  if (error.type.empty()) {
    for_each_line(plain, [&](std::string_view line) {
      if (error.message.empty()) (void)find_plain(line, error);
    });
  }
  error.message = utf8::prefix(error.message, 1000);
  return error;
}

std::string last_line(std::string_view text) {
  std::string last;
  const std::string plain = strip_ansi(text);
  for_each_line(plain, [&](std::string_view line) {
    if (!without_blanks(line).empty()) last = utf8::prefix(without_blanks(line), 1000);
  });
  return last;
}

}  // namespace dragoman
