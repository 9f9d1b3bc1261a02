// SPDX-License-Identifier: Apache-2.0
// dragoman doctor: what is installed and configured, what is missing, and what mends it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/probe.hpp"
#include "dragoman/cli/screen.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/config/config.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/log/nats_log.hpp"
#include "dragoman/process/environment.hpp"

namespace dragoman::cli {
namespace {

enum class State : std::uint8_t {
  ok,
  missing,  // something that some work needs is not there
  broken,   // something is there and cannot be used
};

struct Finding {
  std::string name;
  State state = State::ok;
  std::string detail;
  std::string mend;  // the command that mends it
};

std::string_view name(State state) {
  switch (state) {
    case State::ok:
      return "ok";
    case State::missing:
      return "missing";
    case State::broken:
      return "broken";
  }
  return "";
}

// A directory that need not exist; where it does, it must be usable.
Finding look_at_directory(std::string name, const std::string& path, int access) {
  if (path.empty())
    return {std::move(name), State::broken, "HOME is not set", "export HOME=/home/you"};
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return {std::move(name), State::ok, path + " (not there yet)", ""};
    return {std::move(name), State::broken, fmt::format("{}: {}", path, std::strerror(errno)), ""};
  }
  if (!S_ISDIR(info.st_mode)) {
    return {std::move(name), State::broken, path + " is not a directory",
            fmt::format("mv '{}' '{}.old'", path, path)};
  }
  if (::access(path.c_str(), access) != 0) {
    return {std::move(name), State::broken, fmt::format("{}: {}", path, std::strerror(errno)),
            fmt::format("chmod u+rwx '{}'", path)};
  }
  return {std::move(name), State::ok, path, ""};
}

Finding look_at_program(std::string name, std::string_view what_for, std::string mend) {
  const auto program = find_program(name);
  if (!program.has_value()) {
    return {std::move(name), State::missing, fmt::format("not in PATH; {}", what_for),
            std::move(mend)};
  }
  const auto version = first_line_of(*program, {"--version"}, std::chrono::seconds(5));
  if (!version.has_value()) {
    return {std::move(name), State::broken, *program + " --version fails or does not answer",
            std::move(mend)};
  }
  return {std::move(name), State::ok, fmt::format("{} ({})", printable(*version), *program), ""};
}

Finding look_at_terminal() {
  if (::isatty(STDOUT_FILENO) != 1) return {"terminal", State::ok, "stdout is not a terminal", ""};
  const std::string term = variable("TERM");
  if (term.empty() || term == "dumb") {
    return {"terminal", State::ok, "TERM is dumb or not set: no colour", ""};
  }
  return {"terminal", State::ok, term, ""};
}

// LC_ALL, LC_CTYPE, LANG: the first that is set decides.
Finding look_at_locale() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = variable(name);
    if (value.empty()) continue;
    const bool utf8 =
        value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos;
    if (utf8) return {"locale", State::ok, fmt::format("{}={}", name, value), ""};
    return {"locale", State::missing, fmt::format("{}={} is not UTF-8", name, value),
            "export LANG=C.UTF-8"};
  }
  return {"locale", State::missing, "LANG is not set", "export LANG=C.UTF-8"};
}

// Whether what is configured can be read, and what in it has no effect.
Finding look_at_settings(const std::vector<std::string>& environment) {
  std::error_code gone;
  const auto settings =
      config::Config::load({environment, std::filesystem::current_path(gone), std::nullopt});
  if (!settings) return {"settings", State::broken, settings.error().message, "mend that line"};
  if (!settings->warnings().empty())
    return {"settings", State::broken, settings->warnings().front(), "mend or remove that line"};
  std::string files;
  for (const auto& file : settings->files()) files += (files.empty() ? "" : ", ") + file.string();
  return {"settings", State::ok, files.empty() ? "no file, all standard" : files, ""};
}

// The servers of a fleet, where the tasks are kept there.
void look_at_store(const std::string& store, std::vector<Finding>& findings) {
  if (!is_nats_url(store)) return;
  const auto url = parse_nats_url(store);
  if (!url) {
    findings.push_back({"store", State::broken, url.error().message, "mend --store"});
    return;
  }
  for (auto& one : look_at_cluster(*url)) {
    findings.push_back({std::move(one.what), one.good ? State::ok : State::broken,
                        std::move(one.detail), std::move(one.mend)});
  }
}

std::vector<Finding> look_around() {
  const std::vector<std::string> environment = process::own_environment();
  return {
      look_at_directory("configuration", config::config_directory(environment), R_OK | X_OK),
      look_at_settings(environment),
      look_at_directory("state", config::state_directory(environment), R_OK | W_OK | X_OK),
      look_at_program("claude", "Claude Code", "npm install -g @anthropic-ai/claude-code"),
      look_at_program("codex", "Codex", "npm install -g @openai/codex"),
      look_at_program("node", "the agents need it", "apt-get install nodejs npm"),
      look_at_program("git", "agents work in repositories", "apt-get install git"),
      look_at_terminal(),
      look_at_locale(),
  };
}

void print_json(const std::vector<Finding>& findings, Output& out) {
  json::Writer w(out.buffer());
  w.begin_object();
  w.key("ok").boolean(std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.state == State::broken;
  }));
  w.key("findings").begin_array();
  for (const Finding& finding : findings) {
    w.begin_object();
    w.key("name").string(finding.name).key("state").string(name(finding.state));
    w.key("detail").string(finding.detail);
    if (!finding.mend.empty()) w.key("mend").string(finding.mend);
    w.end_object();
  }
  w.end_array();
  w.end_object();
  out.write("\n");
}

void print_text(const std::vector<Finding>& findings, bool only_faults, Console& console) {
  for (const Finding& finding : findings) {
    if (only_faults && finding.state == State::ok) continue;
    const Style style = finding.state == State::ok        ? Style::green
                        : finding.state == State::missing ? Style::yellow
                                                          : Style::red;
    const std::string word(name(finding.state));
    console.out().write(fmt::format("{}{} {:<14} {}\n", console.styled(style, word),
                                    std::string(8 - word.size(), ' '), finding.name,
                                    printable(finding.detail)));
    if (!finding.mend.empty()) {
      console.out().write(fmt::format("{:>24}{}\n", "", printable(finding.mend)));
    }
  }
}

// What is given or configured; absent when that cannot be read, which is a finding of its own.
std::optional<std::string> store_of(const Invocation& invocation, Console& console) {
  const auto settings = load_settings(invocation, console);
  if (!settings) return std::nullopt;
  return invocation.value("store").value_or(settings->text("store"));
}

int run_doctor(const Invocation& invocation, Console& console) {
  std::vector<Finding> findings = look_around();
  if (const auto store = store_of(invocation, console)) look_at_store(*store, findings);
  if (invocation.has("json")) {
    print_json(findings, console.out());
  } else {
    print_text(findings, invocation.has("quiet"), console);
  }
  for (const Finding& finding : findings) {
    if (finding.state == State::broken) return kFailed;
  }
  return kOk;
}

}  // namespace

CommandSpec doctor_command() {
  return {
      "doctor",
      "what is installed and configured, what is missing, and what mends it",
      "Below each thing that is missing stands the command that mends it. The exit code is 1 when\n"
      "something is there but cannot be used; agents that are not installed are no fault.",
      {json_option(), {"quiet", "", "only what is missing or broken", {}, 'q'}, color_option()},
      {},
      {"dragoman doctor"},
      run_doctor};
}

}  // namespace dragoman::cli
