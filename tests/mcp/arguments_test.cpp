// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/arguments.hpp"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/schema/validator.hpp"
#include "dragoman/task/envelope.hpp"

namespace dragoman::mcp {
namespace {

using Json = nlohmann::json;

std::string camel_case(std::string_view snake) {
  std::string out;
  for (std::size_t i = 0; i < snake.size(); ++i) {
    if (snake[i] == '_' && i + 1 < snake.size()) {
      out.push_back(static_cast<char>(snake[++i] - 'a' + 'A'));
    } else {
      out.push_back(snake[i]);
    }
  }
  return out;
}

// A value that the parameter takes.
Json fitting(const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::text:
      return parameter.choices.empty() ? "abc" : std::string(parameter.choices.front());
    case ParameterType::integer:
      return parameter.least;
    case ParameterType::flag:
      return true;
    case ParameterType::object:
      return Json::object();
    case ParameterType::texts:
      return Json::array({"A"});
  }
  return nullptr;
}

Json required_of(const DelegationTool& tool) {
  Json arguments = Json::object();
  for (const Parameter& parameter : tool.parameters) {
    if (parameter.required) arguments[std::string(parameter.name)] = fitting(parameter);
  }
  return arguments;
}

std::string reason_of(std::string_view tool, const std::string& arguments) {
  const auto read = Arguments::read(*find_delegation_tool(tool), arguments);
  return read ? ""
              : read.error().reason + " " +
                    Json::parse(read.error().details)["parameter"].get<std::string>();
}

TEST(DelegationTable, HasTheFifteenTools) {
  const std::vector<std::string_view> expected = {"_codex_local_run",
                                                  "_codex_local_exec",
                                                  "_codex_local_resume",
                                                  "_codex_local_status",
                                                  "_codex_local_results",
                                                  "_codex_local_wait",
                                                  "_codex_local_cancel",
                                                  "_codex_cloud_submit",
                                                  "_codex_cloud_status",
                                                  "_codex_cloud_results",
                                                  "_codex_cloud_wait",
                                                  "_codex_cloud_cancel",
                                                  "_codex_cloud_list_environments",
                                                  "_codex_cloud_github_setup",
                                                  "_codex_cleanup_registry"};
  std::vector<std::string_view> found;
  for (const DelegationTool& tool : delegation_table()) found.push_back(tool.name);
  EXPECT_EQ(found, expected);
}

TEST(DelegationTable, AdvertisesSchemasThatCompileAndHintsThatAreTrue) {
  const std::set<std::string_view> reading = {"_codex_local_status",
                                              "_codex_local_results",
                                              "_codex_local_wait",
                                              "_codex_cloud_status",
                                              "_codex_cloud_results",
                                              "_codex_cloud_wait",
                                              "_codex_cloud_list_environments",
                                              "_codex_cloud_github_setup"};
  const std::set<std::string_view> idempotent = {"_codex_local_cancel", "_codex_cloud_cancel",
                                                 "_codex_cleanup_registry"};
  for (const DelegationTool& tool : delegation_table()) {
    const ToolSpec spec = spec_of(tool);
    EXPECT_TRUE(schema::Validator::compile(spec.input_schema)) << spec.name;
    EXPECT_TRUE(schema::Validator::compile(spec.output_schema)) << spec.name;
    EXPECT_EQ(Json::parse(spec.input_schema)["type"], "object");
    EXPECT_EQ(Json::parse(spec.output_schema)["type"], "object");
    const Json hints = Json::parse(spec.annotations);
    EXPECT_EQ(hints["readOnlyHint"], reading.contains(tool.name)) << spec.name;
    EXPECT_EQ(hints["destructiveHint"], !reading.contains(tool.name)) << spec.name;
    EXPECT_EQ(hints["idempotentHint"], idempotent.contains(tool.name)) << spec.name;
    // Models are given no schema with a choice at its top: their vendors refuse those.
    for (const char* key : {"anyOf", "oneOf", "allOf"})
      EXPECT_FALSE(Json::parse(spec.input_schema).contains(key));
  }
}

TEST(Arguments, EveryParameterIsTakenInBothSpellings) {
  for (const DelegationTool& tool : delegation_table()) {
    for (const Parameter& parameter : tool.parameters) {
      std::vector<std::string> spellings = {std::string(parameter.name),
                                            camel_case(parameter.name)};
      if (!parameter.also.empty()) {
        spellings.emplace_back(parameter.also);
        spellings.push_back(camel_case(parameter.also));
      }
      for (const std::string& spelling : spellings) {
        Json arguments = required_of(tool);
        arguments.erase(std::string(parameter.name));
        arguments[spelling] = fitting(parameter);
        const auto read = Arguments::read(tool, arguments.dump());
        ASSERT_TRUE(read) << tool.name << " " << spelling << ": " << read.error().message;
        EXPECT_TRUE(read->has(parameter.name)) << tool.name << " " << spelling;
      }
    }
  }
}

TEST(Arguments, WrongOnesAreRefusedByName) {
  const struct {
    const char* tool;
    const char* arguments;
    const char* refusal;
  } kRows[] = {
      {"_codex_local_wait", R"({})", "missing_parameter task_id"},
      {"_codex_local_wait", R"({"task_id":null})", "missing_parameter task_id"},
      {"_codex_local_wait", R"({"task_id":7})", "bad_value task_id"},
      {"_codex_local_wait", R"({"task_id":"T-local-abc","taskId":"T-local-abd"})",
       "conflicting_parameters task_id"},
      {"_codex_local_wait", R"({"task_id":"T-local-abc","timeout_sec":0})",
       "bad_value timeout_sec"},
      {"_codex_local_wait", R"({"task_id":"T-local-abc","timeout_sec":3601})",
       "bad_value timeout_sec"},
      {"_codex_local_wait", R"({"task_id":"T-local-abc","timeout_sec":1.5})",
       "bad_value timeout_sec"},
      {"_codex_local_wait", R"({"task_id":"T-local-abc","timeout_sec":1e400})",
       "bad_value timeout_sec"},
      {"_codex_local_wait", R"({"task_id":"T-local-abc","timeout_sec":"soon"})",
       "bad_value timeout_sec"},
      {"_codex_local_wait", R"({"task_id":"T-local-abc","include_output":"yes"})",
       "bad_value include_output"},
      {"_codex_local_wait", R"({"task_id":"T-local-abc","format":"xml"})", "bad_value format"},
      {"_codex_local_run", R"({"task":"x","mode":"root"})", "bad_value mode"},
      {"_codex_local_exec", R"({"task":"x","mode":"preview"})", "bad_value mode"},
      {"_codex_local_run", R"({"task":"a\u0000b"})", "bad_value task"},
      {"_codex_local_run", R"({"task":"x","env_allow_list":"A"})", "bad_value env_allow_list"},
      {"_codex_local_run", R"({"task":"x","output_schema":[]})", "bad_value output_schema"},
      {"_codex_local_run", R"({"task":"x","tsak":1})", "unknown_parameter tsak"},
      {"_codex_local_run", R"([1])", "bad_value arguments"},
      {"_codex_local_run", R"({"task":"x")", "bad_value arguments"},
      {"_codex_cleanup_registry", R"({"stuck_threshold_seconds":59})",
       "bad_value stuck_task_max_age_seconds"},
  };
  for (const auto& row : kRows)
    EXPECT_EQ(reason_of(row.tool, row.arguments), row.refusal) << row.arguments;
}

TEST(Arguments, SameValueTwiceAndNumbersAsTextAreTaken) {
  const auto& wait = *find_delegation_tool("_codex_local_wait");
  const auto read = Arguments::read(
      wait,
      R"({"task_id":"T-local-abc","taskId":"T-local-abc","timeoutSec":"12","includeOutput":"true"})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->integer("timeout_sec"), 12);
  EXPECT_EQ(read->given_flag("include_output"), true);
  EXPECT_EQ(read->integer("max_output_bytes"), 65536);  // the standard
  EXPECT_EQ(read->text("format"), "markdown");
}

TEST(Arguments, AnUnknownNameComesWithTheOneThatWasMeant) {
  const auto& wait = *find_delegation_tool("_codex_local_wait");
  const auto read = Arguments::read(wait, R"({"task_id":"T-local-abc","timeout_secs":5})");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "Unknown parameter 'timeout_secs'. Did you mean 'timeout_sec'?");
  const auto far = Arguments::read(wait, R"({"task_id":"T-local-abc","zebra":5})");
  ASSERT_FALSE(far);
  EXPECT_EQ(far.error().message, "Unknown parameter 'zebra'.");
}

TEST(Arguments, HostileOnesAreRefusedAndNothingElse) {
  const auto& run = *find_delegation_tool("_codex_local_run");
  std::vector<std::string> hostile = {
      std::string(100'000, '['),
      std::string(100'000, '{'),
      "{\"task\":" + std::string(2000, '[') + std::string(2000, ']') + "}",
      "{\"" + std::string(1'000'000, 'k') + "\":1}",
      "{\"task\":\"x\",\"env_allow_list\":[" + std::string(4000, '0') + "]}",
      "{\"task\":\"\\ud800\\u0000\"}",
      "\xFF\xFE",
      "null",
      "\"task\"",
      "{\"task\":{\"a\":1}}",
      "{\"task\":\"x\",\"agent\":\"rm -rf\"}"};
  std::string many = "{\"task\":\"x\",\"env_policy\":\"allow-list\",\"env_allow_list\":[\"A\"";
  for (int i = 0; i < 2000; ++i) many += ",\"A\"";
  hostile.push_back(many + "]}");
  for (const std::string& each : hostile) {
    const auto read = Arguments::read(run, each);
    ASSERT_FALSE(read) << each.substr(0, 60);
    EXPECT_EQ(read.error().code, ErrorCode::validation);
    EXPECT_LT(read.error().message.size() + read.error().details.size(), 2000U);
    EXPECT_TRUE(Json::accept(task::error_envelope(run.name, read.error())));
  }
}

}  // namespace
}  // namespace dragoman::mcp
