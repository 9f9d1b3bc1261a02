// SPDX-License-Identifier: Apache-2.0
// The way back to the peer, for everything that belongs to one message from it. A transport
// implements it: a line of stdout, the response to a POST, a part of a batch.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::mcp {

// Called from any thread; exactly one of finish, accept and abandon, and nothing after it.
class Channel {
 public:
  virtual ~Channel() = default;

  virtual void send(std::string_view message) = 0;         // ahead of the answer
  virtual void finish(std::string message, int http) = 0;  // the answer
  virtual void accept() = 0;                               // there is nothing to answer
  virtual void abandon() = 0;  // no answer will come: the request was cancelled
  // Closes the stream early where the peer can come back for the rest.
  virtual void release() {}
};

}  // namespace dragoman::mcp
