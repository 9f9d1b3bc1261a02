// SPDX-License-Identifier: Apache-2.0
// WXCODE agents write each marker a second time, as a line for people who see no marker.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/event/event.hpp"

namespace dragoman::show {

// Leaves that line out where it says word for word what the marker said and the view has just
// shown. Anything else is passed on as it is. What comes out does not depend on how the words were
// cut into pieces.
class EchoFilter {
 public:
  // The marker whose line may follow. Other events expect nothing.
  void expect(const Event& event);

  // Takes the next words; gives back what may be shown now. Valid until the next call.
  [[nodiscard]] std::string_view pass(std::string_view words);
  // No more words follow directly: what was held back.
  [[nodiscard]] std::string_view flush();
  [[nodiscard]] bool holds() const { return !held_.empty(); }

 private:
  enum class End : bool { no, yes };
  void drop_expected(End end);

  std::vector<std::string> expected_;
  std::string held_;
  std::string passed_;
};

}  // namespace dragoman::show
