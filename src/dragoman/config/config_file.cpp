// SPDX-License-Identifier: Apache-2.0
// The one place that knows toml++.
#include "dragoman/config/config_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace dragoman::config {
namespace {

constexpr std::size_t kLargest = 1 << 20;  // a configuration that long is something else

void add_list(const toml::array& array, Assignment& to) {
  for (const toml::node& node : array) {
    const auto* const text = node.as_string();
    if (text == nullptr) return;
    to.texts.push_back(text->get());
  }
  to.kind = Assignment::Kind::list;
}

void add_table(const toml::table& table, const std::string& prefix, std::vector<Assignment>& to) {
  for (const auto& [key, node] : table) {
    std::string name = prefix + std::string(key.str());
    if (const auto* const inner = node.as_table()) {
      add_table(*inner, name + ".", to);
      continue;
    }
    Assignment found{std::move(name), Assignment::Kind::other, {}, node.source().begin.line};
    if (const auto* const text = node.as_string()) {
      found.kind = Assignment::Kind::text;
      found.texts.push_back(text->get());
    } else if (const auto* const flag = node.as_boolean()) {
      found.kind = Assignment::Kind::flag;
      found.texts.emplace_back(flag->get() ? "true" : "false");
    } else if (const auto* const integer = node.as_integer()) {
      found.kind = Assignment::Kind::integer;
      found.texts.push_back(std::to_string(integer->get()));
    } else if (const auto* const array = node.as_array()) {
      add_list(*array, found);
    }
    to.push_back(std::move(found));
  }
}

}  // namespace

Result<std::optional<std::vector<Assignment>>> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) {
    text.resize(kLargest + 1);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  }
  if (!file && !file.eof()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::vector<Assignment>>();
    return Error{ErrorCode::validation,
                 fmt::format("read {}: {}", path.string(), std::strerror(errno)), "unreadable"};
  }
  if (text.size() > kLargest)
    return Error{ErrorCode::validation, fmt::format("{}: larger than 1 MiB", path.string())};
  try {
    std::vector<Assignment> found;
    add_table(toml::parse(text), "", found);
    // A table is sorted by name; people read their files by line.
    std::ranges::stable_sort(found, {}, &Assignment::line);
    return std::optional(std::move(found));
  } catch (const toml::parse_error& e) {
    return Error{ErrorCode::validation,
                 fmt::format("{}:{}: {}", path.string(), e.source().begin.line, e.description())};
  }
}

}  // namespace dragoman::config
