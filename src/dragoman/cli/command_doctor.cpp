// SPDX-License-Identifier: Apache-2.0
// dragoman doctor: what is installed and configured, what is missing, and what mends it.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/doctor.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/probe.hpp"
#include "dragoman/cli/screen.hpp"
#include "dragoman/config/config.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/log/nats_log.hpp"
#include "dragoman/process/environment.hpp"
#include "dragoman/surface/settings.hpp"

namespace dragoman::cli {
namespace {

using Finding = DoctorFinding;
using State = DoctorFinding::State;

std::string_view name(State state) {
  switch (state) {
    case State::ok:
      return "ok";
    case State::missing:
      return "missing";
    case State::ignored:
      return "ignored";
    case State::broken:
      return "broken";
  }
  return "";
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
            fmt::format("export {}=C.UTF-8", name)};
  }
  return {"locale", State::missing, "LANG is not set", "export LANG=C.UTF-8"};
}

// Whether what is configured can be read, and every line of it that has no effect.
void look_at_settings(const Result<config::Config>& settings, std::vector<Finding>& findings) {
  if (!settings) {
    const Error& error = settings.error();
    const bool no_file = error.code == ErrorCode::not_found || error.reason == "unreadable";
    findings.push_back({"settings", State::broken, error.message,
                        no_file ? "name a file that can be read: --config, or DRAGOMAN_CONFIG"
                                : "mend that line"});
    return;
  }
  std::string files;
  for (const auto& file : settings->files()) files += (files.empty() ? "" : ", ") + file.string();
  findings.push_back({"settings", State::ok, files.empty() ? "no file, all standard" : files, ""});
  for (const std::string& warning : settings->warnings())
    findings.push_back({"settings", State::ignored, warning, "mend or remove that line"});
}

// Whether questions would reach the places they are meant for. Nothing is sent: `ask test` does
// that.
Finding look_at_surfaces(const config::Config& settings,
                         const std::vector<std::string>& environment) {
  const auto read = surface::read_settings(settings, environment);
  if (!read) {
    const bool absent = read.error().code == ErrorCode::not_found;
    return {"surfaces", State::broken, read.error().message,
            absent ? "set it where dragoman is started, or mend that line"
                   : "mend that line, or remove its table"};
  }
  std::string names;
  for (const auto& one : read->surfaces) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", one.name, one.kind);
  }
  return {"surfaces", State::ok, names.empty() ? "none is configured" : names, ""};
}

// Where tasks are kept: a file, or the servers of a fleet.
void look_at_store(const Invocation& invocation, const config::Config& settings,
                   std::vector<Finding>& findings) {
  const std::string store = invocation.value("store").value_or(settings.text("store"));
  if (!is_nats_url(store)) {
    findings.push_back(look_at_store_file(invocation, settings));
    return;
  }
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

std::vector<Finding> look_around(const Invocation& invocation) {
  const std::vector<std::string> environment = process::own_environment();
  std::error_code gone;
  const auto settings = load_settings(invocation, environment, std::filesystem::current_path(gone));
  std::vector<Finding> findings = {look_at_configuration(config::config_directory(environment))};
  look_at_settings(settings, findings);
  findings.push_back(look_at_state(config::state_directory(environment)));
  for (const agent::AgentRow& row : agent::agents()) {
    if (!row.has_program()) continue;
    findings.push_back(
        look_at_program(std::string(row.program), row.title, std::string(row.install)));
  }
  const std::vector<Finding> more = {
      look_at_program("node", "the agents need it", "apt-get install nodejs npm"),
      look_at_program("git", "agents work in repositories", "apt-get install git"),
      look_at_terminal(),
      look_at_locale(),
  };
  findings.insert(findings.end(), more.begin(), more.end());
  if (settings) findings.push_back(look_at_surfaces(*settings, environment));
  // Without settings nobody knows which store is meant.
  if (settings || invocation.has("store"))
    look_at_store(invocation, settings ? *settings : config::Config(), findings);
  return findings;
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
    const Style style = finding.state == State::ok       ? Style::green
                        : finding.state == State::broken ? Style::red
                                                         : Style::yellow;
    const std::string word(name(finding.state));
    console.out().write(fmt::format("{}{} {:<14} {}\n", console.styled(style, word),
                                    std::string(8 - word.size(), ' '), finding.name,
                                    printable(finding.detail)));
    if (!finding.mend.empty()) {
      console.out().write(fmt::format("{:>24}{}\n", "", printable(finding.mend)));
    }
  }
}

int run_doctor(const Invocation& invocation, Console& console) {
  const std::vector<Finding> findings = look_around(invocation);
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
      "something is there but cannot be used, or cannot be made; agents that are not installed "
      "and\n"
      "settings that have no effect are no fault. Nothing is made by looking.",
      {json_option(), {"quiet", "", "only what is not in order", {}, 'q'}, color_option()},
      {},
      {"dragoman doctor", "dragoman doctor --store sqlite:tasks.db"},
      run_doctor};
}

}  // namespace dragoman::cli
