// SPDX-License-Identifier: Apache-2.0
// What has to be known to go on with a session later: a file for each, found by the id of the
// session or of the run. Only their owner can read them: they hold what the agent asked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/question.hpp"
#include "dragoman/base/result.hpp"

namespace dragoman::engine {

struct StoredSession {
  std::string agent;
  std::string session_id;                 // executor: the task id
  std::string run;                        // the id of the last run
  std::string cwd;                        // older Claude builds find a session only from there
  std::string git_head;                   // where the work tree stood
  std::vector<std::string> words;         // what stood behind "--"
  std::vector<KeptQuestion> pending;      // what has no answer
  std::vector<std::string> secrets = {};  // answers in `words` that are not shown
  friend bool operator==(const StoredSession&, const StoredSession&) = default;
};

[[nodiscard]] std::string to_json(const StoredSession& session);
[[nodiscard]] std::optional<StoredSession> read_stored_session(std::string_view json);

class SessionStore {
 public:
  explicit SessionStore(std::filesystem::path directory) : directory_(std::move(directory)) {}

  [[nodiscard]] Result<void> save(const StoredSession& session) const;
  // By session id or run id.
  [[nodiscard]] std::optional<StoredSession> find(std::string_view id) const;
  // The agent does not know it any more.
  void forget(std::string_view session_id) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(std::string_view id) const;
  std::filesystem::path directory_;
};

// The commit that HEAD of the repository around `directory` names; empty outside of one. Files are
// read, nothing is started.
[[nodiscard]] std::string git_head(const std::filesystem::path& directory);

}  // namespace dragoman::engine
