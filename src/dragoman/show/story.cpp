// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/story.hpp"

#include <algorithm>
#include <functional>

#include "dragoman/base/path.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/show/telling_argument.hpp"
#include "dragoman/show/text_head.hpp"

namespace dragoman::show {
namespace {

std::string kept(std::string_view text) { return std::string(utf8::head(text, Story::kKeptText)); }

std::string kept(json::Text text) {
  std::string out;
  // Nothing is spelled in more than six bytes for each of its own.
  json::decode_to(out, cut(text, 6 * Story::kKeptText));
  out.resize(utf8::head(out, Story::kKeptText).size());
  return out;
}

bool starts_agents(std::string_view tool) { return tool == "Agent" || tool == "Task"; }

// Tells apart what one question was asked with.
std::size_t version_of(const Question& p) {
  std::string words;
  const auto add = [&words](std::string_view part) { words.append(part).push_back('\0'); };
  add(p.text);
  for (const Option& option : p.options) {
    add(option.label);
    add(option.description);
  }
  for (const std::string_view line : p.context) add(line);
  return std::hash<std::string>()(words);
}

double milliseconds_between(Timestamp from, Timestamp to) {
  return static_cast<double>((to - from).count());
}

// What came to the figures of a run since they were `before`; all of them where they began anew.
RunUsage share(const RunUsage& now, const RunUsage& before) {
  RunUsage share = now;
  share.tokens -= before.tokens;
  if (share.tokens.total_input < 0 || share.tokens.output < 0) share.tokens = now.tokens;
  if (!now.cost_usd.has_value() || !before.cost_usd.has_value()) return share;
  if (*now.cost_usd == *before.cost_usd) share.cost_usd.reset();
  if (*now.cost_usd > *before.cost_usd) share.cost_usd = *now.cost_usd - *before.cost_usd;
  return share;
}

}  // namespace

Story::Step Story::add(const Event& event) {
  Step step;
  if (event.ts.has_value()) {
    if (!begun_.has_value()) begun_ = event.ts;
    now_ = event.ts;
  }
  if (event.origin.parent.data() != nullptr) {
    step.agent = find_agent(event.origin.parent);
    step.depth = step.agent != nullptr ? step.agent->depth + 1 : 1;
  }
  std::visit(Overloaded{
                 [this](const SessionStarted& p) { add(p); },
                 [](const CommandStarted&) {},
                 [](const DisplayText&) {},
                 [](const Thinking&) {},
                 [&](const ToolStarted& p) { add(p, event, step); },
                 [&](const ToolFinished& p) { add(p, event, step); },
                 [this](const Status& p) { add(p); },
                 [&](const Question& p) { add(p, step); },
                 [this](const Blocked& p) { blocked_ = kept(p.reason); },
                 [](const FilesChanged&) {},
                 [](const NextAction&) {},
                 [](const Failure&) {},
                 [&](const Usage& p) { add(p, event.origin.dialect); },
                 [](const RateLimited&) {},
                 [](const CompletionClaimed&) {},
                 [&](const TurnFinished& p) {
                   activity_.clear();
                   if (p.duration_ms.has_value()) step.duration_ms = p.duration_ms->real;
                 },
                 [&](const Finished&) {
                   activity_.clear();
                   if (begun_.has_value() && event.ts.has_value()) {
                     step.duration_ms = milliseconds_between(*begun_, *event.ts);
                   }
                 },
                 [](const ArtifactUpdated&) {},
                 [](const ServerReady&) {},
                 [](const GoTo&) {},
                 [](const ContextRequest&) {},
                 [](const TestResults&) {},
                 [](const LintWarnings&) {},
                 [](const DependencyNeeded&) {},
                 [](const CommitSuggestion&) {},
                 [](const QuotedMarker&) {},
                 [](const Malformed&) {},
                 [](const Oversize&) {},
                 [](const Unknown&) {},
                 [](const Diagnostic&) {},
             },
             event.payload);
  return step;
}

const ToolCall* Story::find_agent(std::string_view id) {
  key_.assign(id);
  const auto open = open_by_id_.find(key_);
  if (open != open_by_id_.end()) return &*open->second;
  const auto ended = std::find_if(ended_agents_.rbegin(), ended_agents_.rend(),
                                  [&](const ToolCall& call) { return call.id == id; });
  return ended != ended_agents_.rend() ? &*ended : nullptr;
}

void Story::add(const SessionStarted& p) {
  if (!p.session_id.empty()) session_id_ = kept(p.session_id);
  if (!p.model.empty()) model_ = kept(p.model);
  if (!p.cwd.empty()) cwd_ = kept(p.cwd);
}

void Story::add(const ToolStarted& p, const Event& event, Step& step) {
  key_.assign(p.id);
  if (const auto known = open_by_id_.find(key_); known != open_by_id_.end()) {
    step.call = &*known->second;
    step.repeats = true;
    return;
  }
  ToolCall call;
  call.number = ++calls_;
  call.id = key_;
  call.tool = kept(p.tool);
  call.description = kept(p.description);
  if (!p.command.absent()) {
    call.detail = kept(p.command);
    call.detail_kind = ToolCall::DetailKind::command;
  } else if (!p.file.empty()) {
    call.detail = kept(path_within(cwd_, p.file));
    call.detail_kind = ToolCall::DetailKind::file;
  } else if (!p.mcp_tool.empty()) {
    call.detail = kept(p.mcp_tool);
    call.detail_kind = ToolCall::DetailKind::mcp_tool;
  } else if (const json::Text argument = telling_argument(p.input); !argument.absent()) {
    call.detail = kept(argument);
    call.detail_kind = ToolCall::DetailKind::argument;
  }
  call.parent = kept(event.origin.parent);
  call.depth = step.depth;
  call.started = event.ts;
  if (open_.size() >= kKeptOpen) {
    open_by_id_.erase(open_.front().id);
    open_.pop_front();
  }
  open_.push_back(std::move(call));
  open_by_id_.emplace(key_, std::prev(open_.end()));
  step.call = &open_.back();
}

void Story::add(const ToolFinished& p, const Event& event, Step& step) {
  if (p.duration_ms.has_value()) step.duration_ms = p.duration_ms->real;
  key_.assign(p.id);
  const auto known = open_by_id_.find(key_);
  if (known == open_by_id_.end()) return;
  const auto call = known->second;
  open_by_id_.erase(known);
  // A line that tells of both does not say how long it took.
  if (!step.duration_ms.has_value() && call->started.has_value() && event.ts.has_value() &&
      *event.ts != *call->started) {
    step.duration_ms = milliseconds_between(*call->started, *event.ts);
  }
  if (starts_agents(call->tool)) {
    // What runs behind its back may speak after the call has ended.
    ended_agents_.splice(ended_agents_.end(), open_, call);
    if (ended_agents_.size() > kKeptOpen) ended_agents_.pop_front();
    step.call = &ended_agents_.back();
    return;
  }
  ended_ = std::move(*call);
  open_.erase(call);
  step.call = &ended_;
}

void Story::add(const Status& p) {
  if (p.activity.data() != nullptr && !p.steps.has_value()) {
    activity_ = p.message.absent() ? kept(p.activity) : kept(p.message);
    return;
  }
  if (p.status.data() == nullptr && p.message.absent() && !p.steps.has_value()) return;
  Progress next;
  next.status = p.status.empty() ? "in_progress" : kept(p.status);
  next.message = kept(p.message);
  if (p.progress.has_value()) {
    next.percent = std::clamp(p.progress->real, 0.0, 100.0);
  } else if (p.steps.has_value() && p.steps->total > 0) {
    next.percent =
        std::clamp(100.0 * static_cast<double>(p.steps->done) / static_cast<double>(p.steps->total),
                   0.0, 100.0);
  } else if (next.status == "completed") {
    next.percent = 100;
  } else if (progress_.has_value()) {
    next.percent = progress_->percent;  // a message alone does not say that work was undone
  }
  progress_ = std::move(next);
}

void Story::add(const Usage& p, Dialect dialect) {
  usage_.add(p, session_id_,
             dialect == Dialect::claude ? UsageFold::CachedInput::apart
                                        : UsageFold::CachedInput::included);
  if (!p.final) return;
  const RunUsage now = usage_.total();
  turn_usage_ = share(now, usage_before_);
  usage_before_ = now;
}

void Story::add(const Question& p, Step& step) {
  const auto known = std::find_if(questions_.begin(), questions_.end(),
                                  [&](const OpenQuestion& q) { return q.id == p.id; });
  const auto version = versions_.begin() + (known - questions_.begin());
  const bool pending = p.state == QuestionState::open || p.state == QuestionState::unanswered;
  const auto settled = std::find(settled_.begin(), settled_.end(), p.id);
  if (!pending) {
    step.repeats = settled != settled_.end();
    if (!step.repeats) settled_.push_back(kept(p.id));
    if (settled_.size() > kKeptOpen) settled_.erase(settled_.begin());
    if (known == questions_.end()) return;
    questions_.erase(known);
    versions_.erase(version);
    return;
  }
  if (settled != settled_.end()) settled_.erase(settled);  // another question under the same id
  if (known != questions_.end()) {
    step.repeats = true;
    step.changed = !p.text.empty() && *version != version_of(p);
    if (!step.changed) return;
    *version = version_of(p);
    known->text = kept(p.text);
    if (!p.header.empty()) known->header = kept(p.header);
    return;
  }
  // The run asks what the marker has told already.
  step.repeats = p.kind == QuestionKind::blocked && !blocked_.empty() && kept(p.text) == blocked_;
  if (questions_.size() >= kKeptOpen) {
    questions_.erase(questions_.begin());
    versions_.erase(versions_.begin());
  }
  questions_.push_back({kept(p.id), kept(p.header), kept(p.text)});
  versions_.push_back(version_of(p));
}

}  // namespace dragoman::show
