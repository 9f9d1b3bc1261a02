// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/page_renderer.hpp"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dragoman/run/fold.hpp"
#include "dragoman/run/verdict.hpp"
#include "dragoman/show/last_block.hpp"
#include "dragoman/show/news.hpp"
#include "dragoman/show/said.hpp"
#include "dragoman/show/todo.hpp"

namespace dragoman::show {
namespace {

// What one agent says and does: the main one's lane goes straight to the page, that of a running
// subagent waits for the end of its tool.
struct Lane {
  Speech speech;
  std::string who;      // the subagent's task
  std::string waiting;  // already written, for the page
  std::string notes;    // about what is being said: they follow it
};

// What the reader noticed in the middle of a sentence does not end the sentence.
bool comments_on_speech(Kind kind) {
  return kind == Kind::quoted_marker || kind == Kind::diagnostic || kind == Kind::usage;
}

class PageRun {
 public:
  // More than this of a subagent does not wait for its end.
  static constexpr std::size_t kMaxWaiting = 256 * 1024;
  static constexpr std::size_t kMaxInput = 4096;
  static constexpr std::size_t kMaxLanes = 256;

  PageRun(PageWriter& writer, Detail detail) : writer_(writer), detail_(detail) {}

  // A block may come again with more lines: of its versions the last one is shown, when something
  // else follows.
  void add(const Event& event, std::string& out) {
    if (held_.before(event) == nullptr) release(out);
    if (may_grow(event)) {
      held_.keep(event);
    } else {
      show(event, out);
    }
  }

  void end(std::string& out) {
    release(out);
    end_lanes(out);
    end_tools(out);
    close_group(out);
    end_run(out);
  }

  // Ends the frame of a subagent; another one, or another run, comes next.
  void close_group(std::string& out) {
    if (group_ != 0) writer_.subagent_end(out);
    group_ = 0;
  }

 private:
  void release(std::string& out) {
    if (!held_.event().has_value()) return;
    show(*held_.event(), out);
    held_.clear();
  }

  void show(const Event& event, std::string& out) {
    const Story::Step step = story_.add(event);
    said_.add(event);
    fold_.on_event(event);
    if (const auto* const end = event.as<Finished>()) see_end(*end);
    if (step.duration_ms && event.as<TurnFinished>() != nullptr) turn_ms_ += *step.duration_ms;
    const std::uint64_t agent = step.agent != nullptr ? step.agent->number : 0;
    if (speaking_ != agent) end_speech(out);
    speaking_ = agent;
    Lane& lane = lane_of(agent);
    std::string piece;
    const auto put = [&](const Spoken& spoken) { speak(piece, spoken); };
    if (!lane.speech.add(event, put)) {
      if (comments_on_speech(event.kind())) {
        put_event(lane.notes, event, step);
      } else {
        lane.speech.flush(put);
        piece.append(std::exchange(lane.notes, {}));
        put_event(piece, event, step);
        if (detail_ != Detail::verbose) lane.speech.shown(event);
      }
    }
    if (step.agent != nullptr && lane.who.empty()) lane.who = step.agent->description;
    deliver(lane.who, agent, piece, out);
  }

  void end_lanes(std::string& out) {
    for (auto& [agent, lane] : lanes_) {
      std::string piece = std::exchange(lane.waiting, {});
      lane.speech.finish([&](const Spoken& spoken) { speak(piece, spoken); });
      piece.append(std::exchange(lane.notes, {}));
      write(agent, lane.who, piece, out);
    }
  }

  void end_tools(std::string& out) {
    std::string piece;
    for (const ToolCall& call : story_.open_tools()) {
      const auto input = inputs_.find(call.number);
      writer_.tool(piece, {.call = &call,
                           .finished = nullptr,
                           .duration_ms = std::nullopt,
                           .input = input != inputs_.end() ? input->second : "",
                           .inside = {}});
    }
    write(0, "", piece, out);
  }

  void end_run(std::string& out) {
    const RunSummary run = fold_.summary();
    if (!finished_) {
      const Verdict verdict = judge(run, {});
      end_.verdict = name(verdict.kind);
      end_.reasons = verdict.reasons();
    }
    if (story_.begun() && story_.now() && *story_.now() > *story_.begun()) {
      end_.duration_ms = static_cast<double>((*story_.now() - *story_.begun()).count());
    } else if (turn_ms_ > 0) {
      end_.duration_ms = turn_ms_;
    }
    writer_.end(out, run, end_);
  }

