// SPDX-License-Identifier: Apache-2.0
// Content of every kind, progress, logging, and the tools that look at the protocol itself.
#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/conformance_box.hpp"

namespace dragoman::mcp {
namespace {

using Box = ConformanceBox;
using std::chrono::milliseconds;

constexpr std::string_view kSound =
    "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

Result<ToolAnswer> simple_text(Box&, const Call&) {
  return text_result("This is a simple text response for testing.");
}

std::string image() {
  return fmt::format(R"({{"type":"image","data":"{}","mimeType":"image/png"}})", kPixel);
}

Result<ToolAnswer> image_content(Box&, const Call&) {
  return ToolAnswer(ToolResult{.content = image()});
}

Result<ToolAnswer> audio_content(Box&, const Call&) {
  return ToolAnswer(ToolResult{
      .content = fmt::format(R"({{"type":"audio","data":"{}","mimeType":"audio/wav"}})", kSound)});
}

Result<ToolAnswer> embedded_resource(Box&, const Call&) {
  return ToolAnswer(ToolResult{
      .content =
          R"({"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}})"});
}

Result<ToolAnswer> multiple_content(Box&, const Call&) {
  return ToolAnswer(ToolResult{
      .text = "Multiple content types test:",
      .content =
          image() +
          R"(,{"type":"resource","resource":{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}})"});
}

Result<ToolAnswer> error_handling(Box&, const Call&) {
  return ToolAnswer(
      ToolResult{.text = "This tool intentionally returns an error for testing", .is_error = true});
}

Result<ToolAnswer> with_progress(Box&, const Call& call) {
  for (const double progress : {0.0, 50.0, 100.0}) {
    call.context.progress(progress, 100.0, fmt::format("Completed step {} of 100", progress));
    (void)call.context.sleep(milliseconds(50));
  }
  return text_result("Progress was reported.");
}

Result<ToolAnswer> with_logging(Box&, const Call& call) {
  for (const std::string_view message :
       {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
    call.context.log(LogLevel::info, "conformance", fmt::format("\"{}\"", message));
    (void)call.context.sleep(milliseconds(50));
  }
  return text_result("Messages were logged.");
}

Result<ToolAnswer> logging_tool(Box&, const Call& call) {
  call.context.log(LogLevel::info, "conformance", R"("A message for those who asked for it")");
  return text_result("Logged, if the request wanted it.");
}

Result<ToolAnswer> streaming_elicitation(Box&, const Call&) {
  return text_result("Nothing was asked on the stream.");
}

Result<ToolAnswer> reconnection(Box&, const Call& call) {
  call.context.release_stream();
  (void)call.context.sleep(milliseconds(100));
  return text_result("The result came after the stream was taken up again.");
}

Result<ToolAnswer> needs_sampling(Box&, const Call& call) {
  if (!call.context.client().sampling) return missing_capability(R"({"sampling":{}})");
  return text_result("The client declared sampling.");
}

Result<ToolAnswer> tool_change(Box& box, const Call&) {
  box.publish({.tools = true});
  return text_result("The list of tools changed.");
}

Result<ToolAnswer> prompt_change(Box& box, const Call&) {
  box.publish({.prompts = true});
  return text_result("The list of prompts changed.");
}

Result<ToolAnswer> mirrored_header(Box&, const Call& call) {
  return text_result(fmt::format("region={}", string_argument(call, "region")));
}

Result<ToolAnswer> schema_tool(Box&, const Call& call) {
  return text_result(fmt::format("Called with {}", call.arguments));
}

constexpr std::string_view kNoArguments = R"({"type":"object","properties":{}})";
constexpr std::string_view kSchema2020 =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false})";
constexpr std::string_view kHeaderSchema =
    R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer","x-mcp-header":"Level"}}})";

ConformanceTool plain(std::string_view name, std::string_view description,
                      Result<ToolAnswer> (*run)(Box&, const Call&),
                      std::string_view schema = kNoArguments) {
  ConformanceTool tool{{}, run};
  tool.spec.name = name;
  tool.spec.description = description;
  tool.spec.input_schema = schema;
  return tool;
}

std::vector<ConformanceTool> all_tools() {
  std::vector<ConformanceTool> tools = {
      plain("test_simple_text", "A text", simple_text),
      plain("test_image_content", "An image", image_content),
      plain("test_audio_content", "A sound", audio_content),
      plain("test_embedded_resource", "An embedded resource", embedded_resource),
      plain("test_multiple_content_types", "A text, an image and a resource", multiple_content),
      plain("test_error_handling", "A result that is an error", error_handling),
      plain("test_tool_with_progress", "Three progress notifications", with_progress),
      plain("test_tool_with_logging", "Three log messages", with_logging),
      plain("test_logging_tool", "A log message for requests that want one", logging_tool),
      plain("test_streaming_elicitation", "A plain result", streaming_elicitation),
      plain("test_reconnection", "Closes its stream before it answers", reconnection),
      plain("test_missing_capability", "Works with clients that sample", needs_sampling),
      plain("test_trigger_tool_change", "Says that the tools changed", tool_change),
      plain("test_trigger_prompt_change", "Says that the prompts changed", prompt_change),
      plain("test_x_mcp_header", "Arguments that are mirrored into headers", mirrored_header,
            kHeaderSchema),
      plain("json_schema_2020_12_tool", "A schema with much of the vocabulary", schema_tool,
            kSchema2020),
  };
  for (ConformanceTool& tool : tools) tool.spec.quick = tool.run == needs_sampling;
  add_conformance_questions(tools);
  add_conformance_jobs(tools);
  return tools;
}

}  // namespace

const std::vector<ConformanceTool>& conformance_tools() {
  static const std::vector<ConformanceTool> kTools = all_tools();
  return kTools;
}

}  // namespace dragoman::mcp
