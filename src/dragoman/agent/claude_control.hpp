// SPDX-License-Identifier: Apache-2.0
// Claude Code's control protocol: what it asks on stdout, what we say on its stdin. Each message is
// one JSON object on one line; a broken line ends Claude, so they are all made here.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/agent/question.hpp"

namespace dragoman::agent {

// A control_request of the agent.
struct ControlRequest {
  std::string id;         // as JSON, quotes included
  std::string subtype;    // can_use_tool, or something we have no answer for
  std::string tool_name;  // can_use_tool
  std::string input;      // can_use_tool: the tool's arguments as JSON
  std::string tool_use_id;
  std::string command;      // of the arguments: what a shell would be given
  std::string suggestions;  // as JSON: what Claude offers so that it need not ask again

  friend bool operator==(const ControlRequest&, const ControlRequest&) = default;
};

// The request in a line of output; absent when it is anything else.
[[nodiscard]] std::optional<ControlRequest> control_request_in(std::string_view line);

// The uuid in a line that repeats what we have said; empty when it is anything else.
[[nodiscard]] std::string echo_in(std::string_view line);

// Finds control requests and echoes in the bytes of stdout, however they are cut. It holds at most
// one line, and none longer than `line_cap`: what is beyond that is not seen.
class ControlWatch {
 public:
  explicit ControlWatch(std::size_t line_cap = std::size_t{16} << 20U) : line_cap_(line_cap) {}

  // `use` is given each line that may be one of them.
  template <typename Use>
  void push(std::string_view bytes, Use&& use) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      add(bytes.substr(0, end));
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      if (!too_long_) use(std::string_view(line_));
      line_.clear();
      too_long_ = false;
    }
  }

 private:
  void add(std::string_view piece);

  std::size_t line_cap_;
  std::string line_;
  bool too_long_ = false;
};

// What we write. All end in a newline. Claude tells by its uuid what became of a message, and takes
// no notice of one whose uuid its session has seen before.
[[nodiscard]] std::string user_message(std::string_view text, std::string_view uuid);
[[nodiscard]] std::string interrupt_request(std::string_view id);
[[nodiscard]] std::string error_response(const ControlRequest& request, std::string_view why);
// The answers to an AskUserQuestion, or the decision about a permission; `answers` are all those
// that belong to the request.
[[nodiscard]] std::string control_response(const ControlRequest& request,
                                           std::span<const Answered> answers);

}  // namespace dragoman::agent
