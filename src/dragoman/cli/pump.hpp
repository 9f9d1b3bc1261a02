// SPDX-License-Identifier: Apache-2.0
// Bytes of a file, a pipe or a growing file to whoever reads them.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/cli/console.hpp"

namespace dragoman::cli {

// One stream after another, each begun and ended.
class StreamTarget {
 public:
  virtual ~StreamTarget() = default;

  virtual void begin() = 0;
  // False: nothing more is wanted.
  [[nodiscard]] virtual bool push(std::string_view bytes) = 0;
  virtual void idle() {}   // nothing has come for a while
  virtual void pause() {}  // nothing more is there at the moment; what is known may be shown
  virtual void end() = 0;
};

// Reads `path` ("-": stdin) to its end.
[[nodiscard]] Result<void> pump(const std::string& path, StreamTarget& target);

// Reads `path` and goes on as it grows, until interrupted. A file that was cut off or replaced by
// another is a new stream.
[[nodiscard]] Result<void> follow(const std::string& path, StreamTarget& target, Console& console);

}  // namespace dragoman::cli
