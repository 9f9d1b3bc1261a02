// SPDX-License-Identifier: Apache-2.0
// What a session keeps; for the files that implement it.
#pragma once

#include "dragoman/mcp/session.hpp"

namespace dragoman::mcp {

// A question to the peer that has not been answered. Changed under the session's lock.
struct Session::Pending {
  Ptr asker;
  std::atomic<bool> settled = false;
  std::string result;  // empty: an error, or nobody will answer
};

// A modern subscription. The request stays unanswered until it ends.
struct Session::Listen {
  Ptr request;
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::vector<std::string> uris;
  std::vector<std::string> tasks;
};

}  // namespace dragoman::mcp
