// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "dragoman/event/origin.hpp"

namespace dragoman::check {

// Finds the lines of a FILES_MODIFIED block that file_entry findings are about. The findings of a
// block come in the order of its lines: each search goes on behind the last, so that a long list
// is walked once.
class FileEntries {
 public:
  // `block` is the source at `origin`, `message` quotes the entry. Gives `origin` back where the
  // entry is not found.
  [[nodiscard]] Origin find(std::string_view block, const Origin& origin, std::string_view message);

 private:
  std::uint64_t block_ = 0;  // offset of the last block
  std::size_t behind_ = 0;   // where in it the last entry ended
};

}  // namespace dragoman::check
