// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dragoman/agent/table.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::task {

// What of a task its agent can refuse before anything is started.
[[nodiscard]] inline agent::Request agent_request(const Task& task) {
  agent::Request request;
  request.words = task.words;
  request.model = task.model;
  request.sandbox = task.mode;
  request.permission_mode = task.permission_mode;
  request.output_schema = task.output_schema;
  return request;
}

}  // namespace dragoman::task
