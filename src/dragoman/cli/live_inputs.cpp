// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/live_inputs.hpp"

#include <poll.h>

#include <algorithm>

namespace dragoman::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kSilence{kSilenceMs};
constexpr milliseconds kLookAgain{kLookAgainMs};
constexpr std::uint64_t kMostInARound = std::uint64_t{4} << 20U;

}  // namespace

Result<LiveInputs> LiveInputs::open(const std::vector<std::string>& paths, Follow follow) {
  LiveInputs inputs;
  inputs.follow_ = follow == Follow::yes;
  for (const std::string& path : paths) {
    DRAGOMAN_TRY(Input input, Input::open(path));
    inputs.sources_.push_back({path, std::move(input)});
  }
  return inputs;
}

bool LiveInputs::wait_for_more() const {
  return std::any_of(sources_.begin(), sources_.end(),
                     [this](const Source& s) { return follow_ || s.input.is_live(); });
}

Result<bool> LiveInputs::read_regular(std::size_t index, InputsTarget& target) {
  Source& source = sources_[index];
  const std::uint64_t before = source.read;
  while (source.read - before < kMostInARound) {
    DRAGOMAN_TRY(const std::string_view bytes, source.input.read());
    if (bytes.empty()) {
      if (follow_) return look_for_change(index, target);
      target.end(index);
      source.open = false;
      return true;
    }
    source.read += bytes.size();
    target.push(index, bytes);
  }
  return true;
}

Result<bool> LiveInputs::look_for_change(std::size_t index, InputsTarget& target) {
  Source& source = sources_[index];
  const Change change = change_of(source.path, source.input, source.read);
  if (change != Change::cut_off && change != Change::replaced) return change == Change::grown;
  target.end(index);
  DRAGOMAN_TRY(Input input, Input::open(source.path));
  source.input = std::move(input);
  source.read = 0;
  target.changed(index, change);
  target.begin(index);
  return true;
}

Result<bool> LiveInputs::drain(std::size_t index, InputsTarget& target) {
  Source& source = sources_[index];
  if (!source.open) return false;
  if (!source.input.is_live()) return read_regular(index, target);
  if (source.input.wait(0) != Input::Wait::ready) return false;
  DRAGOMAN_TRY(const std::string_view bytes, source.input.read());
  if (bytes.empty()) {
    target.end(index);
    source.open = false;
  } else {
    target.push(index, bytes);
  }
  return true;
}

void LiveInputs::wait(std::optional<milliseconds> longest) const {
  std::vector<pollfd> waiting;
  for (const Source& source : sources_) {
    if (!source.open) continue;
    if (source.input.is_live()) {
      waiting.push_back({source.input.fd(), POLLIN, 0});
    } else {
      longest = std::min(longest.value_or(kLookAgain), kLookAgain);
    }
  }
  const int timeout = longest.has_value() ? static_cast<int>(longest->count()) : -1;
  (void)::poll(waiting.data(), waiting.size(), timeout);
}

Result<void> LiveInputs::run(InputsTarget& target) {
  for (std::size_t i = 0; i < sources_.size(); ++i) target.begin(i);
  auto last_bytes = Clock::now();
  bool told_idle = false;
  for (;;) {
    bool something = false;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      DRAGOMAN_TRY(const bool got, drain(i, target));
      something = something || got;
    }
    const auto now = Clock::now();
    if (something) {
      last_bytes = now;
      told_idle = false;
    } else if (!told_idle && now - last_bytes >= kSilence) {
      target.idle();
      told_idle = true;
    }
    if (!target.tick()) break;
    if (std::none_of(sources_.begin(), sources_.end(), [](const Source& s) { return s.open; })) {
      break;
    }
    if (something) continue;
    std::optional<milliseconds> longest = target.patience();
    if (!told_idle) longest = std::min(longest.value_or(kSilence), kSilence);
    wait(longest);
  }
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].open) target.end(i);
    sources_[i].open = false;
  }
  return {};
}

}  // namespace dragoman::cli
