// SPDX-License-Identifier: Apache-2.0
// Answers that are given again while nothing has changed, for clients that ask many times a second.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/mcp/tool.hpp"

namespace dragoman::mcp {

// What an answer was made from, besides the call itself.
struct AnswerBasis {
  std::uint64_t version = 0;  // of the store
  std::int64_t second = 0;    // since 1970: the finest time that answers tell
  friend bool operator==(const AnswerBasis&, const AnswerBasis&) = default;
};

// Law: an answer is given again only to the same call on the same basis, and always with a request
// id that nobody else was given.
class RepeatedAnswers {
 public:
  // The whole result object of the protocol.
  [[nodiscard]] std::optional<std::string> find(std::string_view tool, std::string_view arguments,
                                                const AnswerBasis& basis);
  // `basis` was looked at before the answer was made: what changed meanwhile makes it void.
  void keep(std::string_view tool, std::string_view arguments, const AnswerBasis& basis,
            const ToolResult& result);

 private:
  static constexpr std::size_t kMost = 8;
  static constexpr std::size_t kLargest = 128 * 1024;  // of one answer

  struct Kept {
    std::string tool;
    std::string arguments;
    AnswerBasis basis;
    std::string object;
    std::vector<std::size_t> request_ids;  // where they are in it
  };

  Mutex mutex_;
  std::list<Kept> kept_ DRAGOMAN_GUARDED_BY(mutex_);  // the one that was used last in front
};

}  // namespace dragoman::mcp
