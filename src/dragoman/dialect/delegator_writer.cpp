// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/delegator_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "dragoman/base/cut.hpp"
#include "dragoman/base/saturating.hpp"
#include "dragoman/base/sha256.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/line_value.hpp"
#include "dragoman/dialect/question_ids.hpp"
#include "dragoman/dialect/question_payload.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

using std::string_view;

constexpr std::size_t kMaxOutput = 65536;
constexpr std::size_t kMaxFailedTests = 50;

bool is_task_id(string_view id) {
  return (id.starts_with("T-local-") || id.starts_with("T-cloud-")) && id.size() >= 11 &&
         id.size() <= 72 && std::ranges::all_of(id, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                  c == '-';
         });
}

// "2024-01-31T10:05:22Z"
std::string seconds_of(Timestamp ts) {
  std::string out;
  append_timestamp(out, std::chrono::floor<std::chrono::seconds>(ts));
  return out.substr(0, out.find('.')) + "Z";
}

std::string counted(std::size_t n, string_view verb, string_view noun) {
  return fmt::format("{} {} {}{}", verb, n, noun, n == 1 ? "" : "s");
}

void put_list(json::Writer& w, string_view key, const std::set<std::string>& items) {
  w.key(key).begin_array();
  for (const std::string& item : items) w.string(item);
  w.end_array();
}

std::string uuid_from(string_view content) {
  std::string hex = sha256_hex(content, 32);
  hex[12] = '4';
  hex[16] = "89ab"[static_cast<unsigned char>(hex[16]) % 4];
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20));
}

std::string extra_text(const Event& event, string_view key) {
  const auto found = std::ranges::find(event.extra, key, &Extra::key);
  if (found == event.extra.end()) return {};
  const string_view json = found->value.json;
  if (json.size() < 2 || json.front() != '"') return {};
  return json::Text(json.substr(1, json.size() - 2), true).str();
}

}  // namespace

Result<Written> DelegatorWriter::write(const Event& event, std::string& /*out*/) {
  ++events_;
  if (event.ts) {
    if (!first_) first_ = event.ts;
    last_ = event.ts;
  }
  if (std::string id = extra_text(event, "task_id"); is_task_id(id)) task_id_ = std::move(id);
  if (const auto* p = event.as<SessionStarted>()) {
    const bool again = !thread_id_.empty();
    thread_id_ = p->session_id;
    if (again && !thread_id_.empty()) blocked_.reset();  // resumed
  } else if (const auto* text = event.as<DisplayText>()) {
    const bool agents =
        event.origin.channel == Channel::assistant_text || event.origin.channel == Channel::stdout_;
    if (!agents && event.origin.channel != Channel::tool_result) return Written::no;
    if (agents) last_words_ = text->text.str();
    note_text(text->text.str());
  } else if (const auto* tool = event.as<ToolFinished>()) {
    note_text(tool->output.absent() ? tool->error.str() : tool->output.str());
  } else if (const auto* files = event.as<FilesChanged>()) {
    // file_operations says what happened; the envelope has no place for what was only claimed.
    if (files->claimed) return Written::no;
    for (const FileChange& file : files->files) note_file(file);
  } else if (const auto* tests = event.as<TestResults>()) {
    tests_ = TestResults{tests->passed, tests->failed, tests->skipped, {}, {}, {}};
    failed_tests_.clear();
    for (const TestCase& test : tests->tests) {
      if (test.status == "failed") failed_tests_.emplace_back(test.name);
    }
  } else if (const auto* usage = event.as<Usage>()) {
    if (usage->scope == UsageScope::message) return Written::no;
    note_usage(*usage, event);
  } else if (const auto* turn = event.as<TurnFinished>()) {
    note_turn(*turn, event);
  } else if (const auto* failure = event.as<Failure>()) {
    note_failure(*failure, event);
  } else if (const auto* finished = event.as<Finished>()) {
    note_end(*finished);
  } else if (const auto* question = event.as<Question>()) {
    return note_question(*question, event);
  } else if (const auto* status = event.as<Status>()) {
    return note_status(*status);
  } else if (const auto* blocked = event.as<Blocked>()) {
    note_blocked(*blocked);
  } else {
    return Written::no;
  }
  return Written::yes;
}

