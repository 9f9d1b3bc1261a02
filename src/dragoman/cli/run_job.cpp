// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_job.hpp"

#include <array>

#include <fmt/format.h>

#include "dragoman/agent/session_store.hpp"
#include "dragoman/cli/run_git.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/task/run_handle.hpp"

namespace dragoman::cli {

Result<void> RunJob::prepare() {
  const agent::Request& request = setup_.plan.request;
  DRAGOMAN_TRY(const agent::Launch first, setup_.agent->start(request, setup_.plan.locate));
  record::CommandRecord& command = setup_.plan.command;
  command.program = first.argv[0];
  for (std::size_t i = 1; i < first.argv.size(); ++i) {
    command.arguments.push_back(
        redact::redacted(agent::without_secrets(first.argv[i], request.secrets), setup_.rules));
  }
  record::RecordingOptions options;
  options.rules = setup_.rules;
  if (setup_.record.empty()) {
    recording_ = record::Recording::discard(options);
  } else {
    DRAGOMAN_TRY(recording_, record::Recording::create(setup_.record, command, options));
  }
  guard_git(setup_.plan, setup_.run_id, setup_.state);
  if (setup_.git_changes) compare_with_git(setup_.plan, setup_.state);
  return {};
}

std::unique_ptr<agent::Session> RunJob::session(boost::asio::io_context& io, agent::Company company,
                                                std::function<void(agent::Ending)> done) {
  return std::make_unique<agent::Session>(io, *setup_.agent, setup_.plan, *recording_, company,
                                          std::move(done));
}

Result<void> RunJob::remember(const agent::Session& session, const agent::Ending& ending) {
  if (setup_.state.empty() || setup_.record.empty()) return {};
  const agent::SessionStore store(setup_.state / "sessions");
  const bool executor = setup_.agent->goes_on == agent::GoesOn::by_invocation;
  const agent::Request& request = setup_.plan.request;
  if (ending.session_expired) store.forget(request.resume);
  // The words of the run before are among ours, with what must not be kept longer than needed.
  if (!request.secrets.empty()) store.forget(setup_.resumed);
  agent::StoredSession stored;
  stored.session_id = executor ? ending.words[1] : session.session_id();
  if (stored.session_id.empty() || ending.session_expired) return {};
  stored.agent = setup_.agent->name;
  stored.run = setup_.run_id;
  stored.cwd = request.cwd;
  stored.git_head = agent::git_head(request.cwd);
  if (executor) stored.words = ending.words;
  stored.pending = ending.pending;
  stored.secrets = ending.secrets;
  // Only one that still waits for an answer is called again with the very words.
  if (stored.pending.empty()) {
    stored.secrets.clear();
    for (std::string& word : stored.words) {
      word = recording_->redacted(agent::without_secrets(std::move(word), ending.secrets));
    }
  }
  return store.save(stored);
}

std::string unstarted_line(const Error& error, int exit_code) {
  const std::string why = fmt::format("{}{}", task::kNotStarted, error.message);
  const std::array<std::string_view, 1> reasons = {why};
  Event event;
  event.seq = 1;
  event.payload = Finished{"failed", reasons, exit_code, {}};
  return to_json(event) + "\n";
}

}  // namespace dragoman::cli
