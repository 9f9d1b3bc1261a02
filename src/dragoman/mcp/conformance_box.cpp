// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/conformance_box.hpp"

#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/message.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::size_t kMostChanges = 256;
constexpr std::string_view kTemplateStart = "test://template/";
constexpr std::string_view kTemplateEnd = "/data";

std::vector<ToolSpec> specs() {
  std::vector<ToolSpec> out;
  for (const ConformanceTool& tool : conformance_tools()) out.push_back(tool.spec);
  return out;
}

std::string text_content(std::string_view uri, std::string_view type, std::string_view text) {
  std::string out = "[";
  json::Writer w(out);
  w.begin_object().name("uri").string(uri).name("mimeType").string(type);
  w.name("text").string(text).end_object();
  return out.append("]");
}

std::string text_message(std::string_view text) {
  std::string out = R"({"role":"user","content":{"type":"text","text":)";
  json::append_string(out, text);
  return out.append("}}");
}

}  // namespace

ConformanceBox::ConformanceBox(std::string version)
    : info_{"dragoman-conformance", "dragoman conformance fixture", std::move(version),
            "Tools that the conformance suite of the protocol calls by name."},
      tools_(specs()),
      tasks_([this](const std::string& id) {
        Changes changes;
        changes.tasks.push_back(id);
        publish(std::move(changes));
      }) {}

Abilities ConformanceBox::abilities() const {
  return {.resources = true,
          .prompts = true,
          .completions = true,
          .tasks = true,
          .task_list = false,
          .changes = true,
          .lists_change = true};
}

Result<ToolAnswer> ConformanceBox::call(const Call& call) {
  for (const ConformanceTool& tool : conformance_tools()) {
    if (tool.spec.name == call.name) return tool.run(*this, call);
  }
  return Error{ErrorCode::not_found, fmt::format("Unknown tool: {}", call.name)};
}

Result<std::vector<ResourceSpec>> ConformanceBox::resources() {
  return std::vector<ResourceSpec>{
      {"test://static-text", "Static text", "", "A static text resource", "text/plain"},
      {"test://static-binary", "Static binary", "", "A static image", "image/png"},
      {"test://watched-resource", "Watched", "", "A resource to subscribe to", "text/plain"},
  };
}

Result<std::vector<ResourceSpec>> ConformanceBox::templates() {
  return std::vector<ResourceSpec>{
      {"test://template/{id}/data", "Template", "", "A resource for each id", "application/json"}};
}

Result<ResourceAnswer> ConformanceBox::read(const Call& call) {
  const std::string_view uri = call.name;
  if (uri == "test://static-text") {
    return ResourceAnswer(ResourceResult{
        text_content(uri, "text/plain", "This is the content of the static text resource.")});
  }
  if (uri == "test://watched-resource") {
    return ResourceAnswer(
        ResourceResult{text_content(uri, "text/plain", "Watched resource content")});
  }
  if (uri == "test://static-binary") {
    return ResourceAnswer(ResourceResult{
        fmt::format(R"([{{"uri":"{}","mimeType":"image/png","blob":"{}"}}])", uri, kPixel)});
  }
  if (uri.starts_with(kTemplateStart) && uri.ends_with(kTemplateEnd) &&
      uri.size() > kTemplateStart.size() + kTemplateEnd.size()) {
    const std::string_view id =
        uri.substr(kTemplateStart.size(), uri.size() - kTemplateStart.size() - kTemplateEnd.size());
    std::string text;
    json::Writer w(text);
    w.begin_object().name("id").string(id).name("templateTest").boolean(true);
    w.name("data").string(fmt::format("Data for ID: {}", id)).end_object();
    return ResourceAnswer(ResourceResult{text_content(uri, "application/json", text)});
  }
  return Error{ErrorCode::not_found, fmt::format("Resource not found: {}", uri)};
}

Result<std::vector<PromptSpec>> ConformanceBox::prompts() {
  return std::vector<PromptSpec>{
      {"test_simple_prompt", "", "A prompt without arguments", {}},
      {"test_prompt_with_arguments",
       "",
       "A prompt with two arguments",
       {{"arg1", "The first", true}, {"arg2", "The second", true}}},
      {"test_prompt_with_embedded_resource",
       "",
       "A prompt that embeds a resource",
       {{"resourceUri", "What to embed", true}}},
      {"test_prompt_with_image", "", "A prompt with an image", {}},
      {"test_input_required_result_prompt", "", "A prompt that asks for context first", {}},
  };
}

