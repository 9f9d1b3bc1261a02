// SPDX-License-Identifier: Apache-2.0
// What happens between the end of a program and the end of the run.
#include <algorithm>
#include <boost/asio/post.hpp>

#include <fmt/format.h>

#include "dragoman/agent/session.hpp"
#include "dragoman/agent/wall_clock.hpp"
#include "dragoman/base/random.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/waits_for.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/run/json.hpp"

namespace dragoman::agent {
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

void Session::see_limit(const RateLimited& limit) {
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
  boost::asio::post(io_, [this, message, json] {
    if (finished_) return;
    Status status;
    status.activity = "waiting_limit";
    status.message = json::Text(std::string_view(message));
    const Extra resets{"resets_at", Raw{json}};
    stream_.tell(status, wall_clock(),
                 json.empty() ? std::span<const Extra>() : std::span<const Extra>(&resets, 1));
  });
}

// The next thing to do now that no process runs.
void Session::after_end() {
  const bool given_up = nobody_answers_ || input_unread_;
  if (interrupted_ != 0 || end_.ended_by == EndedBy::timeout || given_up) {
    finish();
    return;
  }
  if (expired_ && !plan_.request.resume.empty() && !fresh_start_offered_) {
    offer_fresh_start();
    return;
  }
  const Verdict verdict = judge(fold_.summary(), end_);
  if (verdict.exit_code == kUsageLimit && plan_.wait_for_limit && wait_for_limit()) return;
  const bool waits = verdict.kind == VerdictKind::question || verdict.kind == VerdictKind::blocked;
  if (!waits || pending_.empty()) {
    finish();
    return;
  }
  // A [BLOCKED] is a question from here on, and one that the agent has passed over is open again,
  // also for those who only see the events.
  std::vector<Asked> opened;
  for (const Asked& asked : pending_.all()) {
    if (asked.kind == QuestionKind::blocked || asked.passed_over) opened.push_back(asked);
  }
  for (const Asked& asked : opened) {
    with_payload(asked, QuestionState::open, {},
                 [this](const Question& question) { stream_.tell(question, wall_clock()); });
  }
  if (!agent_.can_be_answered()) {
    finish();
    return;
  }
  ask_next();
}

bool Session::wait_for_limit() {
  if (limit_waits_ >= kMostLimitWaits) return false;
  const RunSummary run = fold_.summary();
  const auto now = std::chrono::system_clock::now();
  seconds wait = kUnknownReset * (1U << limit_waits_);
  if (run.rate_limit.has_value() && run.rate_limit->resets_at.has_value()) {
    const auto reset = std::chrono::system_clock::time_point(seconds(*run.rate_limit->resets_at));
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
  Status status;
  status.activity = "waiting_limit";
  status.message = json::Text(std::string_view(message));
  const Extra resets{"resets_at", Raw{json}};
  stream_.tell(status, wall_clock(), std::span<const Extra>(&resets, 1));
  audience_.idle();
  waiting_.expires_after(wait + jitter);
  waiting_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled || finished_) return;
    if (session_id_.empty() || agent_.goes_on != GoesOn::by_session) {
      restart(agent_.start(plan_.request, plan_.locate));
      return;
    }
    Request again = plan_.request;
    again.prompt = "Go on where you were stopped.";
    restart(agent_.go_on(again, session_id_, {}, plan_.locate));
  });
  return true;
}

void Session::restart(Result<Launch> next) {
  Result<void> started = next ? launch(*next) : Result<void>(std::move(next).error());
  if (started) return;
  Failure failure;
  failure.code = "START";
  failure.message = json::Text(std::string_view(started.error().message));
  failure.reason = "agent_error";
  stream_.tell(failure, wall_clock());
  end_ = {};
  end_.exit_code = process::exit_code_of(started.error());
  finish();
}

// Where each start of the program begins and ends in the raw streams, for playing it again.
void Session::note_launch() {
  if (recording_.directory().empty()) return;
  std::string line;
  json::Writer w(line);
  w.begin_object();
  w.key("stdin").count(recording_.account(record::Channel::stdin_).seen);
  w.key("stdout").count(recording_.account(record::Channel::stdout_).seen);
  w.key("stderr").count(recording_.account(record::Channel::stderr_).seen);
  w.key("exit_code").integer(process::exit_code_of(outcome_.exit));
  w.end_object();
  starts_ += line + '\n';
  if (++ended_starts_ > 1) write_starts();
}

// Of a run with one start the whole recording is that start.
void Session::write_starts() {
  if (!starts_file_.is_open()) {
    starts_file_ = record::File::when_written(recording_.directory() / "starts.jsonl");
  }
  (void)starts_file_.append(std::exchange(starts_, {}));
}

// A file may be named after a secret.
std::optional<GitChanges> Session::changes_without_secrets() const {
  auto changes = plan_.changes ? plan_.changes() : std::nullopt;
  if (!changes) return std::nullopt;
  std::map<std::string, FileAction> files;
  for (const auto& [path, action] : changes->files)
    files.emplace(recording_.redacted(path), action);
  changes->files = std::move(files);
  return changes;
}

void Session::finish() {
  if (finished_) return;
  for (const auto& [id, what] : std::exchange(unasked_, {})) warn_of(what);
  const auto changes = changes_without_secrets();
  if (changes) fold_.see_changes(*changes);
  Ending ending;
  ending.run = fold_.summary();
  ending.end = end_;
  ending.verdict = judge(ending.run, end_);
  ending.exit_code = interrupted_ != 0 ? 128 + interrupted_ : ending.verdict.exit_code;
  ending.timeout = timeout_;
  ending.pending = pending_.all();
  ending.session_expired = expired_;
  ending.words = plan_.request.words;
  ending.secrets = plan_.request.secrets;
  ending.claims = check_claims(ending.run, plan_.request.cwd);
  for (const Claim& claim : ending.claims) {
    if (claim.state == ClaimState::there) continue;
    diagnose("claimed_only", Level::warning, fmt::format("{}: {}", claim.path, name(claim.state)));
  }
  if (timeout_.has_value()) {
    ending.last_output = recording_.last_output();
    ending.last_events = last_.lines();
  }
  record_verdict(ending, changes);
  finished_ = true;
  done_(std::move(ending));
}

void Session::record_verdict(const Ending& ending, const std::optional<GitChanges>& changes) {
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
  stream_.tell(finished, wall_clock(), extra);

  std::string document;
  append_json(document, ending.verdict, ending.run, Explained::yes);
  if (timeout_.has_value()) {
    document.pop_back();  // the brace that closes it
    document += fmt::format(R"(,"last_output":{},"last_events":{}}})", output, events);
  }
  recording_.verdict(document);
  record::ExitRecord exit;
  exit.how = outcome_.exit.how == process::Exit::How::exited   ? "exited"
             : outcome_.exit.how == process::Exit::How::signal ? "signal"
                                                               : "lost";
  exit.code = outcome_.exit.code;
  exit.wall = since_start();
  exit.cpu = outcome_.exit.cpu;
  exit.max_rss_bytes = outcome_.exit.max_rss_bytes;
  if (timeout_.has_value()) exit.timeout = process::name(timeout_->what.limit);
  exit.stopped = outcome_.stopped;
  exit.output_cut = outcome_.exit.output_cut;
  exit.survivors = outcome_.exit.survivors;
  recording_.exit(exit);
}

}  // namespace dragoman::agent
