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

// What the peer shows to its user.
struct Session::Form {
  std::string id;  // of our request
  const InputRequest& question;
  std::shared_ptr<Pending> pending;
  std::optional<std::chrono::steady_clock::time_point> until;
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
