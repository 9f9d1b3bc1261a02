// SPDX-License-Identifier: Apache-2.0
// Any program. What it prints is found out; nothing is known about how to answer it.
#include "dragoman/agent/protocols.hpp"

namespace dragoman::agent {

Result<Launch> launch_command(const AgentRow& /*agent*/, const Request& request,
                              std::string_view /*session*/, std::span<const Answered> /*answers*/,
                              const Locate& locate) {
  Launch out{request.words, request.prompt};
  DRAGOMAN_TRY(out.argv[0], locate(out.argv[0]));
  return out;
}

}  // namespace dragoman::agent
