// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/environments.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/schema/tree.hpp"

namespace dragoman::mcp {
namespace {

using schema::NodeId;
using schema::Tree;

constexpr std::size_t kLargestFile = 4 * 1024 * 1024;
constexpr std::size_t kMostEnvironments = 1000;

std::string text_member(const Tree& tree, NodeId object, std::string_view name,
                        std::string_view also = {}) {
  for (const std::string_view key : {name, also}) {
    if (key.empty()) continue;
    const auto found = tree.member(object, key);
    if (found && tree.is(*found, json::Kind::string)) return std::string(tree.string(*found));
  }
  return {};
}

void add(Environments& to, const Tree& tree, NodeId node, std::string_view key) {
  if (!tree.is(node, json::Kind::object)) {
    ++to.skipped;
    return;
  }
  Environment one;
  one.id = text_member(tree, node, "id");
  if (one.id.empty()) one.id = key;
  one.name = text_member(tree, node, "name");
  one.repository = text_member(tree, node, "repository", "repoUrl");
  one.tech_stack = text_member(tree, node, "tech_stack", "stack");
  one.created_at = text_member(tree, node, "created_at");
  one.description = text_member(tree, node, "description");
  if (const std::string backend = text_member(tree, node, "backend"); !backend.empty())
    one.backend = backend;
  if (const auto fleet = tree.member(node, "fleet"); fleet && tree.is(*fleet, json::Kind::object))
    one.fleet = tree.raw(*fleet);
  const bool known = to.find(one.id) != nullptr;
  if (one.id.empty() || one.name.empty() || one.repository.empty() || known ||
      to.all.size() >= kMostEnvironments) {
    ++to.skipped;
    return;
  }
  to.all.push_back(std::move(one));
}

std::string shown(const std::filesystem::path& file, const std::filesystem::path& home) {
  const std::string path = file.string();
  const std::string prefix = home.string() + "/";
  return !home.empty() && path.starts_with(prefix) ? "~/" + path.substr(prefix.size()) : path;
}

Error broken(std::string_view text, std::size_t at, std::string_view why) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n');
  const std::size_t column =
      start == std::string_view::npos ? before.size() + 1 : before.size() - start;
  std::string details;
  json::Writer w(details);
  w.begin_object().name("line").integer(line).name("column").count(column).end_object();
  return {ErrorCode::validation,
          fmt::format("environments.json cannot be read, line {} column {}: {}", line, column, why),
          "bad_config", std::move(details)};
}

}  // namespace

const Environment* Environments::find(std::string_view id) const {
  const auto found = std::ranges::find(all, id, &Environment::id);
  return found == all.end() ? nullptr : &*found;
}

Result<Environments> parse_environments(std::string_view text) {
  json::Cursor cursor(text, json::Cursor::Scalars::exact);
  (void)cursor.take();
  if (!cursor.finish()) return broken(text, cursor.fault_at(), name(cursor.fault()));
  DRAGOMAN_TRY(const Tree tree, Tree::parse(std::string(text)));
  NodeId root = schema::kRoot;
  if (tree.is(root, json::Kind::object)) {
    const auto list = tree.member(root, "environments");
    if (list && tree.is(*list, json::Kind::array)) root = *list;
  }
  Environments found;
  if (tree.is(root, json::Kind::array)) {
    for (const NodeId each : tree.children(root)) add(found, tree, each, {});
  } else if (tree.is(root, json::Kind::object)) {
    for (const NodeId each : tree.sorted_members(root)) add(found, tree, each, tree.key(each));
  } else {
    return broken(text, tree.offset(root), "neither a list nor an object");
  }
  return found;
}

Result<Environments> read_environments(const std::vector<std::filesystem::path>& places,
                                       const std::filesystem::path& home) {
  for (const auto& place : places) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(place, failed)) continue;
    const std::string source = shown(place, home);
    const auto with_file = [&](Error error) {
      std::string details;
      json::Writer w(details);
      w.begin_object().name("file").string(source).name("path").string(source);
      json::Cursor cursor(error.details);
      std::string_view key;
      for (json::Members members(cursor); !error.details.empty() && members.next(key);) {
        const std::string name(key);
        w.key(name).raw({cursor.take().raw});
      }
      w.end_object();
      error.details = std::move(details);
      return error;
    };
    if (std::filesystem::file_size(place, failed) > kLargestFile) {
      return with_file({ErrorCode::validation, source + " has more than 4 MiB", "bad_config"});
    }
    std::ifstream file(place, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    if (!file.good() && !file.eof())
      return with_file({ErrorCode::validation, source + " cannot be read", "bad_config"});
    auto parsed = parse_environments(text);
    if (!parsed) return with_file(std::move(parsed).error());
    parsed->source = source;
    return *std::move(parsed);
  }
  std::string details;
  json::Writer w(details);
  w.begin_object();
  if (!places.empty()) w.name("path").string(shown(places.back(), home));
  w.name("suggestion").string("write environments.json; docs/delegation.md has an example");
  w.end_object();
  return Error{ErrorCode::not_found, "Environment config not found", "environment_config",
               std::move(details)};
}

}  // namespace dragoman::mcp
