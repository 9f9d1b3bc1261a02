// SPDX-License-Identifier: Apache-2.0
// What is to be run, in typed values: of the command line, a task, an editor.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/question.hpp"
#include "dragoman/agent/table.hpp"
#include "dragoman/engine/message.hpp"
#include "dragoman/engine/session_store.hpp"
#include "dragoman/process/environment.hpp"

namespace dragoman::engine {

// What is absent or empty is left to the settings, and where they say nothing to the standard.
struct RunSpec {
  const agent::AgentRow* agent = nullptr;
  std::string id;  // of the run
  agent::Request request;
  std::optional<std::chrono::milliseconds> idle = {};
  std::optional<std::chrono::milliseconds> hard = {};
  std::optional<std::chrono::milliseconds> after_result = {};
  std::optional<std::chrono::milliseconds> grace = {};
  std::optional<process::EnvironmentPolicy> policy = {};
  std::vector<std::string> variables = {};  // NAME, ours, or NAME=value, besides the policy's
  bool wait_for_limit = false;
  bool terminal = false;              // one of its own, 80 by 24
  bool git_changes = false;           // the end says what git sees changed
  bool fresh_start = false;           // an expired session is followed by a new one without asking
  bool offers_fresh_start = true;     // people are there who can be asked about it
  std::filesystem::path record = {};  // the directory of its recording; empty: nothing is kept
  // Of a session that is resumed: questions that its last run left open, and that run.
  std::vector<KeptQuestion> left_open = {};
  std::string resumed = {};
  // How long the agent stays after a turn, to be told more.
  std::chrono::milliseconds keep{0};
  // Of a later turn: its prompt is this message, which the agent has heard when it was started.
  std::optional<Message> message = {};
  bool goes_on = false;        // the recording and its events exist already: they go on
  std::uint64_t last_seq = 0;  // without a recording to go on with: the number of the last event
};

// Where the machine keeps things, and what it gives to whom it starts.
struct Surroundings {
  std::vector<std::string> environment;  // NAME=value
  std::filesystem::path state;           // empty: there is none
};

// The spec goes on with a session, by the id of the session or of a run that had it. Without a
// prompt the questions that are open there are what it is about. Refused: an id that neither this
// machine nor the agent can know, and a session of another agent.
enum class HasPrompt : std::uint8_t { no, yes };
[[nodiscard]] Result<void> resume(RunSpec& spec, const std::string& id,
                                  const std::optional<StoredSession>& stored, HasPrompt prompt);

}  // namespace dragoman::engine
