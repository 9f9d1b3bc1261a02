// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/codex_cloud_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/run/one_line.hpp"
#include "dragoman/run/output_policy.hpp"
#include "dragoman/schema/tree.hpp"

namespace dragoman::mcp {
namespace {

using schema::NodeId;
using schema::Tree;

constexpr std::size_t kTitle = 120;

// pending, ready, applied, error, in any case.
std::string state_of(std::string_view word) {
  const std::string lower = ascii::lowered(word);
  if (lower == "pending") return "working";
  if (lower == "ready" || lower == "applied") return "completed";
  if (lower == "error") return "failed";
  return {};
}

std::string text_of(const Tree& tree, NodeId object, std::string_view name) {
  const auto found = tree.member(object, name);
  return found && tree.is(*found, json::Kind::string) ? std::string(tree.string(*found))
                                                      : std::string();
}

std::int64_t number_of(const Tree& tree, NodeId object, std::string_view name) {
  const auto found = tree.member(object, name);
  if (!found || !tree.is(*found, json::Kind::number)) return 0;
  return std::max<std::int64_t>(0, json::parse_number(tree.raw(*found)).value.whole().value_or(0));
}

CloudNews news_of(const Tree& tree, NodeId node) {
  CloudNews news;
  news.external_id = last_segment(text_of(tree, node, "id"));
  news.url = text_of(tree, node, "url");
  news.title = std::string(utf8::prefix(one_line(text_of(tree, node, "title")), kTitle));
  news.state = state_of(text_of(tree, node, "status"));
  news.env_id = text_of(tree, node, "environment_id");
  if (const auto time = parse_timestamp(text_of(tree, node, "updated_at")))
    news.updated_at = time->time_since_epoch().count();
  const auto summary = tree.member(node, "summary");
  if (news.state == "failed") {
    news.reason = "agent_error";
    news.summary = "Task failed: the cloud reports an error";
  } else if (summary && tree.is(*summary, json::Kind::object)) {
    const std::int64_t files = number_of(tree, *summary, "files_changed");
    if (files > 0 && news.state == "completed") {
      news.summary = fmt::format("Changed {}, +{} -{} lines", counted(files, "file"),
                                 number_of(tree, *summary, "lines_added"),
                                 number_of(tree, *summary, "lines_removed"));
    }
  }
  return news;
}

// Warnings of the program itself are not why it failed.
std::string last_words(std::string_view err) {
  std::string said;
  while (!err.empty()) {
    const std::size_t end = std::min(err.find('\n'), err.size());
    const std::string line = one_line(err.substr(0, end));
    err.remove_prefix(std::min(end + 1, err.size()));
    if (!line.empty() && !line.starts_with("WARNING:")) said = line;
  }
  return said;
}

std::string unexpected(std::string_view out) {
  const std::string said = one_line(utf8::prefix(out, 200));
  if (said.empty()) return "codex cloud answered nothing";
  return fmt::format("codex cloud answered something that is not known here: {}", said);
}

}  // namespace

std::string task_url_in(std::string_view out) {
  std::string url;
  while (!out.empty()) {
    const std::size_t end = std::min(out.find('\n'), out.size());
    const std::string line = one_line(out.substr(0, end));
    out.remove_prefix(std::min(end + 1, out.size()));
    if (line.starts_with("https://") && line.find(' ') == std::string::npos && line.size() < 2048)
      url = line;
  }
  return url;
}

std::string last_segment(std::string_view url) {
  if (const std::size_t query = url.find_first_of("?#"); query != std::string_view::npos)
    url = url.substr(0, query);
  while (url.ends_with('/')) url.remove_suffix(1);
  if (const std::size_t slash = url.rfind('/'); slash != std::string_view::npos)
    url.remove_prefix(slash + 1);
  const bool fit = !url.empty() && url.size() <= 200 && url.front() != '-' &&
                   std::all_of(url.begin(), url.end(), [](char c) {
                     return ascii::is_alnum(c) || c == '_' || c == '-' || c == '.';
                   });
  return fit ? std::string(url) : std::string();
}

std::optional<CloudNews> read_cloud_status(std::string_view out) {
  const std::string_view line = out.substr(0, out.find('\n'));
  if (!line.starts_with('[')) return std::nullopt;
  const std::size_t close = line.find(']');
  if (close == std::string_view::npos) return std::nullopt;
  CloudNews news;
  news.state = state_of(line.substr(1, close - 1));
  if (news.state.empty()) return std::nullopt;
  news.title = std::string(utf8::prefix(one_line(line.substr(close + 1)), kTitle));
  if (news.state == "failed") {
    news.reason = "agent_error";
    news.summary = "Task failed: the cloud reports an error";
  }
  return news;
}

Result<CloudPage> read_cloud_list(std::string_view json) {
  const auto unreadable = [](std::string_view why) {
    return Error{ErrorCode::tool_error,
                 fmt::format("codex cloud list printed something that is not its list: {}", why),
                 "agent_error"};
  };
  const auto tree = Tree::parse(std::string(json));
  if (!tree) return unreadable(tree.error().message);
  if (!tree->is(schema::kRoot, json::Kind::object)) return unreadable("no object");
  const auto tasks = tree->member(schema::kRoot, "tasks");
  if (!tasks || !tree->is(*tasks, json::Kind::array)) return unreadable("no tasks");
  CloudPage page;
  for (const NodeId each : tree->children(*tasks)) {
    if (!tree->is(each, json::Kind::object)) continue;
    CloudNews news = news_of(*tree, each);
    if (!news.external_id.empty() && !news.state.empty()) page.tasks.push_back(std::move(news));
  }
  page.cursor = text_of(*tree, schema::kRoot, "cursor");
  return page;
}

Error cloud_failure(std::string_view err, const process::Exit& exit, std::string_view out) {
  const auto says = [&](std::string_view words) {
    return err.find(words) != std::string_view::npos;
  };
  std::string said = last_words(err);
  // It ended well: what is wrong is what it printed.
  const bool well = exit.how == process::Exit::How::exited && exit.code == 0;
  if (said.empty() && well) said = unexpected(out);
  if (said.empty()) said = process::describe(exit);
  std::string details;
  json::Writer w(details);
  w.begin_object();
  if (exit.how == process::Exit::How::exited) w.name("exit_code").integer(exit.code);
  const auto error = [&](ErrorCode code, std::string_view reason, std::string_view suggestion) {
    if (!suggestion.empty()) w.name("suggestion").string(suggestion);
    if (!err.empty()) w.name("stderr_tail").string(utf8::tail(err, kStderrTail));
    w.end_object();
    return Error{code, said, std::string(reason), details};
  };
  if (says("Not signed in") || says("Not logged in"))
    return error(ErrorCode::tool_error, "auth_required", "run: codex login");
  if (says("environment '") && says("not found"))
    return error(ErrorCode::not_found, "environment", "see _codex_cloud_list_environments");
  if (says("not found")) return error(ErrorCode::not_found, "task", "");
  if (says("429") || says("usage limit")) return error(ErrorCode::tool_error, "rate_limited", "");
  if (says("ECONNREFUSED") || says("ENOTFOUND") || says("error sending request") ||
      says("stream disconnected"))
    return error(ErrorCode::tool_error, "network", "");
  if (says("unexpected argument") || says("unrecognized subcommand"))
    return error(ErrorCode::unsupported, "agent_version", "run: npm install -g @openai/codex");
  if (exit.how == process::Exit::How::signal) return error(ErrorCode::tool_error, "signal", "");
  return error(ErrorCode::tool_error, "exit_nonzero", "");
}

bool is_no_diff(std::string_view err) {
  return err.find("no diff") != std::string_view::npos ||
         err.find("No diff") != std::string_view::npos ||
         err.find("not ready") != std::string_view::npos;
}

std::string summary_of(const CloudTask& task, const FileOperations& files) {
  const TaskState state = task_state_named(task.state).value_or(TaskState::failed);
  if (!is_terminal(state)) return "Task is still running";
  if (state != TaskState::completed)
    return task.summary.empty() ? "Task " + task.state : task.summary;
  std::string parts;
  const auto add = [&](std::string_view verb, std::size_t count) {
    if (count == 0) return;
    parts += parts.empty() ? "" : ", ";
    parts += fmt::format("{} {}", verb, counted(static_cast<std::int64_t>(count), "file"));
  };
  add("modified", files.modified_files.size());
  add("added", files.added_files.size());
  add("deleted", files.deleted_files.size());
  if (parts.empty()) return task.summary.empty() ? "Task completed successfully" : task.summary;
  parts.front() = static_cast<char>(parts.front() - 'a' + 'A');
  return parts;
}

}  // namespace dragoman::mcp
