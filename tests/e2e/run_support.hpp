// SPDX-License-Identifier: Apache-2.0
// A place to run agents in: scripts in PATH, a state directory, a work directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {

class RunPlace {
 public:
  RunPlace() {
    std::filesystem::create_directories(work());
    std::filesystem::create_directories(bin());
  }

  [[nodiscard]] std::filesystem::path work() const { return dir_.path() / "work"; }
  [[nodiscard]] std::filesystem::path bin() const { return dir_.path() / "bin"; }
  [[nodiscard]] std::filesystem::path state() const { return dir_.path() / "state"; }
  [[nodiscard]] std::filesystem::path root() const { return dir_.path(); }

  // An executable of that name, first in PATH.
  std::filesystem::path script(const std::string& name, const std::string& text) {
    write_file(bin() / name, text);
    std::filesystem::permissions(bin() / name, std::filesystem::perms::owner_all);
    return bin() / name;
  }

  [[nodiscard]] Start start(std::vector<std::string> arguments, std::string input = {}) const {
    arguments.insert(arguments.begin(), "run");
    std::vector<std::string> environment = {
        "PATH=" + bin().string() + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + dir_.path().string(),
        "DRAGOMAN_STATE_DIR=" + state().string()};
    environment.insert(environment.end(), more_environment.begin(), more_environment.end());
    return {.arguments = std::move(arguments),
            .input = std::move(input),
            .directory = work(),
            .environment = std::move(environment)};
  }
  [[nodiscard]] Ended run(std::vector<std::string> arguments, std::string input = {}) const {
    return dragoman(start(std::move(arguments), std::move(input)));
  }

  std::vector<std::string> more_environment;

 private:
  TempDir dir_;
};

// The events that a run printed.
inline std::vector<nlohmann::json> events_in(const std::string& out) {
  std::vector<nlohmann::json> events;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    events.push_back(nlohmann::json::parse(line, nullptr, false));
    EXPECT_FALSE(events.back().is_discarded()) << line;
  }
  return events;
}

inline std::vector<nlohmann::json> of_kind(const std::string& out, std::string_view kind) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& event : events_in(out)) {
    if (event["kind"] == kind) found.push_back(event["data"]);
  }
  return found;
}

inline std::string verdict_in(const std::string& out) {
  const auto events = events_in(out);
  if (events.empty() || events.back()["kind"] != "finished") return "no finished event";
  return events.back()["data"]["verdict"];
}

}  // namespace dragoman::test