void DelegatorWriter::note_text(string_view text) {
  if (text.empty()) return;
  if (!output_.empty() && !output_.ends_with('\n')) output_.push_back('\n');
  utf8::append_repaired(output_, text);
}

void DelegatorWriter::note_file(const FileChange& file) {
  const std::string path(file.path);
  switch (file.action) {
    case FileAction::created:
      added_.insert(path);
      return;
    case FileAction::renamed:
      if (!file.from.empty()) deleted_.emplace(file.from);
      added_.insert(path);
      return;
    case FileAction::deleted:  // what was not there before is in no list
      modified_.erase(path);
      if (added_.erase(path) == 0) deleted_.insert(path);
      return;
    case FileAction::modified:
    case FileAction::unknown:  // created, then modified: still new
      if (!added_.contains(path)) modified_.insert(path);
      return;
  }
}

// Claude counts cached input apart, Codex and the envelopes as a part of the input.
void DelegatorWriter::note_usage(const Usage& usage, const Event& event) {
  const std::int64_t cached = usage.cached_input_tokens.value_or(0);
  std::int64_t input = usage.input_tokens.value_or(0);
  if (event.origin.dialect == Dialect::claude) {
    input = saturating_add(input, cached);
    input = saturating_add(input, usage.cache_write_tokens.value_or(0));
  }
  const bool adds = usage.scope == UsageScope::turn;
  tokens_ = {true, saturating_add(adds ? tokens_.input : 0, input),
             saturating_add(adds ? tokens_.cached : 0, cached),
             saturating_add(adds ? tokens_.output : 0, usage.output_tokens.value_or(0))};
}

void DelegatorWriter::note_turn(const TurnFinished& turn, const Event& event) {
  turn_ok_ = turn.ok;
  problem_.reset();
  if (turn.duration_ms) duration_ms_ += std::max(0.0, turn.duration_ms->real);
  if (event.origin.dialect == Dialect::delegator) {
    turn_state_ = turn.subtype;
    turn_summary_ = turn.text.str();
  } else if (!turn.ok) {
    problem_ = Problem{turn.text.str(), std::string(turn.terminal_reason), {}};
  }
}

void DelegatorWriter::note_failure(const Failure& failure, const Event& event) {
  std::string type;
  if (event.origin.dialect == Dialect::delegator) type = extra_text(event, "error_type");
  if (type.empty()) type = failure.reason.empty() ? failure.code : failure.reason;
  problem_ = Problem{failure.message.str(), std::move(type), std::string(failure.suggestion)};
}

Written DelegatorWriter::note_status(const Status& status) {
  if (status.activity.data() == nullptr && !status.status.empty()) {
    paused_.reset();
    if (status.status == "paused") paused_ = status.message.str();
    // What went wrong before it was mended, says the agent.
    if (status.status == "completed") problem_.reset();
  }
  if (is_task_id(status.task)) {
    note_task(status);
    return Written::yes;
  }
  return paused_ ? Written::yes : Written::no;
}

// A task that an envelope said is still running.
void DelegatorWriter::note_task(const Status& status) {
  task_id_ = status.task;
  if (status.activity != "result_set" && status.activity != "wait_result") return;
  turn_state_ = status.status;
  turn_summary_ = status.message.str();
}

void DelegatorWriter::note_end(const Finished& finished) {
  constexpr std::array<std::array<string_view, 2>, 7> kStates = {{
      {"completed", "completed"},
      {"failed", "failed"},
      {"incomplete", "failed"},
      {"timeout", "timeout"},
      {"cancelled", "cancelled"},
      {"question", "working"},
      {"blocked", "working"},
  }};
  for (const auto& [verdict, state_name] : kStates) {
    if (finished.verdict == verdict) end_state_ = state_name;
  }
}

