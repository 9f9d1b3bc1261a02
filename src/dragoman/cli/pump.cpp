// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/pump.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "dragoman/cli/file_change.hpp"
#include "dragoman/cli/interrupt.hpp"
#include "dragoman/cli/io.hpp"
#include "dragoman/cli/mapped_file.hpp"

namespace dragoman::cli {
namespace {

// A pipe or a terminal: shows what is known whenever it has to wait.
Result<void> pump_live(Input& input, StreamTarget& target) {
  while (interrupted() == 0) {
    if (input.wait(0) == Input::Wait::silence) {
      target.pause();
      if (input.wait(kSilenceMs) == Input::Wait::silence) {
        target.idle();
        target.pause();
        if (input.wait(-1) == Input::Wait::interrupted) continue;
      }
    }
    DRAGOMAN_TRY(const std::string_view bytes, input.read());
    if (bytes.empty() || !target.push(bytes)) break;
  }
  return {};
}

// False: the target has enough. Large files are looked at where they are; what has been appended
// in the meantime is left to be read.
Result<bool> pump_mapped(Input& input, StreamTarget& target) {
  auto file = MappedFile::open(input.fd());
  if (!file) return true;
  for (;;) {
    const std::string_view bytes = file->next();
    if (bytes.empty()) break;
    const bool wanted = target.push(bytes);
    if (file->lost()) {
      return Error{ErrorCode::tool_error,
                   fmt::format("cannot read {}: it was cut off while it was read", input.name())};
    }
    if (!wanted) return false;
  }
  DRAGOMAN_CHECK(input.skip_to(file->position()));
  return true;
}

Result<void> pump_file(Input& input, StreamTarget& target) {
  DRAGOMAN_TRY(const bool wanted, pump_mapped(input, target));
  if (!wanted) return {};
  for (;;) {
    DRAGOMAN_TRY(const std::string_view bytes, input.read());
    if (bytes.empty() || !target.push(bytes)) return {};
  }
}

// One growing file until it is cut off, replaced or no longer wanted.
class Follower {
 public:
  Follower(const std::string& path, StreamTarget& target, const Output& out)
      : path_(path), target_(target), out_(out) {}

  Result<Change> run(Input& input) {
    for (;;) {
      DRAGOMAN_TRY(const std::string_view bytes, input.read());
      if (!bytes.empty()) {
        read_ += bytes.size();
        silent_for_ = 0;
        if (!target_.push(bytes)) return Change::none;
        continue;
      }
      target_.pause();
      const Change change = change_of(path_, input, read_);
      if (change == Change::cut_off || change == Change::replaced) return change;
      if (interrupted() != 0) return Change::none;
      if (change == Change::none && !wait()) return Change::none;
    }
  }

 private:
  // False: nobody reads what is found any more, and a silent file would never tell.
  bool wait() {
    if (out_.failed() || out_.abandoned_within(kLookAgainMs)) return false;
    silent_for_ += kLookAgainMs;
    if (silent_for_ == kSilenceMs) target_.idle();
    return true;
  }

  const std::string& path_;
  StreamTarget& target_;
  const Output& out_;
  std::uint64_t read_ = 0;
  int silent_for_ = 0;
};

Result<void> pump_whole(Input& input, StreamTarget& target) {
  target.begin();
  auto result = input.is_live() ? pump_live(input, target) : pump_file(input, target);
  target.end();
  return result;
}

}  // namespace

Result<void> pump(const std::string& path, StreamTarget& target) {
  DRAGOMAN_TRY(Input input, Input::open(path));
  return pump_whole(input, target);
}

Result<void> follow(const std::string& path, StreamTarget& target, Console& console) {
  note_interrupts();
  for (;;) {
    DRAGOMAN_TRY(Input input, Input::open(path));
    if (input.is_live()) return pump_whole(input, target);  // it ends when its writer does
    target.begin();
    auto change = Follower(path, target, console.out()).run(input);
    target.end();
    if (!change) return std::move(change).error();
    if (*change == Change::none) return {};
    console.note(fmt::format("{} was {}: reading it from the start", input.name(),
                             *change == Change::cut_off ? "cut off" : "replaced"));
  }
}

}  // namespace dragoman::cli
