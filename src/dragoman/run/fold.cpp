// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/fold.hpp"

#include <algorithm>

#include "dragoman/base/arena.hpp"
#include "dragoman/base/path.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/event/permission.hpp"
#include "dragoman/event/program_note.hpp"
#include "dragoman/event/structured.hpp"
#include "dragoman/event/update.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman {
namespace {

std::string kept(std::string_view text, std::size_t bytes = RunSummary::kKeptText) {
  return std::string(utf8::head(text, bytes));
}

std::string kept(json::Text text, std::size_t bytes = RunSummary::kKeptText) {
  if (!text.escaped) return kept(text.bytes, bytes);
  std::string out;
  json::decode_to(out, text);
  out.resize(utf8::head(out, bytes).size());
  return out;
}

std::optional<double> real(const std::optional<Number>& number) {
  if (!number.has_value()) return std::nullopt;
  return number->real;
}

void add_once(std::vector<std::string>& list, std::string_view item) {
  if (item.empty() || std::find(list.begin(), list.end(), item) != list.end()) return;
  if (list.size() < 64) list.emplace_back(item);
}

// Why a turn failed, in one word that a script can test.
std::string_view reason_of(const Failure& failure) {
  if (!failure.reason.empty()) return failure.reason;
  if (failure.code == "429") return "rate_limit";
  if (failure.code == "529") return "overloaded";
  return failure.code;
}

bool has_ended(std::string_view task_status) {
  return task_status == "completed" || task_status == "failed" || task_status == "killed" ||
         task_status == "stopped" || task_status == "cancelled";
}

// The words of the specification. Others are told as they came, but where they leave the task
// nobody knows.
bool is_status_word(std::string_view status) {
  return status == "pending" || status == "in_progress" || status == "completed" ||
         status == "failed" || status == "paused";
}

// The ids in a list of tasks; none when the value is no such list.
std::vector<std::string_view> task_ids(std::string_view list, Arena& arena) {
  std::vector<std::string_view> ids;
  json::Cursor cursor(list);
  for (json::Elements elements(cursor); elements.next();) {
    if (!cursor.next_is(json::Kind::object)) {
      cursor.skip();
      continue;
    }
    std::string_view key;
    for (json::Members members(cursor); members.next(key);) {
      const bool wanted = key == "task_id";
      const json::Value value = cursor.take();
      if (wanted && value.is(json::Kind::string)) ids.push_back(json::decode(value.text(), arena));
    }
  }
  return ids;
}

bool is_users_words(const Event& event) {
  const auto* const text = event.as<DisplayText>();
  return text != nullptr && event.origin.channel == Channel::user &&
         !is_program_note(kept(text->text, 256));
}

bool begins_a_turn(const Event& event) {
  if (event.partial || !event.origin.parent.empty()) return false;
  if (const auto* const status = event.as<Status>()) {
    return status->activity == "turn_started" || status->activity == "execution_ack";
  }
  if (event.origin.channel == Channel::user) return is_users_words(event);
  return event.origin.channel == Channel::assistant_text || event.as<Thinking>() != nullptr ||
         event.as<ToolStarted>() != nullptr;
}

bool is_finding(Kind kind) { return kind >= Kind::quoted_marker; }

// Plain text rises in this order, by what was really said in it.
int rank(Dialect dialect) {
  switch (dialect) {
    case Dialect::text:
      return 0;
    case Dialect::question:
      return 1;
    case Dialect::markers:
      return 2;
    case Dialect::wxcode:
      return 3;
    case Dialect::claude:
    case Dialect::codex:
    case Dialect::delegator:
      return 4;
  }
  return 0;
}

}  // namespace

RunFold::RunFold(std::optional<Dialect> known) : dialect_known_(known.has_value()) {
  if (known.has_value()) summary_.dialect = *known;
}

void RunFold::see_dialect(const Event& event) {
  if (dialect_known_) return;
  Dialect dialect = event.origin.via.value_or(event.origin.dialect);
  if (is_structured(dialect)) {
    dialect_known_ = true;
  } else if (event.kind() == Kind::text) {
    return;  // the label of the stream, which may have been given before anything was seen
  } else if (is_finding(event.kind())) {
    // Text that so much as mentions a bracket marker comes from an agent that was told to end with
    // one: there, going away quietly is no success.
    if (dialect != Dialect::markers) return;
  }
  if (rank(dialect) > rank(summary_.dialect)) summary_.dialect = dialect;
}

