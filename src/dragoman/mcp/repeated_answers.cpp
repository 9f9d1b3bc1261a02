// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/repeated_answers.hpp"

#include "dragoman/json/cursor.hpp"
#include "dragoman/mcp/lists.hpp"
#include "dragoman/mcp/message.hpp"
#include "dragoman/task/request_id.hpp"

namespace dragoman::mcp {

std::optional<std::string> RepeatedAnswers::find(std::string_view tool, std::string_view arguments,
                                                 const AnswerBasis& basis) {
  const task::RequestId id = task::new_request_id();
  const Lock lock(mutex_);
  for (auto it = kept_.begin(); it != kept_.end(); ++it) {
    if (it->arguments != arguments || it->tool != tool) continue;
    if (it->basis != basis) return std::nullopt;
    kept_.splice(kept_.begin(), kept_, it);
    std::string object = it->object;
    for (const std::size_t at : it->request_ids)
      object.replace(at, id.size(), id.data(), id.size());
    return object;
  }
  return std::nullopt;
}

void RepeatedAnswers::keep(std::string_view tool, std::string_view arguments,
                           const AnswerBasis& basis, const ToolResult& result) {
  Kept kept{std::string(tool), std::string(arguments), basis, {}, {}};
  kept.object.push_back('{');
  append_tool_result(kept.object, result);
  kept.object.push_back('}');
  if (kept.object.size() + arguments.size() > kLargest) return;
  // A random number: it is nowhere in the answer but where an id stands, in the structure and in
  // the text.
  const std::string id =
      string_member({json::Kind::object, false, result.structured}, "request_id").value_or("");
  if (id.size() != task::RequestId().size()) return;
  for (std::size_t at = 0; (at = kept.object.find(id, at)) != std::string::npos; at += id.size())
    kept.request_ids.push_back(at);
  const Lock lock(mutex_);
  kept_.remove_if(
      [&](const Kept& each) { return each.arguments == kept.arguments && each.tool == kept.tool; });
  kept_.push_front(std::move(kept));
  if (kept_.size() > kMost) kept_.pop_back();
}

}  // namespace dragoman::mcp
