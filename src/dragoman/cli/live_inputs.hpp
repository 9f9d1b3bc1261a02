// SPDX-License-Identifier: Apache-2.0
// Several inputs read at once, as their bytes come.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/cli/file_change.hpp"
#include "dragoman/cli/io.hpp"

namespace dragoman::cli {

// Is told what comes from which input; they count from 0 in the order they were given.
class InputsTarget {
 public:
  virtual ~InputsTarget() = default;

  virtual void begin(std::size_t input) = 0;
  virtual void push(std::size_t input, std::string_view bytes) = 0;
  virtual void end(std::size_t input) = 0;
  // A followed file was cut off or replaced; it ends and begins anew.
  virtual void changed(std::size_t input, Change change) = 0;
  // Nothing has come from any of them for a while.
  virtual void idle() = 0;
  // After every round and whenever `patience()` has passed. False: stop.
  [[nodiscard]] virtual bool tick() = 0;
  // How long the next round may wait; none: until something comes.
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> patience() = 0;
};

class LiveInputs {
 public:
  enum class Follow : bool { no, yes };
  [[nodiscard]] static Result<LiveInputs> open(const std::vector<std::string>& paths,
                                               Follow follow);

  // Whether any of them may have to be waited for.
  [[nodiscard]] bool wait_for_more() const;

  // Reads them all to their ends; followed files have none.
  [[nodiscard]] Result<void> run(InputsTarget& target);

 private:
  struct Source {
    std::string path;
    Input input;
    std::uint64_t read = 0;
    bool open = true;
  };

  // Reads what is there. True: something was.
  Result<bool> drain(std::size_t index, InputsTarget& target);
  Result<bool> read_regular(std::size_t index, InputsTarget& target);
  Result<bool> look_for_change(std::size_t index, InputsTarget& target);
  void wait(std::optional<std::chrono::milliseconds> longest) const;

  std::vector<Source> sources_;
  bool follow_ = false;
};

}  // namespace dragoman::cli
