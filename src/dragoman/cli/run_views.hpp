// SPDX-License-Identifier: Apache-2.0
// How a run is shown while it goes on, and what is said at its end.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dragoman/cli/console.hpp"
#include "dragoman/cli/run_setup.hpp"
#include "dragoman/engine/run.hpp"
#include "dragoman/show/renderer.hpp"

namespace dragoman::cli {

// Somebody who watches a run.
class RunWatcher : public engine::Audience {
 public:
  // The terminal is needed for a question: nothing of ours stands on it, and nothing comes between
  // what is typed, until the first event after go_on().
  virtual void give_way() { idle(); }
  virtual void go_on() {}
  // Whether what is asked is the last thing that people see.
  [[nodiscard]] virtual bool just_showed(const KeptQuestion& asked) const {
    (void)asked;
    return false;
  }
};

struct RunViewOptions {
  RunView view = RunView::terminal;
  std::string color = "auto";
  show::Detail detail = show::Detail::normal;
  bool asks = false;  // open questions are put by somebody else, so they are not shown twice
  boost::asio::io_context* io = nullptr;  // where it may wait for the next picture
  std::optional<Timestamp> begun = {};    // when the agent was started, where that is known
};

// Never null.
[[nodiscard]] std::unique_ptr<RunWatcher> make_run_view(const RunViewOptions& options,
                                                        Console& console);
// --color, -q and -v.
[[nodiscard]] RunViewOptions run_view_options(RunView view, const Invocation& invocation);

[[nodiscard]] Style style_of(VerdictKind kind);

// Files, tokens, tools, questions and the verdict, for people.
[[nodiscard]] std::string run_summary(const engine::Ending& ending, const Console& console);

}  // namespace dragoman::cli
