// SPDX-License-Identifier: Apache-2.0
// What happens between the end of a program and the end of the run.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/random.hpp"
#include "dragoman/engine/run.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/waits_for.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/run/json.hpp"

namespace dragoman::engine {
namespace {

using std::chrono::seconds;

constexpr unsigned kMostLimitWaits = 5;
constexpr seconds kUnknownReset{60};  // doubled each time
constexpr seconds kLongestWait{8 * 3600};
constexpr int kUsageLimit = 75;

// 2026-11-18 06:47 UTC
std::string time_text(std::int64_t seconds_since_1970) {
  std::string out;
  append_timestamp(out, Timestamp(seconds(seconds_since_1970)));
  constexpr std::size_t kDate = 10;
  constexpr std::size_t kMinutes = 16;
  if (out.size() < kMinutes || out[kDate] != 'T') return out;
  out[kDate] = ' ';
  return out.substr(0, kMinutes) + " UTC";
}

}  // namespace

void Run::see_limit(const RateLimited& limit) {
  if (limit.status.starts_with("allowed")) return;
  const WaitsFor what = waits_for(limit);
  std::string message = what == WaitsFor::service      ? "waiting for the overloaded service"
                        : what == WaitsFor::connection ? "waiting for a connection"
                                                       : "waiting for the usage limit";
  std::string json;
  if (limit.resets_at.has_value() && limit.resets_at->whole().has_value()) {
    json = std::to_string(*limit.resets_at->whole());
    message += " until " + time_text(*limit.resets_at->whole());
  } else if (limit.delay_ms.has_value()) {
    message += fmt::format(", the agent tries again in {:.0f} s", limit.delay_ms->real / 1000);
  }
  later([this, message, json] {
    if (state_ != State::over) tell_waiting(message, json);
  });
}

void Run::tell_waiting(const std::string& message, const std::string& resets_at) {
  Status status;
  status.activity = "waiting_limit";
  status.message = json::Text(std::string_view(message));
  const Extra resets{"resets_at", Raw{resets_at}};
  stream_.tell(status, with_.loop.wall(),
               resets_at.empty() ? std::span<const Extra>() : std::span<const Extra>(&resets, 1));
}

// The next thing to do now that no process runs.
void Run::after_end() {
  if (state_ == State::over) return;
  const bool given_up = stop_.given_up || stop_.input_unread || stop_.turn;
  if (stop_.signal != 0 || end_.ended_by == EndedBy::timeout || given_up) return finish();
  if (start_.expired && !conversation_.request().resume.empty() && !fresh_start_offered_)
    return offer_fresh_start();
  const Verdict verdict = judge(chronicle_.fold().summary(), end_);
  if (verdict.exit_code == kUsageLimit && plan_.wait_for_limit && wait_for_limit()) return;
  const bool waits = verdict.kind == VerdictKind::question || verdict.kind == VerdictKind::blocked;
  if (!waits || conversation_.questions().empty()) return finish();
  if (stop_.told_more) {  // the next turn is about that, not about the answers
    withdraw_questions();
    return finish();
  }
  // A [BLOCKED] is a question from here on, and one that the agent has passed over is open again,
  // also for those who only see the events.
  std::vector<agent::Asked> opened;
  for (const agent::Asked& asked : conversation_.questions()) {
    if (asked.kind == QuestionKind::blocked || asked.passed_over) opened.push_back(asked);
  }
  for (const agent::Asked& asked : opened) tell_open(asked);
  if (plan_.agent->goes_on == agent::GoesOn::never) return finish();
  conversation_.ask_rest();
  catch_up();
}

// The run will wait until its usage limit is over.
bool Run::is_limited() const {
  return plan_.wait_for_limit && judge(chronicle_.fold().summary(), {}).exit_code == kUsageLimit;
}

bool Run::wait_for_limit() {
  if (limit_waits_ >= kMostLimitWaits) return false;
  const RunSummary run = chronicle_.fold().summary();
  const Timestamp now = with_.loop.wall();
  seconds wait = kUnknownReset * (1U << limit_waits_);
  if (run.rate_limit.has_value() && run.rate_limit->resets_at.has_value()) {
    const auto reset = Timestamp(seconds(*run.rate_limit->resets_at));
    wait = std::max(seconds(1), std::chrono::ceil<seconds>(reset - now));
  }
  if (wait > kLongestWait) return false;
  ++limit_waits_;
  // Not all at the same moment.
  const auto jitter = std::chrono::milliseconds(
      random_number() %
      std::min<std::uint64_t>(30'000, static_cast<std::uint64_t>(wait.count()) * 50));
  const std::int64_t until =
      std::chrono::duration_cast<seconds>((now + wait).time_since_epoch()).count();
  const std::string message = "waiting for the usage limit until " + time_text(until);
  const std::string json = std::to_string(until);
  tell_waiting(message, json);
  with_.audience.idle();
  waiting_->after(wait + jitter, [this] {
    if (state_ != State::over) restart(conversation_.go_on_with("Go on where you were stopped."));
  });
  return true;
}

void Run::restart(agent::Launch next) {
  const Result<void> started = launch(std::move(next));
  if (started) return;
  Failure failure;
  failure.code = "START";
  failure.message = json::Text(std::string_view(started.error().message));
  failure.reason = "agent_error";
  stream_.tell(failure, with_.loop.wall());
  end_ = {};
  end_.exit_code = process::exit_code_of(started.error());
  finish();
}

// A file may be named after a secret.
std::optional<GitChanges> Run::changes_without_secrets() const {
  auto changes = plan_.changes ? plan_.changes() : std::nullopt;
  if (!changes) return std::nullopt;
  std::map<std::string, FileAction> files;
  for (const auto& [path, action] : changes->files)
    files.emplace(with_.recording.redacted(path), action);
  changes->files = std::move(files);
  return changes;
}

// Of a turn, and of the run: no program is left.
void Run::finish() {
  if (state_ == State::over) return;
  Ending ending = conclude();
  record_exit(Turn::with_the_program);
  state_ = State::over;
  owner_.rested(std::move(ending));
  owner_.ended();
}

// The end of a turn: judged, told and written down.
Ending Run::conclude() {
  for (const std::string& what : risks_.take_rest()) warn_of(what);
  const auto changes = changes_without_secrets();
  if (changes) chronicle_.fold().see_changes(*changes);
  Ending ending;
  ending.run = chronicle_.fold().summary();
  ending.end = end_;
  ending.verdict = judge(ending.run, end_);
  ending.exit_code = stop_.signal != 0 ? 128 + stop_.signal : ending.verdict.exit_code;
  ending.timeout = timeout_;
  ending.pending = conversation_.questions();
  ending.session_expired = start_.expired;
  const agent::Request& request = conversation_.request();
  ending.words = request.words;
  ending.secrets = request.secrets;
  ending.claims = check_claims(ending.run, request.cwd);
  for (const Claim& claim : ending.claims) {
    if (claim.state == ClaimState::there) continue;
    diagnose("claimed_only", Level::warning, fmt::format("{}: {}", claim.path, name(claim.state)));
  }
  if (timeout_.has_value()) {
    ending.last_output = with_.recording.last_output();
    ending.last_events = chronicle_.last_events();
  }
  record_verdict(ending, changes);
  return ending;
}

void Run::record_verdict(const Ending& ending, const std::optional<GitChanges>& changes) {
  const std::vector<std::string> reasons = ending.verdict.reasons();
  const std::vector<std::string_view> views(reasons.begin(), reasons.end());
  Finished finished;
  finished.verdict = name(ending.verdict.kind);
  finished.reasons = views;
  if (end_.exit_code.has_value()) finished.exit_code = *end_.exit_code;
  const std::string signal = end_.signal.has_value() ? std::to_string(*end_.signal) : "";
  if (!signal.empty()) finished.signal = signal;
  std::vector<Extra> extra;
  const std::string git = changes ? git_changes_json(*changes) : std::string();
  if (changes) extra.push_back({"git", Raw{git}});
  std::string output;
  std::string events = "[";
  std::string limit;
  if (timeout_.has_value()) {
    json::append_string(output, ending.last_output);
    for (const std::string& line : ending.last_events) {
      if (events.size() > 1) events.push_back(',');
      events += line;
    }
    events.push_back(']');
    limit = fmt::format("\"{}\"", process::name(timeout_->what.limit));
    extra.push_back({"limit", Raw{limit}});
    extra.push_back({"last_output", Raw{output}});
    extra.push_back({"last_events", Raw{events}});
  }
  stream_.tell(finished, with_.loop.wall(), extra);

  std::string document;
  append_json(document, ending.verdict, ending.run, Explained::yes);
  if (timeout_.has_value()) {
    document.pop_back();  // the brace that closes it
    document += fmt::format(R"(,"last_output":{},"last_events":{}}})", output, events);
  }
  with_.recording.verdict(document);
}

void Run::record_exit(Turn turn) {
  const process::Outcome& outcome = start_.outcome;
  record::ExitRecord exit;
  exit.how = outcome.exit.how == process::Exit::How::exited   ? "exited"
             : outcome.exit.how == process::Exit::How::signal ? "signal"
                                                              : "lost";
  exit.code = outcome.exit.code;
  exit.wall = chronicle_.since_start();
  exit.cpu = outcome.exit.cpu;
  exit.max_rss_bytes = outcome.exit.max_rss_bytes;
  if (timeout_.has_value()) exit.timeout = process::name(timeout_->what.limit);
  exit.rested = turn == Turn::before_it;
  exit.stopped = outcome.stopped;
  exit.output_cut = outcome.exit.output_cut;
  exit.survivors = outcome.exit.survivors;
  with_.recording.exit(exit);
}

}  // namespace dragoman::engine
