// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/settling_writer.hpp"

#include <algorithm>
#include <utility>

#include "dragoman/event/keep.hpp"
#include "dragoman/event/update.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kMostHeld = 4096;

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

}  // namespace

SettlingWriter::SettlingWriter(Waits waits, std::function<std::unique_ptr<Writer>()> make)
    : waits_(waits), make_(std::move(make)), inner_(make_()), arena_(std::make_unique<Arena>()) {}

bool SettlingWriter::replaces_held(const Event& event) {
  // Such a dialect has words for an answer too: it follows its question.
  if (waits_ == Waits::for_growth && !may_grow(event)) return false;
  const auto known = std::find_if(held_.begin(), held_.end(),
                                  [&event](const Event& held) { return is_update(held, event); });
  if (known == held_.end()) return false;
  const auto* question = event.as<Question>();
  if (question != nullptr && !is_pending(question->state)) {
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
  if (last && may_grow(event)) return true;
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
