// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/run_screen.hpp"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "dragoman/cli/screen.hpp"

namespace dragoman::cli {
namespace {

using show::LiveView;

show::RenderOptions render_options(const RunViewOptions& options) {
  show::RenderOptions render;
  render.width = screen_width();
  render.color = screen_colors(options.color);
  render.detail = options.detail;
  render.wrap_plain_text = ::isatty(STDOUT_FILENO) == 1;
  return render;
}

LiveView::StatusArea area_of(const RunViewOptions& options) {
  return options.io != nullptr && is_smart_terminal() ? LiveView::StatusArea::yes
                                                      : LiveView::StatusArea::no;
}

}  // namespace

RunScreen::RunScreen(const RunViewOptions& options, Console& console)
    : console_(console),
      asks_(options.asks),
      view_(
          render_options(options), area_of(options),
          [this](std::string_view bytes) {
            console_.out().write(bytes);
            return console_.out().flush();
          },
          LiveView::Clock::now()),
      echo_(area_of(options) == LiveView::StatusArea::yes ? STDOUT_FILENO : -1) {
  view_.begin(0, "", options.begun);
  if (area_of(options) == LiveView::StatusArea::no) return;
  timer_.emplace(*options.io);
  resized_.emplace(*options.io, SIGWINCH);
  wait_for_resize();
  handle_stops();
  paint();
}

RunScreen::~RunScreen() {
  view_.end(0);
  view_.close();
  echo_.on();
}

void RunScreen::event(const Event& event, engine::EventLine& /*line*/) {
  const auto* const question = event.as<Question>();
  const bool open = question != nullptr && (question->state == QuestionState::open ||
                                            question->state == QuestionState::unanswered);
  if (open && asks_) return;
  view_.event(0, event);
  const auto* const blocked = event.as<Blocked>();
  blocked_ = blocked == nullptr ? std::nullopt : std::optional<std::string>(blocked->reason);
  if (asked_) return;
  if (std::exchange(way_given_, false)) handle_stops();
  paint();
}

void RunScreen::idle() {
  view_.idle();
  if (!way_given_) paint();
}

void RunScreen::give_way() {
  view_.idle();
  paint();
  view_.suspend();
  echo_.on();
  asked_ = true;
  way_given_ = true;
  if (timer_) timer_->cancel();
  stopped_.reset();  // nothing of ours stands on the terminal: what follows is the asker's
}

void RunScreen::paint() {
  echo_.off();
  view_.tick(LiveView::Clock::now());
  if (timer_) wait_for_next();
}

void RunScreen::wait_for_next() {
  const auto patience = view_.until_next(LiveView::Clock::now());
  if (!patience) return;
  timer_->expires_after(*patience);  // cancels the one before
  timer_->async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled && !way_given_) paint();
  });
}

void RunScreen::wait_for_resize() {
  resized_->async_wait([this](const boost::system::error_code& cancelled, int /*number*/) {
    if (cancelled) return;
    view_.resize(screen_width());
    if (!way_given_) paint();
    wait_for_resize();
  });
}

void RunScreen::handle_stops() {
  if (!timer_ || stop_is_ignored()) return;
  stopped_.emplace(timer_->get_executor(), SIGTSTP);
  wait_for_stop();
}

// Ctrl-Z: the shell gets the terminal as it was, and we take it again when we are continued.
void RunScreen::wait_for_stop() {
  stopped_->async_wait([this](const boost::system::error_code& cancelled, int /*number*/) {
    if (cancelled) return;
    view_.suspend();
    echo_.on();
    (void)::raise(SIGSTOP);
    view_.resize(screen_width());
    paint();
    wait_for_stop();
  });
}

}  // namespace dragoman::cli