Written DelegatorWriter::note_question(const Question& question, const Event& event) {
  const bool waits =
      question.state == QuestionState::open || question.state == QuestionState::unanswered;
  const std::string id(question.id.empty() ? question.text : question.id);
  // A supervisor asks in the name of the block, or the user has answered it; that says it all.
  if (question.kind == QuestionKind::blocked) blocked_.reset();
  if (!waits) {
    questions_.erase(id);
    return Written::yes;
  }
  std::string& json = questions_[id];
  json.clear();
  append_data(json, event);
  return Written::yes;
}

// Somebody has to answer it like a question, and that is how an envelope has it.
void DelegatorWriter::note_blocked(const Blocked& blocked) {
  const std::string id = QuestionIds().next(QuestionSource::marker, blocked.reason);
  Event asked;
  asked.payload = question_of(blocked, id);
  blocked_.emplace();
  append_data(*blocked_, asked);
}

// First what the supervisor says, then what the agent's program says. Claims alone end nothing. It
// is the verdict of the run: incomplete is failed, a question or a block goes on.
std::string DelegatorWriter::state() const {
  constexpr std::array<string_view, 6> kStates = {"queued", "working",   "completed",
                                                  "failed", "cancelled", "timeout"};
  if (!end_state_.empty()) return end_state_;
  if (std::ranges::find(kStates, turn_state_) != kStates.end()) return turn_state_;
  if (turn_ok_ == false) return "failed";
  if (!questions_.empty() || blocked_.has_value()) return "working";
  return turn_ok_ == true && !paused_ ? "completed" : "failed";
}

DelegatorWriter::Problem DelegatorWriter::problem() const {
  if (problem_) return *problem_;
  if (!paused_) return {"Nothing says how the run ended", "incomplete", {}};
  return {
      paused_->empty() ? "The agent paused" : "The agent paused: " + *paused_, "incomplete", {}};
}

std::string DelegatorWriter::summary(string_view state) const {
  if (!turn_summary_.empty()) return turn_summary_;
  if (state == "working") return fmt::format("Task is still running ({} s)", seconds());
  if (state == "cancelled") return "Task cancelled";
  if (state != "completed") {
    const std::string why = problem_ || paused_ ? on_one_line(problem().message) : "";
    return "Task failed: " + (why.empty() ? "nothing says how the run ended" : shortened(why, 120));
  }
  std::string files;
  const auto add = [&files](std::size_t n, string_view verb) {
    if (n == 0) return;
    if (!files.empty()) files += ", ";
    files += counted(n, verb, "file");
  };
  add(modified_.size(), "modified");
  add(added_.size(), "added");
  add(deleted_.size(), "deleted");
  if (!files.empty()) files[0] = static_cast<char>(files[0] - 'a' + 'A');
  if (tests_) {
    if (!files.empty()) files += "; ";
    files += fmt::format("{} test{} passed", tests_->passed, tests_->passed == 1 ? "" : "s");
    if (tests_->failed > 0) {
      files += fmt::format(", {} test{} failed", tests_->failed, tests_->failed == 1 ? "" : "s");
    }
  }
  if (!files.empty()) return files;
  const string_view words = trimmed(last_words_);
  const std::string first = on_one_line(words.substr(0, words.find('\n')));
  return first.empty() ? "Task completed successfully" : shortened(first, 120);
}

std::int64_t DelegatorWriter::seconds() const {
  constexpr double kLongest = 1e15;  // what agents say of time is a double without any bound
  if (duration_ms_ > 0) return static_cast<std::int64_t>(std::min(duration_ms_ / 1000, kLongest));
  if (!first_ || !last_ || *last_ < *first_) return 0;
  return std::chrono::duration_cast<std::chrono::seconds>(*last_ - *first_).count();
}

std::string DelegatorWriter::stamp() const {
  return seconds_of(options_.now.value_or(last_.value_or(Timestamp{})));
}