// Speech or work of the main thread behind the end of a turn belongs to another one, and so does
// the answer to a question: what it leads to is still to come.
void RunFold::see_turn(const Event& event) {
  if (begins_a_turn(event)) summary_.turns.another_began = summary_.turns.last.has_value();
  const auto* const asked = event.as<Question>();
  const bool answered =
      asked != nullptr && asked->state == QuestionState::answered &&
      (asked->kind == QuestionKind::blocked || asked->source == QuestionSource::comment ||
       asked->source == QuestionSource::marker);
  if (answered || is_users_words(event)) go_on();
  if (asked != nullptr && asked->state == QuestionState::answered &&
      asked->kind != QuestionKind::approval && event.origin.parent.empty()) {
    summary_.turns.another_began = summary_.turns.last.has_value();
  }
}

// What the agent claimed before it was told to go on is no end of what follows.
void RunFold::go_on() {
  summary_.earlier_claims = summary_.claims.size();
  summary_.earlier_status = summary_.status.has_value();
}

void RunFold::on_event(const Event& event) {
  see_dialect(event);
  see_turn(event);
  std::visit(
      Overloaded{
          [this](const SessionStarted& p) { fold(p); },
          [this](const CommandStarted& p) { fold(p); },
          [](const DisplayText&) {},
          [](const Thinking&) {},
          [this](const ToolStarted& p) { fold(p); },
          [this](const ToolFinished& p) { fold(p); },
          [this, &event](const Status& p) { fold(p, event); },
          [this](const Question& p) { fold(p); },
          [this, &event](const Blocked& p) { fold(p, event.origin); },
          [this](const FilesChanged& p) { fold(p); },
          [this](const NextAction& p) { fold(p); },
          [this, &event](const Failure& p) { fold(p, event); },
          [this, &event](const Usage& p) {
            usage_.add(p, summary_.session_id,
                       event.origin.dialect == Dialect::claude ? UsageFold::CachedInput::apart
                                                               : UsageFold::CachedInput::included);
          },
          [this](const RateLimited& p) { fold(p); },
          [this](const CompletionClaimed& p) {
            keep_item(summary_.claims, CompletionClaim{kept(p.by), p.iterations, kept(p.text)});
          },
          [this, &event](const TurnFinished& p) { fold(p, event); },
          [](const Finished&) {},  // a verdict is made from what happened, not from another verdict
          [](const ArtifactUpdated&) {},
          [](const ServerReady&) {},
          [](const GoTo&) {},
          [](const ContextRequest&) {},
          [this](const TestResults& p) {
            summary_.tests = TestCounts{p.passed, p.failed, p.skipped, kept(p.framework)};
          },
          [](const LintWarnings&) {},
          [](const DependencyNeeded&) {},
          [this](const CommitSuggestion& p) {
            summary_.commit_suggestion = SuggestedCommit{kept(p.subject), kept(p.body)};
          },
          [](const QuotedMarker&) {},
          [this](const Malformed& p) {
            ++summary_.malformed;
            if (p.reason == "truncated_tail") summary_.truncated_tail = true;
          },
          [](const Oversize&) {},
          [](const Unknown&) {},
          [this](const Diagnostic& p) { fold(p); },
      },
      event.payload);
}

void RunFold::fold(const SessionStarted& p) {
  if (!p.session_id.empty()) {
    // A session whose name comes late, behind its first words, has not been resumed by it.
    const bool again = !summary_.session_id.empty();
    summary_.session_id = kept(p.session_id);
    for (BlockedNote& note : summary_.blocked) note.resumed = note.resumed || again;
  }
  if (!p.model.empty()) summary_.model = kept(p.model);
  if (!p.cwd.empty()) summary_.cwd = kept(p.cwd);
}

void RunFold::fold(const CommandStarted& p) {
  summary_.command = CurrentCommand{kept(p.command), kept(p.args), kept(p.title)};
}

void RunFold::fold(const ToolStarted& p) {
  const std::uint64_t order = ++summary_.tools.started;
  if (open_tools_.size() >= RunSummary::kKeptItems) {
    ++summary_.left_out;
    return;
  }
  std::string id = kept(p.id);
  if (!open_tool_index_.emplace(id, order).second) return;  // reported a second time
  open_tools_.emplace(order, OpenTool{std::move(id), kept(p.tool), kept(p.description)});
}

