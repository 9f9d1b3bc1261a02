// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/claude_requests.hpp"

#include <utility>

namespace dragoman::agent {
namespace {

std::size_t size_of(const ControlRequest& request) {
  return 2 * request.id.size() + request.subtype.size() + request.tool_name.size() +
         request.input.size() + request.tool_use_id.size() + request.command.size() +
         request.suggestions.size();
}

}  // namespace

std::optional<ControlRequest> ClaudeRequests::keep(ControlRequest request) {
  (void)take(request.id);
  const std::size_t size = size_of(request);
  const bool fits = open_.size() < kMost && size <= kMostBytes - bytes_ &&
                    request.id.size() <= kLongestId && request.tool_use_id.size() <= kLongestId;
  if (!fits) {
    refused_some_ = true;
    return request;
  }
  bytes_ += size;
  std::string id = request.id;
  open_.emplace(std::move(id), std::move(request));
  return std::nullopt;
}

const ControlRequest* ClaudeRequests::find(std::string_view id) const {
  const auto found = open_.find(id);
  return found == open_.end() ? nullptr : &found->second;
}

std::optional<ControlRequest> ClaudeRequests::take(std::string_view id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return std::nullopt;
  ControlRequest request = std::move(found->second);
  open_.erase(found);
  bytes_ -= size_of(request);
  return request;
}

void ClaudeRequests::clear() { *this = {}; }

}  // namespace dragoman::agent
