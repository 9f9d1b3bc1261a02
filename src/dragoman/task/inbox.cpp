// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/inbox.hpp"

#include <utility>

#include "dragoman/task/turn_end.hpp"

namespace dragoman::task {

void Inbox::done(std::uint64_t number, How how, std::string reason) {
  if (number != in_hands_) return;
  in_hands_ = 0;
  if (how == How::unheard) deaf_ = true;
  known_.push_back({number, how, std::move(reason)});
}

void Inbox::fail(std::uint64_t number, std::string reason) {
  done(number, How::failed, std::move(reason));
}

Result<void> Inbox::settle() {
  for (; !known_.empty(); known_.erase(known_.begin())) {
    const Known& known = known_.front();
    // False: another process has settled it, because it took ours for dead.
    Result<bool> written = false;
    if (known.how == How::heard) {
      written = messages_.deliver(run_, known.number);
    } else if (known.how == How::unheard) {
      written = messages_.put_back(run_, known.number);
    } else {
      written = messages_.fail(run_, known.number, known.reason);
    }
    if (!written) return written.error();
  }
  return {};
}

Result<std::optional<engine::Message>> Inbox::next(std::uint64_t said) {
  DRAGOMAN_CHECK(settle());
  if (in_hands_ != 0 || deaf_ || settled_ >= said) return std::optional<engine::Message>();
  DRAGOMAN_TRY(const auto all, messages_.of(run_));
  for (const ask::MessageRecord& message : all) {
    if (message.number <= settled_ || message.number > said) continue;
    if (message.state == ask::kTaken) {
      // By a process that had the run before us.
      DRAGOMAN_TRY(const bool failed, messages_.fail(run_, message.number, kRunnerDied));
      (void)failed;
    } else if (message.state == ask::kWaiting) {
      std::string words = messages_.words(message);
      DRAGOMAN_TRY(const bool taken, messages_.take(run_, message.number));
      if (!taken) return std::optional<engine::Message>();  // a second look tells why
      in_hands_ = message.number;
      return std::optional<engine::Message>({message.number, std::move(words)});
    }
    settled_ = message.number;
  }
  return std::optional<engine::Message>();
}

}  // namespace dragoman::task
