// SPDX-License-Identifier: Apache-2.0
// dragoman mcp: the tools for other agents, over stdin and stdout.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/delegation.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/lazy_log.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/log/sqlite_log.hpp"
#include "dragoman/mcp/conformance_box.hpp"
#include "dragoman/mcp/stdio.hpp"

namespace dragoman::cli {
namespace {

std::string program_path() {
  std::error_code failed;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? "dragoman" : path.string();
}

// The words behind the program: a client starts it from another directory, with the store and the
// settings that were named here.
std::vector<std::string> registered_words(const Invocation& invocation) {
  constexpr std::string_view kFile = "sqlite:";
  std::vector<std::string> words = {"mcp"};
  if (const auto store = invocation.value("store")) {
    const bool file = store->starts_with(kFile);
    words.insert(
        words.end(),
        {"--store",
         file ? std::string(kFile) + std::filesystem::absolute(store->substr(kFile.size())).string()
              : *store});
  }
  if (const auto settings = invocation.value("config"))
    words.insert(words.end(), {"--config", std::filesystem::absolute(*settings).string()});
  return words;
}

struct McpClient {
  std::string_view name;
  std::string_view registration;  // a form, as agent::AgentRow has it
};

// The agents that are clients themselves, and others.
std::vector<McpClient> mcp_clients() {
  std::vector<McpClient> clients;
  for (const agent::AgentRow& row : agent::agents()) {
    if (!row.registration.empty()) clients.push_back({row.name, row.registration});
  }
  clients.push_back({"vscode",
                     "{{\n  \"servers\": {{\n    \"dragoman\": {{\n      \"type\": \"stdio\",\n"
                     "      \"command\": {program},\n      \"args\": [{arguments}]\n"
                     "    }}\n  }}\n}}\n"});
  clients.push_back({"json",
                     "{{\n  \"mcpServers\": {{\n    \"dragoman\": {{\n"
                     "      \"command\": {program},\n      \"args\": [{arguments}]\n"
                     "    }}\n  }}\n}}\n"});
  return clients;
}

std::vector<std::string_view> mcp_client_names() {
  std::vector<std::string_view> names;
  for (const McpClient& client : mcp_clients()) names.push_back(client.name);
  return names;
}

// How a client is told of this server.
std::string registration(std::string_view client, const std::string& program,
                         const std::vector<std::string>& words) {
  std::string line = shell_word(program);
  std::string quoted;
  json::append_string(quoted, std::string_view(program));
  std::string list;  // a JSON string is also a basic string of TOML
  for (const std::string& word : words) {
    line += " " + shell_word(word);
    if (!list.empty()) list += ", ";
    json::append_string(list, std::string_view(word));
  }
  const auto clients = mcp_clients();
  const auto known = std::ranges::find(clients, client, &McpClient::name);
  return fmt::format(fmt::runtime(known->registration), fmt::arg("line", line),
                     fmt::arg("program", quoted), fmt::arg("arguments", list));
}

// The store that `task` works on, opened by the first tool that needs it: a client starts a server
// for every conversation, and most of them delegate nothing.
Result<TaskStore> lazy_store(const Invocation& invocation, Console& console,
                             const config::Config& settings) {
  DRAGOMAN_TRY(std::string path, store_path(invocation, settings));
  if (path.find("://") != std::string::npos)
    return open_task_store(invocation, console, StoreUse::adds);
  TaskStore store;
  store.path = std::move(path);
  store.take_slots(settings);
  if (const auto file = invocation.value("config"))
    store.config = std::filesystem::absolute(*file).string();
  store.log = std::make_unique<LazyLog>([file = store.path] {
    return open_sqlite_log({file, ""});
  });
  return store;
}

int serve(mcp::ToolBox& box) {
  // Whoever reads our answers may go; the write then fails and we end.
  (void)std::signal(SIGPIPE, SIG_IGN);
  mcp::Server server(box);
  switch (mcp::serve_stdio(server, STDIN_FILENO, STDOUT_FILENO)) {
    case mcp::StdioEnd::answered:
      return kOk;
    case mcp::StdioEnd::broken:
      return kBrokenPipe;
    case mcp::StdioEnd::abandoned:
      break;
  }
  // A call that does not return would hold up the end of the process: it is left behind.
  ::_exit(kOk);
}

int run_mcp(const Invocation& invocation, Console& console) {
  if (const auto client = invocation.value("print-config")) {
    console.out().write(registration(*client, program_path(), registered_words(invocation)));
    return kOk;
  }
  if (invocation.has("conformance")) {
    mcp::ConformanceBox box(DRAGOMAN_VERSION);
    return serve(box);
  }
  const auto fail = [&console](const Error& error) {
    return console.fail(fmt::format("mcp: {}", printable(error.message)));
  };
  const auto settings = load_settings(invocation, console);
  if (!settings) return fail(settings.error());
  const auto store = lazy_store(invocation, console, *settings);
  if (!store) return fail(store.error());
  if (::isatty(STDIN_FILENO) == 1) {
    console.note("a client starts this: see 'dragoman mcp --print-config claude'. Ctrl-D ends it");
  }
  task::Service service = store->service();
  const auto tools = make_delegation_tools(service, *store, *settings, mcp::Upkeep::with_calls);
  return serve(*tools);
}

}  // namespace

CommandSpec mcp_command() {
  return {
      "mcp",
      "serve the delegation tools to an MCP client over stdin and stdout",
      "A client starts this and speaks the Model Context Protocol with it, in the revisions from\n"
      "2024-11-05 to 2026-07-28. Submitted tasks belong to the background runner and go on when "
      "the\n"
      "client ends; 'dragoman task' sees them too. Over HTTP the same tools are at /mcp of\n"
      "'dragoman serve'.",
      {{"print-config", "CLIENT",
        "print how to register this server with a client, and do nothing else", mcp_client_names()},
       {.name = "conformance",
        .value = "",
        .help = "serve the fixture of the conformance suite",
        .hidden = true}},
      {},
      {"claude mcp add dragoman -- dragoman mcp",
       "dragoman mcp --print-config codex >> ~/.codex/config.toml"},
      run_mcp,
  };
}

}  // namespace dragoman::cli