  // One agent speaks at a time: when another one does something, what was said is complete.
  void end_speech(std::string& out) {
    const auto found = lanes_.find(speaking_);
    if (found == lanes_.end()) return;
    std::string piece;
    found->second.speech.flush([&](const Spoken& spoken) { speak(piece, spoken); });
    piece.append(std::exchange(found->second.notes, {}));
    deliver(found->second.who, speaking_, piece, out);
  }

  Lane& lane_of(std::uint64_t agent) {
    // Endless subagents share the main lane rather than memory.
    if (lanes_.size() >= kMaxLanes && lanes_.find(agent) == lanes_.end()) return lanes_[0];
    return lanes_[agent];
  }

  void see_end(const Finished& end) {
    finished_ = true;
    end_.verdict = end.verdict;
    for (const std::string_view reason : end.reasons) end_.reasons.emplace_back(reason);
    if (end.exit_code) end_.reasons.push_back("exit code " + std::to_string(*end.exit_code));
    if (!end.signal.empty()) end_.reasons.push_back("signal " + std::string(end.signal));
  }

  bool is_running(std::uint64_t agent) const {
    for (const ToolCall& call : story_.open_tools()) {
      if (call.number == agent) return true;
    }
    return false;
  }

  // A piece of an agent's lane: into the page, or to where it waits.
  void deliver(const std::string& who, std::uint64_t number, const std::string& piece,
               std::string& out) {
    if (piece.empty()) return;
    if (number == 0 || !writer_.nests() || !is_running(number)) {
      write(number, who, piece, out);
      return;
    }
    Lane& lane = lane_of(number);
    lane.waiting.append(piece);
    if (lane.waiting.size() > kMaxWaiting) {
      write(number, who, std::exchange(lane.waiting, {}), out);
    }
  }

  // Pieces of the same subagent that follow each other share one frame.
  void write(std::uint64_t agent, std::string_view who, const std::string& piece,
             std::string& out) {
    if (piece.empty()) return;
    if (group_ != agent) {
      close_group(out);
      if (agent != 0) {
        writer_.subagent_start(out, who);
      }
      group_ = agent;
    }
    out.append(piece);
  }

  // A block that is asked has its card already.
  void put_question(std::string& out, const Question& p, const Story::Step& step) {
    const bool open = p.state == QuestionState::open || p.state == QuestionState::unanswered;
    if (p.kind == QuestionKind::blocked && open && step.repeats && !step.changed) return;
    writer_.question(out, p);
  }

  [[nodiscard]] bool is_left_out(const ToolFinished& p) const {
    return detail_ == Detail::quiet && p.outcome == Outcome::ok;
  }

  void speak(std::string& out, const Spoken& spoken) {
    if (detail_ == Detail::quiet && spoken.manner == Manner::thinking) return;
    writer_.spoken(out, spoken);
  }

  void put_event(std::string& out, const Event& event, const Story::Step& step) {
    // A tool may have a subagent's words in it, and a turn the answer.
    const bool holds_words =
        event.kind() == Kind::tool_finished || event.kind() == Kind::turn_finished;
    if (detail_ == Detail::quiet && !holds_words && is_good_news(event)) return;
    std::visit(Overloaded{
                   [&](const SessionStarted& p) { writer_.session(out, p); },
                   [&](const CommandStarted& p) { writer_.header(out, p); },
                   [&](const ToolStarted& p) { keep_input(p, step); },
                   [&](const ToolFinished& p) { put_tool(out, p, step); },
                   [&](const Status& p) {
                     put_status(out, p);
                     put_todo(out, todo_list(event));
                   },
                   [&](const Question& p) { put_question(out, p, step); },
                   [&](const NextAction& p) { writer_.next_action(out, p); },
                   [&](const Failure& p) { writer_.failure(out, p); },
                   [&](const LintWarnings& p) { writer_.lint(out, p); },
                   [&](const TurnFinished& p) { put_turn(out, p, describe(event, step)); },
                   [&](const Usage&) {},     // added up at the end
                   [&](const Finished&) {},  // the end itself
                   [&](const auto&) { writer_.item(out, describe(event, step)); },
               },
               event.payload);
  }

  void keep_input(const ToolStarted& p, const Story::Step& step) {
    if (step.call == nullptr || step.repeats || p.input.absent() || !step.call->detail.empty()) {
      return;
    }
    if (inputs_.size() >= Story::kKeptOpen) inputs_.clear();
    inputs_[step.call->number] = shortened(json::Text(p.input.json), kMaxInput);
  }