void RunFold::fold(const ToolFinished& p) {
  switch (p.outcome) {
    case Outcome::ok:
      ++summary_.tools.ok;
      break;
    case Outcome::failed:
      ++summary_.tools.failed;
      break;
    case Outcome::denied:
      ++summary_.tools.denied;
      break;
    case Outcome::abandoned:
      ++summary_.tools.abandoned;
      break;
  }
  const auto open = open_tool_index_.find(std::string(p.id));
  if (open == open_tool_index_.end()) return;
  open_tools_.erase(open->second);
  open_tool_index_.erase(open);
}

void RunFold::fold(const Status& p, const Event& event) {
  if (p.activity.data() != nullptr) {
    fold_background(p, event);
    return;
  }
  if (p.status.empty()) return;
  const bool known = summary_.status.has_value() && is_status_word(summary_.status->status);
  if (known && !is_status_word(p.status)) return;
  summary_.status = CurrentStatus{kept(p.status), kept(p.message), real(p.progress),
                                  real(p.phase),  kept(p.plan),    kept(p.task)};
  summary_.earlier_status = false;
}

// Which tasks go on behind the agent's back: as long as there are any, a result is not the end.
void RunFold::fold_background(const Status& p, const Event& event) {
  auto& tasks = summary_.in_flight;
  const auto known = std::find(tasks.begin(), tasks.end(), p.task);
  if (p.activity == "task_started" && !p.task.empty()) {
    if (known == tasks.end()) keep_item(tasks, kept(p.task));
  } else if (p.activity == "task_notification" ||
             (p.activity == "task_updated" && has_ended(p.status))) {
    if (known != tasks.end()) tasks.erase(known);
  } else if (p.activity == "background_tasks_changed") {
    for (const Extra& extra : event.extra) {
      if (extra.key == "tasks") replace_in_flight(extra.value.json);
    }
  }
}

// The list is complete. One that names none of its tasks says only that there are some.
void RunFold::replace_in_flight(std::string_view list) {
  json::Cursor cursor(list);
  json::Elements elements(cursor);
  const bool some = elements.next();
  if (!cursor.ok()) return;
  Arena arena;
  const std::vector<std::string_view> ids = task_ids(list, arena);
  if (some && ids.empty()) return;
  summary_.in_flight.clear();
  for (const std::string_view id : ids) keep_item(summary_.in_flight, kept(id));
}

void RunFold::fold(const Question& p) {
  std::string id = kept(p.id);
  const auto known = question_index_.find(id);
  if (p.kind == QuestionKind::blocked && p.state == QuestionState::answered) {
    for (BlockedNote& note : summary_.blocked) note.resumed = true;
  }
  if (known == question_index_.end() && summary_.questions.size() >= RunSummary::kKeptItems) {
    ++summary_.left_out;
    return;
  }
  AskedQuestion question{id,           p.kind, p.state,    kept(p.header),
                         kept(p.text), {},     p.blocking, std::string()};
  for (const Option& option : p.options) keep_item(question.options, kept(option.label));
  if (!p.secret.value_or(false)) question.answer = kept(p.answer);
  if (const auto decision = decision_in(p)) question.decision = decision->grant;
  if (known == question_index_.end()) {
    question_index_.emplace(std::move(id), summary_.questions.size());
    summary_.questions.push_back(std::move(question));
    return;
  }
  AskedQuestion& before = summary_.questions[known->second];
  // An answer that comes alone names the question only by its id.
  if (question.text.empty()) question.text = before.text;
  if (question.header.empty()) question.header = before.header;
  if (question.options.empty()) question.options = before.options;
  before = std::move(question);
}

// A block that was given out early comes again when it has grown.
void RunFold::fold(const Blocked& p, const Origin& origin) {
  BlockedNote note{kept(p.reason), {}, false};
  for (const std::string_view line : p.context) keep_item(note.context, kept(line));
  const bool again = has_grown(blocked_at_, origin) && !summary_.blocked.empty() &&
                     !summary_.blocked.back().resumed;
  blocked_at_ = origin;
  blocked_at_.parent = {};  // not ours to keep
  if (again) {
    summary_.blocked.back() = std::move(note);
  } else {
    keep_item(summary_.blocked, std::move(note));
  }
}

