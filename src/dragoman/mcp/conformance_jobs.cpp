// SPDX-License-Identifier: Apache-2.0
// Tools that run as tasks.
#include <fmt/format.h>

#include "dragoman/json/number.hpp"
#include "dragoman/mcp/conformance_box.hpp"
#include "dragoman/mcp/message.hpp"

namespace dragoman::mcp {
namespace {

using Box = ConformanceBox;
using Run = ConformanceTasks::Run;
using std::chrono::milliseconds;

Result<ToolAnswer> start(Box& box, const Call& call, ConformanceTasks::Work work) {
  return ToolAnswer(Started{box.task_shelf().start(std::move(work), call.ttl)});
}

Result<ToolAnswer> greet(Box&, const Call& call) {
  return text_result(fmt::format("Hello, {}!", string_argument(call, "name")));
}

Result<ToolAnswer> slow_compute(Box& box, const Call& call) {
  const json::Value seconds = member({json::Kind::object, false, call.arguments}, "seconds");
  double time = seconds.is(json::Kind::number) ? json::parse_number(seconds.raw).value.real : 1.0;
  time = std::min(std::max(time, 0.0), 3600.0);
  const milliseconds delay(static_cast<std::int64_t>(time * 1000));
  const std::string text = fmt::format("Computed {} in {} s", string_argument(call, "label"), time);
  if (call.task == TaskWish::no || (call.task == TaskWish::allowed && delay.count() == 0)) {
    (void)call.context.sleep(delay);
    return text_result(text);
  }
  return start(box, call, [delay, text](Run& run) -> Result<ToolResult> {
    (void)run.sleep(delay);
    return ToolResult{.text = text};
  });
}

Result<ToolAnswer> failing_job(Box& box, const Call& call) {
  return start(box, call, [](Run& run) -> Result<ToolResult> {
    (void)run.sleep(milliseconds(1000));
    return ToolResult{.text = "The job failed, as it always does", .is_error = true};
  });
}

Result<ToolAnswer> protocol_error_job(Box& box, const Call& call) {
  return start(box, call, [](Run& run) -> Result<ToolResult> {
    (void)run.sleep(milliseconds(200));
    return Error{ErrorCode::internal, "The job broke the protocol, as it always does"};
  });
}

InputRequest confirmation(std::string key, std::string_view message) {
  return elicitation(std::move(key), message, R"("confirm":{"type":"boolean"})", R"("confirm")");
}

Result<ToolAnswer> confirm_delete(Box& box, const Call& call) {
  const std::string file = string_argument(call, "filename");
  return start(box, call, [file](Run& run) -> Result<ToolResult> {
    const auto answers = run.ask({confirmation("confirm", fmt::format("Delete {}?", file))});
    if (answers.empty()) return ToolResult{.text = "Cancelled"};
    return ToolResult{.text = fmt::format("Asked about {}: {}", file, answers.front().result)};
  });
}

Result<ToolAnswer> multi_input(Box& box, const Call& call) {
  return start(box, call, [](Run& run) -> Result<ToolResult> {
    const auto answers =
        run.ask({confirmation("first", "Confirm one"), confirmation("second", "Confirm two")});
    return ToolResult{.text = fmt::format("{} answers", answers.size())};
  });
}

Result<ToolAnswer> asks_then_runs(Box& box, const Call& call) {
  const auto name = form_field(call, "user_name", "name");
  if (!name) {
    return ToolAnswer(Asked{{elicitation("user_name", "What is your name?",
                                         R"("name":{"type":"string"})", R"("name")")},
                            "asked"});
  }
  return start(box, call, [name = *name](Run& run) -> Result<ToolResult> {
    (void)run.sleep(milliseconds(100));
    return ToolResult{.text = fmt::format("Hello, {}!", name)};
  });
}

}  // namespace

void add_conformance_jobs(std::vector<ConformanceTool>& tools) {
  const auto add = [&](std::string_view name, std::string_view description, TaskSupport support,
                       Result<ToolAnswer> (*run)(Box&, const Call&),
                       std::string_view properties = {}) {
    ConformanceTool& tool = tools.emplace_back();
    tool.spec.name = name;
    tool.spec.description = description;
    tool.spec.input_schema = fmt::format(R"({{"type":"object","properties":{{{}}}}})", properties);
    tool.spec.task_support = support;
    tool.run = run;
  };
  add("greet", "Says hello at once", TaskSupport::forbidden, greet, R"("name":{"type":"string"})");
  add("slow_compute", "Takes its time", TaskSupport::optional, slow_compute,
      R"("seconds":{"type":"number"},"label":{"type":"string"})");
  add("failing_job", "Fails after a second", TaskSupport::required, failing_job);
  add("protocol_error_job", "Ends in a protocol error", TaskSupport::required, protocol_error_job);
  add("confirm_delete", "Asks before it goes on", TaskSupport::required, confirm_delete,
      R"("filename":{"type":"string"})");
  add("multi_input", "Asks two things at once", TaskSupport::required, multi_input);
  add("test_tool_with_task", "Asks, then runs as a task", TaskSupport::required, asks_then_runs);
}

}  // namespace dragoman::mcp