  void put_tool(std::string& out, const ToolFinished& p, const Story::Step& step) {
    PageTool tool{.call = step.call,
                  .finished = &p,
                  .duration_ms = step.duration_ms,
                  .input = {},
                  .inside = {}};
    std::string inside;
    if (step.call != nullptr) {
      if (const auto input = inputs_.find(step.call->number); input != inputs_.end()) {
        tool.input = input->second;
      }
      if (const auto lane = lanes_.find(step.call->number);
          step.call->number != 0 && lane != lanes_.end()) {
        lane->second.speech.flush(
            [&](const Spoken& spoken) { speak(lane->second.waiting, spoken); });
        lane->second.waiting.append(std::exchange(lane->second.notes, {}));
        if (!lane->second.waiting.empty()) {
          // Where its tool is left out, nothing else says who it was.
          writer_.subagent_start(inside, is_left_out(p) ? lane->second.who : "");
          inside.append(std::exchange(lane->second.waiting, {}));
          writer_.subagent_end(inside);
        }
      }
    }
    tool.inside = inside;
    if (is_left_out(p)) {
      out.append(inside);
    } else {
      writer_.tool(out, tool);
    }
    if (step.call != nullptr) inputs_.erase(step.call->number);
  }

  void put_status(std::string& out, const Status& p) {
    const bool only_activity = p.status.empty() && !p.progress && !p.steps;
    if (!only_activity) {
      writer_.status(out, p);
    } else if (!p.message.bytes.empty() || detail_ == Detail::verbose) {
      Event event;
      event.payload = p;
      writer_.item(out, describe(event, {}));
    }
  }

  void put_todo(std::string& out, const TodoList& list) {
    if (list.items.empty()) return;
    Item item{.tone = Tone::quiet, .icon = "☑", .label = "To do"};
    for (const Todo& todo : list.items) item.add({sign_of(todo), {}, todo.text, {}});
    item.left_out = list.left_out;
    writer_.item(out, item);
  }

  // The result of a turn mostly says again what was said.
  void put_turn(std::string& out, const TurnFinished& p, Item item) {
    if (said_.has(p.text.str())) item.verbatim.clear();
    if (item.tone == Tone::quiet && !item.verbatim.empty()) {
      writer_.spoken(out, {item.verbatim, Manner::markdown, false});
      item.verbatim.clear();
    }
    if (detail_ == Detail::quiet && p.ok) return;
    writer_.item(out, item);
  }

  PageWriter& writer_;
  Detail detail_;
  Story story_;
  RunFold fold_;
  LastBlock held_;
  Said said_;
  std::map<std::uint64_t, Lane> lanes_;  // by the call's number; 0 is the main agent
  std::unordered_map<std::uint64_t, std::string> inputs_;
  std::uint64_t group_ = 0;     // whose frame is open on the page
  std::uint64_t speaking_ = 0;  // whose lane may hold an unfinished paragraph
  PageEnd end_;
  bool finished_ = false;
  double turn_ms_ = 0;
};

class PageRenderer final : public Renderer {
 public:
  PageRenderer(std::unique_ptr<PageWriter> writer, const RenderOptions& options)
      : writer_(std::move(writer)), options_(options) {}

  void begin(RunIndex run, std::string_view label, std::string& out) override {
    start(out);
    runs_.erase(run);
    runs_.emplace(run, Named{PageRun(*writer_, options_.detail), std::string(label)});
  }

  void event(RunIndex run, const Event& event, std::string& out) override {
    const auto found = runs_.find(run);
    if (found == runs_.end()) return;
    std::string piece;
    found->second.run.add(event, piece);
    write(run, found->second.label, piece, out);
  }

  void end(RunIndex run, std::string& out) override {
    const auto found = runs_.find(run);
    if (found == runs_.end()) return;
    std::string piece;
    found->second.run.end(piece);
    write(run, found->second.label, piece, out);
    runs_.erase(found);
  }

  void finish(std::string& out) override {
    start(out);
    writer_->finish(out);
  }

 private:
  struct Named {
    PageRun run;
    std::string label;
  };

  void start(std::string& out) {
    if (!std::exchange(started_, true)) writer_->start(out, options_.title);
  }

  void write(RunIndex run, std::string_view label, const std::string& piece, std::string& out) {
    if (piece.empty()) return;
    if (current_ && current_ != run) {
      if (const auto before = runs_.find(*current_); before != runs_.end()) {
        before->second.run.close_group(out);
      }
    }
    if (!label.empty() && current_ != run) {
      writer_->run_label(out, label);
    }
    current_ = run;
    out.append(piece);
  }

  std::unique_ptr<PageWriter> writer_;
  RenderOptions options_;
  std::map<RunIndex, Named> runs_;
  std::optional<RunIndex> current_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<Renderer> make_page_renderer(std::unique_ptr<PageWriter> writer,
                                             const RenderOptions& options) {
  return std::make_unique<PageRenderer>(std::move(writer), options);
}

}  // namespace dragoman::show
