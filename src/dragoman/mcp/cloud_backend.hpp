// SPDX-License-Identifier: Apache-2.0
// The seam to whatever runs tasks on other machines.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/mcp/environments.hpp"
#include "dragoman/mcp/tool.hpp"
#include "dragoman/task/results.hpp"

namespace dragoman::mcp {

// A task somewhere else, as our registry knows it.
struct CloudTask {
  std::string id;           // T-cloud-…
  std::string backend;      // codex-cloud, fleet
  std::string external_id;  // what the backend calls it
  std::string env_id;
  std::string url;  // where a person can look; empty: nowhere
  std::string state = "working";
  std::string reason;
  std::string text;
  std::string summary;
  std::string working_dir;
  std::string model;
  std::string branch;
  std::string cancel_reason;
  std::int64_t attempts = 1;
  std::int64_t created_at = 0;  // milliseconds since 1970; 0: not known
  std::int64_t completed_at = 0;
  std::uint64_t revision = 0;  // not part of the value

  [[nodiscard]] bool terminal() const;

  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("id", s.id);
    v("backend", s.backend);
    v("external_id", s.external_id);
    v("env_id", s.env_id);
    v("url", s.url);
    v("state", s.state);
    v("reason", s.reason);
    v("text", s.text);
    v("summary", s.summary);
    v("working_dir", s.working_dir);
    v("model", s.model);
    v("branch", s.branch);
    v("cancel_reason", s.cancel_reason);
    v("attempts", s.attempts);
    v("created_at", s.created_at);
    v("completed_at", s.completed_at);
  }
  friend bool operator==(const CloudTask&, const CloudTask&) = default;
};

// As the tools of local tasks show one.
[[nodiscard]] task::Task as_task(const CloudTask& cloud);

struct CloudSubmission {
  const CloudTask& task;  // its id is given; external_id, url and state are the backend's to say
  const Environment& environment;
  std::chrono::seconds within{600};
};

// What the backend says of a task at this moment.
struct CloudNews {
  std::string external_id;
  std::string state;  // queued, working, completed, failed, cancelled, timeout
  std::string reason = {};
  std::string summary = {};
  std::string title = {};
  std::string url = {};
  std::string env_id = {};
  std::int64_t updated_at = 0;

  friend bool operator==(const CloudNews&, const CloudNews&) = default;
};

struct CloudQuery {
  std::vector<std::string> external_ids;  // these have to be asked for
  bool everything = false;                // and whatever else the backend has
  std::string env_id;                     // only of this environment
};

// Functions may be called from several threads at once; those that talk to the backend may block.
class CloudBackend {
 public:
  virtual ~CloudBackend() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;  // as environments.json spells it

  // external_id, url and state of the task that was accepted.
  [[nodiscard]] virtual Result<CloudNews> submit(const CloudSubmission& submission) = 0;
  // How things stand, asked of the backend and not remembered. One that it does not know is left
  // out.
  [[nodiscard]] virtual Result<std::vector<CloudNews>> news(const CloudQuery& query) = 0;
  // What a task did; `task` is filled in already.
  [[nodiscard]] virtual Result<task::TaskResults> results(const CloudTask& task,
                                                          std::int64_t attempt,
                                                          const task::ResultsQuery& query) = 0;
  // Ends it, or says why that is not possible; the registry writes the state.
  [[nodiscard]] virtual Result<void> cancel(const CloudTask& task, std::string_view reason) = 0;
  // Returns when it is worth asking again; `round` counts from 0. False: the call was cancelled.
  virtual bool pause(const CloudTask& task, unsigned round, std::chrono::milliseconds at_most,
                     Context& context) = 0;
  // One line on how a person takes over what the task made; empty: nothing to say.
  [[nodiscard]] virtual std::string how_to_apply(const CloudTask& /*task*/) const { return {}; }
};

}  // namespace dragoman::mcp