std::string RunFold::relative(std::string_view path) const {
  return kept(path_within(summary_.cwd.empty() ? directory_ : summary_.cwd, path));
}

void RunFold::fold(const FilesChanged& p) {
  for (const FileChange& change : p.files) fold_file(change, p.claimed);
}

void RunFold::see_changes(const GitChanges& changes) {
  for (const auto& [path, action] : changes.files) {
    const auto known = file_index_.find(path);
    ChangedFile* const file = known == file_index_.end() ? nullptr : &summary_.files[known->second];
    if (file != nullptr && file->observed) continue;
    if (file != nullptr) file->action = FileAction::unknown;  // no more than a claim
    fold_file({.path = path, .action = action}, false);
  }
}

void RunFold::fold_file(const FileChange& change, bool claimed) {
  std::string path = relative(change.path);
  auto [entry, is_new] = file_index_.try_emplace(path, summary_.files.size());
  if (is_new) {
    if (summary_.files.size() >= RunSummary::kKeptItems) {
      file_index_.erase(entry);
      ++summary_.left_out;
      return;
    }
    summary_.files.push_back({std::move(path), FileAction::unknown, {}, {}, false, false});
  }
  ChangedFile& file = summary_.files[entry->second];
  // What was seen outweighs what was said; a new file that is edited afterwards is still new.
  const bool says_more =
      change.action != FileAction::unknown &&
      !(file.action == FileAction::created && !claimed && change.action == FileAction::modified) &&
      !(claimed && file.observed);
  if (says_more) file.action = change.action;
  if (!change.from.empty()) file.from = relative(change.from);
  if (!change.note.empty()) file.note = kept(change.note);
  (claimed ? file.claimed : file.observed) = true;
}

void RunFold::fold(const NextAction& p) {
  keep_item(summary_.next_actions,
            NextActionNote{kept(p.command), kept(p.args), kept(p.description),
                           p.priority.empty() ? "recommended" : kept(p.priority)});
}

void RunFold::fold(const Failure& p, const Event& event) {
  const bool reported = !is_structured(event.origin.dialect);
  keep_item(summary_.failures, FailureNote{kept(p.code), kept(p.message), p.recoverable,
                                           kept(p.suggestion), kept(p.reason), reported});
  if (reported) return;
  const bool of_last_turn =
      summary_.turns.last.has_value() && event.origin.offset == last_turn_offset_;
  add_once(of_last_turn ? summary_.turns.last->reasons : turn_reasons_, reason_of(p));
}

void RunFold::fold(const RateLimited& p) {
  RateLimitNote note{kept(p.status), kept(p.limit), std::nullopt, p.utilization, 1};
  if (p.resets_at.has_value()) note.resets_at = p.resets_at->whole();
  if (summary_.rate_limit.has_value()) note.times += summary_.rate_limit->times;
  summary_.rate_limit = std::move(note);
}

void RunFold::fold(const TurnFinished& p, const Event& event) {
  Turns& turns = summary_.turns;
  ++turns.finished;
  if (!p.ok) ++turns.failed;
  if (p.num_turns.has_value()) {
    turns.num_turns = __builtin_add_overflow(turns.num_turns, *p.num_turns, &turns.num_turns)
                          ? INT64_MAX
                          : turns.num_turns;
  }
  turns.duration_ms += real(p.duration_ms).value_or(0);
  turns.another_began = false;
  turns.last = FinishedTurn{
      p.ok, kept(p.subtype), kept(p.terminal_reason), kept(p.text, RunSummary::kKeptAnswer), {}};
  if (!p.ok) turns.last->reasons = turn_reasons_;
  turn_reasons_.clear();
  last_turn_offset_ = event.origin.offset;
}

void RunFold::fold(const Diagnostic& p) {
  if (p.level == Level::info || summary_.warnings.size() >= 256) return;
  ++summary_.warnings[std::string(p.rule)];
}

RunSummary RunFold::summary() const {
  RunSummary summary = summary_;
  for (const auto& [order, tool] : open_tools_) summary.open_tools.push_back(tool);
  summary.usage = usage_.total();
  summary.open_reasons = turn_reasons_;
  return summary;
}

}  // namespace dragoman
