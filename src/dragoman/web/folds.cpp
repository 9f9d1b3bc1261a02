// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/folds.hpp"

#include "dragoman/event/json.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::web {

namespace {

constexpr std::size_t kEventsAtOnce = 1000;

}  // namespace

struct Folds::Entry {
  Mutex mutex;
  RunFold fold DRAGOMAN_GUARDED_BY(mutex);
  std::uint64_t seq DRAGOMAN_GUARDED_BY(mutex) = 0;
  std::string verdict DRAGOMAN_GUARDED_BY(mutex);
  std::vector<std::string> reasons DRAGOMAN_GUARDED_BY(mutex);
  UsageCurve curve DRAGOMAN_GUARDED_BY(mutex);
  UsagePoint last DRAGOMAN_GUARDED_BY(mutex);  // report; without its total
};

std::shared_ptr<Folds::Entry> Folds::entry(const std::string& run) {
  const Lock lock(mutex_);
  auto& found = entries_[run];
  if (found == nullptr) {
    found = std::make_shared<Entry>();
    order_.push_back(run);
  }
  const auto kept = found;
  if (order_.size() > kMost) {
    entries_.erase(order_.front());
    order_.pop_front();
  }
  return kept;
}

Result<FoldedRun> Folds::of(const std::string& run) {
  const auto known = entry(run);
  const Lock lock(known->mutex);
  for (;;) {
    DRAGOMAN_TRY(const auto entries,
                 log_.read(task::event_stream(run), known->seq + 1, kEventsAtOnce));
    for (const auto& line : entries) {
      known->seq = line.seq;
      Arena arena;
      const auto event = read_event(line.body, arena);
      if (!event) continue;
      known->fold.on_event(*event);
      if (event->as<Usage>() != nullptr) {
        known->last = {.seq = line.seq, .at = event->ts, .total = {}};
        if (known->curve.wants_next())
          known->curve.add({.seq = line.seq, .at = event->ts, .total = known->fold.usage()});
      }
      const auto* const end = event->as<Finished>();
      if (end == nullptr) continue;
      known->verdict = std::string(end->verdict);
      known->reasons.assign(end->reasons.begin(), end->reasons.end());
    }
    if (!more_may_follow(entries, kEventsAtOnce)) break;
  }
  FoldedRun folded{known->fold.summary(), known->verdict, known->reasons, known->curve.points()};
  if (!folded.curve.empty() && folded.curve.back().seq != known->last.seq) {
    folded.curve.push_back(known->last);
    folded.curve.back().total = folded.summary.usage;
  }
  return folded;
}

}  // namespace dragoman::web