void DelegatorWriter::put_metadata(std::string& out, string_view state) const {
  json::Writer w(out);
  w.begin_object().key("duration").integer(seconds());
  w.key("file_operations").begin_object();
  put_list(w, "modified_files", modified_);
  put_list(w, "added_files", added_);
  put_list(w, "deleted_files", deleted_);
  w.key("lines_changed").integer(0).end_object();
  if (tests_) {
    w.key("test_results").begin_object().key("passed").integer(tests_->passed);
    w.key("failed").integer(tests_->failed).key("skipped").integer(tests_->skipped);
    w.key("failed_tests").begin_array();
    for (std::size_t i = 0; i < std::min(failed_tests_.size(), kMaxFailedTests); ++i) {
      w.string(failed_tests_[i]);
    }
    w.end_array().end_object();
  }
  if (!thread_id_.empty() || tokens_.known) {
    w.key("thread_info").begin_object();
    if (!thread_id_.empty()) w.key("thread_id").string(thread_id_);
    if (tokens_.known) {
      if (tokens_.input > 0) {
        const double rate =
            static_cast<double>(tokens_.cached) / static_cast<double>(tokens_.input);
        w.key("cache_hit_rate").real(std::clamp(std::round(rate * 100) / 100, 0.0, 1.0));
      }
      w.key("token_usage").begin_object().key("input_tokens").integer(tokens_.input);
      w.key("cached_input_tokens").integer(tokens_.cached);
      w.key("output_tokens").integer(tokens_.output).end_object();
    }
    w.end_object();
  }
  w.key("error_context");
  if (state == "failed" || state == "timeout") {
    const Problem why = problem();
    w.begin_object().key("error_message").string(why.message);
    w.key("error_type").string(why.type.empty() ? "agent_error" : why.type);
    w.key("failed_files").begin_array().end_array();
    w.key("error_locations").begin_array().end_array();
    w.key("suggestions").begin_array();
    if (!why.suggestion.empty()) w.string(why.suggestion);
    w.end_array().end_object();
  } else {
    w.null();
  }
  w.key("task_status").string(state).end_object();
}

void DelegatorWriter::put_output(std::string& out) const {
  const bool cut = output_.size() > kMaxOutput;
  json::Writer w(out);
  w.begin_object().key("included").boolean(true);
  w.key("stdout").string(cut_middle(output_, kMaxOutput));
  w.key("stderr").string("").key("truncated").boolean(cut);
  w.key("max_bytes").integer(kMaxOutput);
  if (cut) w.key("original_size").count(output_.size());
  w.end_object();
}

void DelegatorWriter::put_data(std::string& out, string_view state) const {
  const std::string task_id =
      task_id_.empty() ? "T-local-" + sha256_hex(thread_id_ + output_, 16) : task_id_;
  json::Writer w(out);
  w.begin_object().key("task_id").string(task_id).key("state").string(state);
  w.key("summary").string(summary(state)).key("duration_seconds").integer(seconds());
  if (state != "working" && state != "queued") w.key("completed_ts").string(stamp());
  std::string part;
  put_metadata(part, state);
  w.key("metadata").raw(Raw{part});
  part.clear();
  put_output(part);
  w.key("output").raw(Raw{part});
  w.key("events").begin_object().key("included").boolean(false).key("count").count(events_);
  w.key("reason").string("Events excluded by default (use include_events=true)").end_object();
  if (!questions_.empty() || blocked_.has_value()) {
    w.key("pending_questions").begin_array();
    for (const auto& [id, question] : questions_) w.raw(Raw{question});
    if (blocked_.has_value()) w.raw(Raw{*blocked_});
    w.end_array();
  }
  w.end_object();
}

void DelegatorWriter::finish(std::string& out) {
  if (events_ == 0) return;
  std::string data;
  put_data(data, state());
  json::Writer w(out);
  w.begin_object().key("version").string("3.6");
  w.key("schema_id").string("codex/v3.6/result_set/v1").key("tool").string("_codex_local_results");
  w.key("tool_category").string("result_set").key("request_id").string(uuid_from(data));
  w.key("ts").string(stamp()).key("status").string("ok");
  w.key("meta").begin_object().key("count").integer(1).end_object();
  w.key("data").raw(Raw{data}).end_object();
  out.push_back('\n');
}

}  // namespace dragoman