Result<PromptAnswer> ConformanceBox::prompt(const Call& call) {
  const auto done = [](std::string messages) {
    return PromptAnswer(PromptResult{{}, fmt::format("[{}]", messages)});
  };
  if (call.name == "test_simple_prompt") {
    return done(text_message("This is a simple prompt for testing."));
  }
  if (call.name == "test_prompt_with_arguments") {
    return done(
        text_message(fmt::format("Prompt with arguments: arg1='{}', arg2='{}'",
                                 string_argument(call, "arg1"), string_argument(call, "arg2"))));
  }
  if (call.name == "test_prompt_with_embedded_resource") {
    std::string resource = R"({"role":"user","content":{"type":"resource","resource":)";
    json::Writer w(resource);
    w.begin_object().name("uri").string(string_argument(call, "resourceUri"));
    w.name("mimeType").word("text/plain").name("text");
    w.string("Embedded resource content for testing.").end_object();
    return done(resource + "}}," + text_message("Please process the embedded resource above."));
  }
  if (call.name == "test_prompt_with_image") {
    return done(
        fmt::format(
            R"({{"role":"user","content":{{"type":"image","data":"{}","mimeType":"image/png"}}}},)",
            kPixel) +
        text_message("Please analyze the image above."));
  }
  if (call.name == "test_input_required_result_prompt") {
    const auto context = form_field(call, "user_context", "context");
    if (!context) {
      return PromptAnswer(Asked{{elicitation("user_context", "What context should the prompt use?",
                                             R"("context":{"type":"string"})", R"("context")")},
                                {}});
    }
    return done(text_message(fmt::format("Use this context: {}", *context)));
  }
  return Error{ErrorCode::not_found, fmt::format("Unknown prompt: {}", call.name)};
}

Result<Completion> ConformanceBox::complete(const CompletionQuery& query) {
  Completion completion;
  for (const std::string_view word : {"paris", "park", "party", "test", "testing"}) {
    if (word.starts_with(query.value)) completion.values.emplace_back(word);
  }
  return completion;
}

void ConformanceBox::publish(Changes changes) {
  {
    const Lock lock(mutex_);
    changes_.push_back(std::move(changes));
    if (changes_.size() > kMostChanges) {
      changes_.pop_front();
      ++first_change_;
    }
  }
  wake_.notify_all();
}

Changes ConformanceBox::wait_for_changes(std::uint64_t& cursor, std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  Lock lock(mutex_);
  if (cursor == 0) cursor = first_change_ + changes_.size();
  while (cursor >= first_change_ + changes_.size()) {
    if (std::chrono::steady_clock::now() >= until) return {};
    wake_.wait_until(lock.mutex(), until);
  }
  cursor = std::max(cursor, first_change_);
  return changes_[cursor++ - first_change_];
}

std::string string_argument(const Call& call, std::string_view name) {
  return string_member({json::Kind::object, false, call.arguments}, name).value_or("");
}

ToolAnswer text_result(std::string text) { return ToolResult{.text = std::move(text)}; }

InputRequest elicitation(std::string key, std::string_view message, std::string_view properties,
                         std::string_view required) {
  std::string params = R"({"message":)";
  json::append_string(params, message);
  params.append(R"(,"requestedSchema":{"type":"object","properties":{)").append(properties);
  params.append("}");
  if (!required.empty()) params.append(R"(,"required":[)").append(required).append("]");
  return {std::move(key), "elicitation/create", params.append("}}")};
}

std::optional<std::string> form_field(const Call& call, std::string_view key,
                                      std::string_view field) {
  const InputResponse* const response = call.response(key);
  if (response == nullptr || !response->result.starts_with("{")) return std::nullopt;
  const json::Value result{json::Kind::object, false, response->result};
  if (string_member(result, "action") != "accept") return std::nullopt;
  const json::Value value = member(member(result, "content"), field);
  if (value.absent()) return std::nullopt;
  return value.is(json::Kind::string) ? value.text().str() : std::string(value.raw);
}

}  // namespace dragoman::mcp
