// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/settling_writer.hpp"

#include <algorithm>
#include <utility>

#include "dragoman/event/keep.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kMostHeld = 4096;

// What a reader gives out when nothing comes for a while, and again when more has come.
bool grows(const Event& event) {
  if (event.origin.dialect != Dialect::markers) return false;
  switch (event.kind()) {
    case Kind::question:
    case Kind::blocked:
    case Kind::files_changed:
    case Kind::test_results:
    case Kind::lint_warnings:
    case Kind::dependency_needed:
    case Kind::commit_suggestion:
      return true;
    default:
      return false;
  }
}

// The same lines and some more.
bool has_grown(const Origin& before, const Origin& now) {
  return before.length > 0 && now.length > before.length && now.offset == before.offset &&
         now.at == before.at && now.stream == before.stream;
}

bool is_pending(QuestionState state) {
  return state == QuestionState::open || state == QuestionState::unanswered;
}

// Whether the answer can come in the same stream.
bool may_be_answered(const Event& event) {
  const auto* question = event.as<Question>();
  if (question == nullptr || question->state != QuestionState::open) return false;
  switch (question->source) {
    case QuestionSource::ask_user_question:
    case QuestionSource::request_user_input:
    case QuestionSource::permission:
      return !question->id.empty();
    case QuestionSource::comment:
    case QuestionSource::marker:
      return false;
  }
  return false;
}

bool is_update(const Event& held, const Event& event) {
  if (held.kind() != event.kind()) return false;
  const auto* before = held.as<Question>();
  const auto* now = event.as<Question>();
  if (before != nullptr && now != nullptr && !now->id.empty() && before->id == now->id) return true;
  return grows(held) && grows(event) && has_grown(held.origin, event.origin);
}

}  // namespace

SettlingWriter::SettlingWriter(Waits waits, std::function<std::unique_ptr<Writer>()> make)
    : waits_(waits), make_(std::move(make)), inner_(make_()), arena_(std::make_unique<Arena>()) {}

bool SettlingWriter::replaces_held(const Event& event) {
  if (waits_ == Waits::for_growth && !grows(event)) return false;
  const auto known = std::find_if(held_.begin(), held_.end(),
                                  [&event](const Event& held) { return is_update(held, event); });
  if (known == held_.end()) return false;
  const auto* question = event.as<Question>();
  if (question != nullptr && !is_pending(question->state)) {
    if (waits_ == Waits::for_growth) return false;  // it has words for both
    held_.erase(known);
  } else {
    *known = keep(event, *arena_);
  }
  return true;
}

// Says at once whether the dialect has words for an event that is written later.
Result<Written> SettlingWriter::try_out(const Event& event) {
  std::string unused;
  return make_()->write(event, unused);
}

bool SettlingWriter::has_to_wait(const Event& event, bool last) const {
  if (last && grows(event)) return true;
  return waits_ == Waits::for_answers_too && !turn_is_over_ && may_be_answered(event);
}

Result<Written> SettlingWriter::write(const Event& event, std::string& out) {
  if (held_.empty() && !has_to_wait(event, true)) return inner_->write(event, out);
  if (replaces_held(event)) {
    const auto* question = event.as<Question>();
    const bool written = question == nullptr || is_pending(question->state);
    release(out);
    return written ? Written::yes : Written::no;
  }
  if (waits_ == Waits::for_growth && !has_to_wait(event, true)) {
    if (event.kind() == Kind::diagnostic) {  // a remark about the block does not end it
      DRAGOMAN_TRY(const Written remark, try_out(event));
      if (remark == Written::no) return remark;
    }
    release_all(out);
    return inner_->write(event, out);
  }
  DRAGOMAN_TRY(const Written written, try_out(event));
  const bool ends_turn = event.kind() == Kind::turn_finished || event.kind() == Kind::finished;
  turn_is_over_ = turn_is_over_ || ends_turn || held_.size() >= kMostHeld;
  // A remark of the reader about a block does not end it.
  if (written == Written::yes || ends_turn || event.kind() != Kind::diagnostic) {
    held_.push_back(keep(event, *arena_));
    release(out);
  }
  return written;
}

void SettlingWriter::release(std::string& out) {
  std::size_t done = 0;
  while (done < held_.size() && !has_to_wait(held_[done], done + 1 == held_.size())) {
    // It was tried out before; what is refused now was refused then.
    static_cast<void>(inner_->write(held_[done], out));
    ++done;
  }
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(done));
  if (!held_.empty()) return;
  turn_is_over_ = false;
  arena_ = std::make_unique<Arena>();
}

void SettlingWriter::release_all(std::string& out) {
  for (const Event& event : held_) static_cast<void>(inner_->write(event, out));
  held_.clear();
  turn_is_over_ = false;
  arena_ = std::make_unique<Arena>();
}

void SettlingWriter::finish(std::string& out) {
  release_all(out);
  inner_->finish(out);
}

}  // namespace dragoman
