// SPDX-License-Identifier: Apache-2.0
// Tools that ask the client: its user, its model, its roots.
#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/conformance_box.hpp"
#include "dragoman/mcp/message.hpp"

namespace dragoman::mcp {
namespace {

using Box = ConformanceBox;

constexpr std::string_view kName = R"("name":{"type":"string"})";

InputRequest sampling(std::string key, std::string_view prompt, int tokens) {
  std::string params;
  json::Writer w(params);
  w.begin_object().name("messages").begin_array().begin_object();
  w.name("role").word("user").name("content").begin_object();
  w.name("type").word("text").name("text").string(prompt).end_object().end_object().end_array();
  w.name("maxTokens").integer(tokens).end_object();
  return {std::move(key), "sampling/createMessage", params};
}

InputRequest roots(std::string key) { return {std::move(key), "roots/list", "{}"}; }

// The text that a model answered, as far as there is one.
std::string sampled_text(const InputResponse& response) {
  if (!response.result.starts_with("{")) return {};
  const json::Value content = member({json::Kind::object, false, response.result}, "content");
  return string_member(content, "text").value_or("");
}

ToolAnswer ask(std::vector<InputRequest> requests, std::string state = {}) {
  return Asked{std::move(requests), std::move(state)};
}

bool is_object(const InputResponse* response) {
  return response != nullptr && response->result.starts_with("{");
}

Result<ToolAnswer> sample(Box&, const Call& call) {
  const InputResponse* const response = call.response("sample");
  if (!is_object(response)) return ask({sampling("sample", string_argument(call, "prompt"), 100)});
  return text_result(fmt::format("LLM response: {}", sampled_text(*response)));
}

Result<ToolAnswer> elicit(Box&, const Call& call) {
  const InputResponse* const response = call.response("form");
  if (!is_object(response)) {
    return ask({elicitation(
        "form", string_argument(call, "message"),
        R"("username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"})",
        R"("username","email")")});
  }
  return text_result(fmt::format("User response: {}", response->result));
}

Result<ToolAnswer> elicit_with(const Call& call, std::string_view message,
                               std::string_view properties) {
  const InputResponse* const response = call.response("form");
  if (!is_object(response)) return ask({elicitation("form", message, properties, "")});
  return text_result(fmt::format("Elicitation completed: {}", response->result));
}

Result<ToolAnswer> elicit_defaults(Box&, const Call& call) {
  return elicit_with(
      call, "Please review and update the form fields with defaults",
      R"("name":{"type":"string","description":"User name","default":"John Doe"},"age":{"type":"integer","description":"User age","default":30},"score":{"type":"number","description":"User score","default":95.5},"status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","description":"Verification status","default":true})");
}

Result<ToolAnswer> elicit_enums(Box&, const Call& call) {
  return elicit_with(
      call, "Please select options from the enum fields",
      R"("untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}})");
}

Result<ToolAnswer> round_elicitation(Box&, const Call& call) {
  const auto name = form_field(call, "user_name", "name");
  if (!name) {
    return ask({elicitation("user_name", "What is your name?", kName, R"("name")")});
  }
  return text_result(fmt::format("Hello, {}!", *name));
}

Result<ToolAnswer> round_sampling(Box&, const Call& call) {
  const InputResponse* const response = call.response("capital_question");
  if (!is_object(response)) {
    return ask({sampling("capital_question", "What is the capital of France?", 100)});
  }
  return text_result(fmt::format("The model said: {}", sampled_text(*response)));
}

Result<ToolAnswer> round_roots(Box&, const Call& call) {
  const InputResponse* const response = call.response("client_roots");
  if (!is_object(response)) return ask({roots("client_roots")});
  return text_result(fmt::format("Roots: {}", response->result));
}

Result<ToolAnswer> round_state(Box&, const Call& call) {
  const auto ok = form_field(call, "confirm", "ok");
  if (!ok || call.state != "asked") {
    return ask({elicitation("confirm", "Please confirm", R"("ok":{"type":"boolean"})", R"("ok")")},
               "asked");
  }
  return text_result("state-ok");
}

Result<ToolAnswer> round_many(Box&, const Call& call) {
  const auto name = form_field(call, "user_name", "name");
  const InputResponse* const greeting = call.response("greeting");
  if (!name || !is_object(greeting) || !is_object(call.response("client_roots"))) {
    return ask({elicitation("user_name", "What is your name?", kName, R"("name")"),
                sampling("greeting", "Generate a greeting", 50), roots("client_roots")},
               "asked");
  }
  return text_result(fmt::format("{} {}", sampled_text(*greeting), *name));
}

Result<ToolAnswer> round_rounds(Box&, const Call& call) {
  const auto color = form_field(call, "step2", "color");
  if (color && call.state.starts_with("step2 ")) {
    return text_result(fmt::format("{} likes {}", call.state.substr(6), *color));
  }
  const auto name = form_field(call, "step1", "name");
  if (name && call.state == "step1") {
    return ask({elicitation("step2", "Step 2: What is your favorite color?",
                            R"("color":{"type":"string"})", R"("color")")},
               "step2 " + *name);
  }
  return ask({elicitation("step1", "Step 1: What is your name?", kName, R"("name")")}, "step1");
}

Result<ToolAnswer> round_capabilities(Box&, const Call& call) {
  if (!call.responses.empty()) return text_result("Thank you.");
  const Client& client = call.context.client();
  std::vector<InputRequest> requests;
  if (client.elicit_form) {
    requests.push_back(elicitation("user_name", "What is your name?", kName, R"("name")"));
  }
  if (client.sampling) requests.push_back(sampling("greeting", "Generate a greeting", 50));
  if (client.roots) requests.push_back(roots("client_roots"));
  if (requests.empty()) return text_result("The client can be asked nothing.");
  return ask(std::move(requests));
}

}  // namespace

void add_conformance_questions(std::vector<ConformanceTool>& tools) {
  const auto add = [&](std::string_view name, std::string_view description,
                       Result<ToolAnswer> (*run)(Box&, const Call&),
                       std::string_view schema = R"({"type":"object","properties":{}})") {
    ConformanceTool& tool = tools.emplace_back();
    tool.spec.name = name;
    tool.spec.description = description;
    tool.spec.input_schema = schema;
    tool.run = run;
  };
  add("test_sampling", "Asks the client's model", sample,
      R"({"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]})");
  add("test_elicitation", "Asks the client's user", elicit,
      R"({"type":"object","properties":{"message":{"type":"string"}},"required":["message"]})");
  add("test_elicitation_sep1034_defaults", "A form with defaults", elicit_defaults);
  add("test_elicitation_sep1330_enums", "A form with every kind of choice", elicit_enums);
  add("test_input_required_result_elicitation", "Asks for a name", round_elicitation);
  add("test_input_required_result_sampling", "Asks the model", round_sampling);
  add("test_input_required_result_list_roots", "Asks for roots", round_roots);
  add("test_input_required_result_request_state", "Carries a state", round_state);
  add("test_input_required_result_multiple_inputs", "Asks three things at once", round_many);
  add("test_input_required_result_multi_round", "Asks twice", round_rounds);
  add("test_input_required_result_tampered_state", "Carries a state", round_state);
  add("test_input_required_result_capabilities", "Asks what can be asked", round_capabilities);
}

}  // namespace dragoman::mcp
