// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/diff_facts.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>

#include "dragoman/base/utf8.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::size_t kLongestPath = 4096;
constexpr std::size_t kMostFiles = 10'000;

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// "a/src/x.ts", "\"b/caf\\303\\251\"", "/dev/null"
std::string path_of(std::string_view word) {
  std::string path;
  if (const std::size_t tab = word.find('\t'); tab != std::string_view::npos)
    word = word.substr(0, tab);
  if (word.size() >= 2 && word.front() == '"' && word.back() == '"') {
    word = word.substr(1, word.size() - 2);
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (word[i] != '\\' || i + 1 == word.size()) {
        path.push_back(word[i]);
        continue;
      }
      int code = 0;
      const auto octal = word.substr(i + 1, 3);
      const auto [end, bad] = std::from_chars(octal.data(), octal.data() + octal.size(), code, 8);
      if (bad == std::errc() && end == octal.data() + 3) {
        path.push_back(static_cast<char>(code));
        i += 3;
      } else {
        path.push_back(word[++i]);
      }
    }
  } else {
    path = word;
  }
  if (path == "/dev/null") return {};
  if (path.starts_with("a/") || path.starts_with("b/")) path.erase(0, 2);
  const bool fit = !path.empty() && path.size() <= kLongestPath && utf8::valid(path) &&
                   std::none_of(path.begin(), path.end(), [](char c) {
                     return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
                   });
  return fit ? path : std::string();
}

// "a/x b/x": the path, where both are the same.
std::string path_of_header(std::string_view words) {
  if (words.size() < 7 || words.size() % 2 == 0) return {};
  const std::string_view first = words.substr(0, words.size() / 2);
  const std::string_view second = words.substr(words.size() / 2 + 1);
  return first.substr(2) == second.substr(2) ? path_of(first) : std::string();
}

// "@@ -1,4 +1,6 @@": how many lines of the old and of the new file follow.
bool read_hunk(std::string_view line, std::size_t& old_lines, std::size_t& new_lines) {
  const auto range = [&line](char sign, std::size_t& lines) {
    const std::size_t at = line.find(sign);
    if (at == std::string_view::npos) return false;
    line.remove_prefix(at + 1);
    std::size_t start = 0;
    auto [end, bad] = std::from_chars(line.data(), line.data() + line.size(), start);
    if (bad != std::errc()) return false;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    lines = 1;
    if (!line.starts_with(',')) return true;
    line.remove_prefix(1);
    auto [after, wrong] = std::from_chars(line.data(), line.data() + line.size(), lines);
    line.remove_prefix(static_cast<std::size_t>(after - line.data()));
    return wrong == std::errc();
  };
  return range('-', old_lines) && range('+', new_lines);
}

class DiffReader {
 public:
  void line(std::string_view text) {
    if (old_left_ > 0 || new_left_ > 0) {
      if (inside_hunk(text)) return;
      old_left_ = new_left_ = 0;
    }
    if (text.starts_with("diff --git ")) {
      flush();
      header_ = path_of_header(text.substr(11));
    } else if (text.starts_with("--- ")) {
      old_ = path_of(text.substr(4));
      seen_old_ = true;
    } else if (text.starts_with("+++ ")) {
      new_ = path_of(text.substr(4));
    } else if (text.starts_with("rename from ")) {
      old_ = path_of(text.substr(12));
      renamed_ = true;
    } else if (text.starts_with("rename to ")) {
      new_ = path_of(text.substr(10));
    } else if (text.starts_with("new file mode ")) {
      created_ = true;
    } else if (text.starts_with("deleted file mode ")) {
      deleted_ = true;
    } else if (text.starts_with("@@ ")) {
      if (!read_hunk(text, old_left_, new_left_)) old_left_ = new_left_ = 0;
    }
  }

  void flush() {
    // An empty or binary file has no other line that names it.
    if (!seen_old_ && old_.empty() && new_.empty()) new_ = header_;
    header_.clear();
    const std::string& path = new_.empty() ? old_ : new_;
    if (!path.empty() && added_.size() + modified_.size() + removed_.size() < kMostFiles) {
      if (renamed_ && !old_.empty() && old_ != new_) {
        removed_.insert(old_);
        added_.insert(new_);
      } else if (created_ || (seen_old_ && old_.empty())) {
        added_.insert(path);
      } else if (deleted_ || new_.empty()) {
        removed_.insert(path);
      } else {
        modified_.insert(path);
      }
    }
    old_.clear();
    new_.clear();
    renamed_ = created_ = deleted_ = seen_old_ = false;
  }

  [[nodiscard]] FileOperations files() const {
    return {{modified_.begin(), modified_.end()},
            {added_.begin(), added_.end()},
            {removed_.begin(), removed_.end()},
            changed_};
  }

 private:
  // False: the hunk is shorter than it said.
  bool inside_hunk(std::string_view text) {
    const char first = text.empty() ? ' ' : text.front();
    if (first == '\\') return true;  // "\ No newline at end of file"
    if (first == '+' && new_left_ > 0) {
      --new_left_;
      ++changed_;
      return true;
    }
    if (first == '-' && old_left_ > 0) {
      --old_left_;
      ++changed_;
      return true;
    }
    if (first != ' ' || old_left_ == 0 || new_left_ == 0) return false;
    --old_left_;
    --new_left_;
    return true;
  }

  std::set<std::string> modified_;
  std::set<std::string> added_;
  std::set<std::string> removed_;
  std::int64_t changed_ = 0;
  std::string header_;
  std::string old_;
  std::string new_;
  bool renamed_ = false;
  bool created_ = false;
  bool deleted_ = false;
  bool seen_old_ = false;
  std::size_t old_left_ = 0;
  std::size_t new_left_ = 0;
};

}  // namespace

FileOperations files_of_diff(std::string_view diff) {
  DiffReader reader;
  while (!diff.empty()) reader.line(next_line(diff));
  reader.flush();
  return reader.files();
}

}  // namespace dragoman::mcp
