// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/live_view.hpp"

#include <algorithm>

#include "dragoman/show/columns.hpp"
#include "dragoman/show/status_area.hpp"

namespace dragoman::show {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kHideCursor = "\x1b[?25l";
constexpr std::string_view kShowCursor = "\x1b[?25h";
constexpr std::string_view kBeginUpdate = "\x1b[?2026h";
constexpr std::string_view kEndUpdate = "\x1b[?2026l";
constexpr std::string_view kEraseLine = "\x1b[2K";
constexpr std::string_view kLineUp = "\x1b[1A";

// One more than a thirtieth, so that no second has thirty-one.
constexpr milliseconds kBetweenRepaints{1000 / LiveView::kRepaints + 1};
constexpr milliseconds kSpinnerStep{100};
constexpr std::size_t kMostText = std::size_t{1} << 20U;

RenderOptions with_tools_elsewhere(RenderOptions options, LiveView::StatusArea area) {
  options.running_tools_shown_elsewhere = area == LiveView::StatusArea::yes;
  return options;
}

// Columns of a painted line: what is left of it without the colours.
std::size_t painted_columns(std::string_view line) {
  std::string bare;
  while (!line.empty()) {
    const std::size_t escape = line.find('\x1b');
    bare.append(line.substr(0, escape));
    if (escape == std::string_view::npos) break;
    const std::size_t end = line.find('m', escape);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return columns(bare);
}

}  // namespace

LiveView::LiveView(const RenderOptions& options, StatusArea area, Write write,
                   Clock::time_point now)
    : options_(with_tools_elsewhere(options, area)),
      area_(area),
      write_(std::move(write)),
      palette_(options.color),
      renderer_(options_),
      now_(now) {}

LiveView::~LiveView() { close(); }

void LiveView::put(std::string_view bytes) {
  if (!failed_ && !bytes.empty()) failed_ = !write_(bytes);
}

void LiveView::begin(RunIndex run, std::string_view label, std::optional<Timestamp> begun) {
  renderer_.begin(run, label, text_);
  if (begun.has_value()) renderer_.began_at(run, *begun);
  std::erase_if(runs_, [run](const Shown& shown) { return shown.index == run; });
  runs_.push_back({run, std::string(label), true, 0, now_, now_});
}

void LiveView::event(RunIndex run, const Event& event) {
  renderer_.event(run, event, text_);
  if (text_.size() < kMostText) return;
  if (area_ == StatusArea::yes) {
    // Too much to keep until the next picture: the text goes out, the status area comes back then.
    frame_.clear();
    append_erase(frame_);
    put(frame_);
  }
  put(text_);
  text_.clear();
}

void LiveView::idle() { renderer_.idle(text_); }

void LiveView::end(RunIndex run) {
  renderer_.end(run, text_);
  for (Shown& shown : runs_) {
    if (shown.index == run) shown.open = false;
  }
}

bool LiveView::any_open() const {
  return std::any_of(runs_.begin(), runs_.end(), [](const Shown& run) { return run.open; });
}

std::optional<milliseconds> LiveView::until_next(Clock::time_point now) const {
  if (closed_ || area_ == StatusArea::no || !any_open()) return std::nullopt;
  if (!last_paint_.has_value()) return milliseconds(0);
  const milliseconds wait = text_.empty() ? kSpinnerStep : kBetweenRepaints;
  const auto passed = std::chrono::duration_cast<milliseconds>(now - *last_paint_);
  return std::max(milliseconds(0), wait - passed);
}

void LiveView::tick(Clock::time_point now) {
  now_ = now;
  if (closed_) return;
  if (area_ == StatusArea::no) {
    put(text_);
    text_.clear();
    return;
  }
  if (last_paint_.has_value()) {
    const auto passed = now - *last_paint_;
    if (passed < kBetweenRepaints || (text_.empty() && passed < kSpinnerStep)) return;
  }
  paint(now);
}

void LiveView::append_erase(std::string& out) {
  if (painted_.empty()) return;
  // After a resize the terminal may have broken a line of the area into several.
  std::size_t rows = 0;
  const std::size_t width = std::max<std::size_t>(options_.width, 1);
  for (const std::string& line : painted_) {
    rows += std::max<std::size_t>(1, (painted_columns(line) + width - 1) / width);
  }
  // Line by line: tmux keeps a copy in the scrollback of what "erase below" takes off a screen.
  out.append("\r").append(kEraseLine);
  for (std::size_t i = 1; i < rows; ++i) out.append(kLineUp).append(kEraseLine);
  painted_.clear();
}

std::vector<std::string> LiveView::area_lines(Clock::time_point now) {
  std::vector<RunStatus> open;
  for (Shown& run : runs_) {
    if (!run.open) continue;
    const Story& story = renderer_.story(run.index);
    const std::uint64_t tool = story.open_tools().empty() ? 0 : story.open_tools().back().number;
    if (tool != run.tool) {
      run.tool = tool;
      run.tool_since = now;
    }
    open.push_back({run.label, &story, std::chrono::duration_cast<milliseconds>(now - run.since),
                    std::chrono::duration_cast<milliseconds>(now - run.tool_since)});
  }
  const auto frame = static_cast<std::size_t>(now.time_since_epoch() / kSpinnerStep);
  // The last column stays free: terminals differ in what they do when it is filled.
  return status_lines(open, frame, std::max<std::size_t>(options_.width, 2) - 1, palette_);
}

void LiveView::paint(Clock::time_point now) {
  std::vector<std::string> lines = area_lines(now);
  last_paint_ = now;
  if (text_.empty() && lines == painted_) return;
  ++repaints_;
  frame_.assign(kBeginUpdate);
  if (!cursor_hidden_) frame_.append(kHideCursor);
  cursor_hidden_ = true;
  append_erase(frame_);
  frame_.append(text_);
  text_.clear();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) frame_.append("\r\n");
    frame_.append(lines[i]);
  }
  frame_.append(kEndUpdate);
  painted_ = std::move(lines);
  put(frame_);
}

void LiveView::resize(std::size_t width) {
  options_.width = width;
  renderer_.set_width(width);
  last_paint_.reset();
}

void LiveView::suspend() {
  frame_.clear();
  append_erase(frame_);
  frame_.append(text_);
  text_.clear();
  if (cursor_hidden_) frame_.append(kShowCursor);
  cursor_hidden_ = false;
  put(frame_);
  last_paint_.reset();
}

void LiveView::close() {
  if (closed_) return;
  renderer_.finish(text_);
  suspend();
  closed_ = true;
}

}  // namespace dragoman::show
