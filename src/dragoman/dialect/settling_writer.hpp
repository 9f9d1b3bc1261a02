// SPDX-License-Identifier: Apache-2.0
// A writer in front of those that cannot take back what they have written.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/writer.hpp"

namespace dragoman {

// Waits with an event until nothing can replace it any more: with the block of a bracket marker
// until the next event, because a reader gives an open block out early and again when it has grown;
// with a question that the stream itself may answer until it is answered or its turn is over. Of
// several versions the last one is written, where the first one stood; of a question that was
// answered or withdrawn nothing is.
class SettlingWriter final : public Writer {
 public:
  // Dialects that can say that a question was answered need not wait for that.
  enum class Waits : std::uint8_t { for_growth, for_answers_too };

  SettlingWriter(Waits waits, std::function<std::unique_ptr<Writer>()> make);

  Result<Written> write(const Event& event, std::string& out) override;
  void finish(std::string& out) override;

 private:
  // Whether it replaced or withdrew an event that is held.
  bool replaces_held(const Event& event);
  [[nodiscard]] Result<Written> try_out(const Event& event);
  [[nodiscard]] bool has_to_wait(const Event& event, bool last) const;
  void release(std::string& out);
  void release_all(std::string& out);

  Waits waits_;
  std::function<std::unique_ptr<Writer>()> make_;
  std::unique_ptr<Writer> inner_;
  std::unique_ptr<Arena> arena_;  // of what is held
  std::vector<Event> held_;
  bool turn_is_over_ = false;  // behind what is held
};

}  // namespace dragoman
