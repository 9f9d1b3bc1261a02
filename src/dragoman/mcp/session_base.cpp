// SPDX-License-Identifier: Apache-2.0
// Lifecycle, lists, logging and completion.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/compose.hpp"
#include "dragoman/mcp/lists.hpp"
#include "dragoman/mcp/session_parts.hpp"

namespace dragoman::mcp {
namespace {

using json::Kind;
using json::Value;

}  // namespace

std::string Session::result(Exchange& request, std::string_view members, Caching caching) const {
  std::string out = "{";
  if (request.era() == Era::legacy) return out.append(members).append("}");
  out.append(R"("resultType":"complete",)").append(members);
  if (!members.empty()) out.push_back(',');
  if (caching == Caching::shared) out.append(R"("ttlMs":300000,"cacheScope":"public",)");
  if (caching == Caching::own) out.append(R"("ttlMs":0,"cacheScope":"private",)");
  return out.append(server_.meta()).append("}");
}

std::string Session::completed(const Exchange& request, std::string object) const {
  if (request.era() == Era::legacy) return object;
  object.back() = ',';
  return object.append(R"("resultType":"complete",)").append(server_.meta()).append("}");
}

Response Session::initialize(Exchange& request) {
  const auto asked = string_member(request.params(), "protocolVersion");
  if (!asked) return bad_params("protocolVersion must be a string");
  const std::string version(is_legacy_version(*asked) ? std::string_view(*asked) : kLatestLegacy);
  {
    const Lock lock(mutex_);
    client_ = std::make_shared<const Client>(legacy_client(request.params(), version));
  }
  const ServerInfo& info = server_.box().info();
  std::string out;
  json::Writer w(out);
  w.begin_object().name("protocolVersion").string(version);
  w.name("capabilities").raw({capabilities(server_.abilities(), Era::legacy, version)});
  w.name("serverInfo").raw({server_.identity()});
  if (!info.instructions.empty()) w.name("instructions").string(info.instructions);
  w.end_object();
  return out;
}

Response Session::discover(Exchange& request) {
  std::string out;
  out.append(R"("supportedVersions":[")").append(kModernVersion).append(R"("],"capabilities":)");
  out.append(capabilities(server_.abilities(), Era::modern, kModernVersion));
  if (const std::string& words = server_.box().info().instructions; !words.empty()) {
    out.append(R"(,"instructions":)");
    json::append_string(out, std::string_view(words));
  }
  return result(request, out, Caching::shared);
}

Response Session::ping(Exchange& request) { return result(request, ""); }

Response Session::set_level(Exchange& request) {
  const auto level = log_level(string_member(request.params(), "level").value_or(""));
  if (!level)
    return bad_params(
        "level must be one of debug, info, notice, warning, error, critical, alert, emergency");
  const Lock lock(mutex_);
  log_from_ = *level;
  return std::string("{}");
}

template <typename Specs, typename Append>
Response Session::list(Exchange& request, std::string_view name, const Specs& specs, Append append,
                       Caching caching) const {
  const Value cursor = member(request.params(), "cursor");
  if (!cursor.absent() && !cursor.is(Kind::string)) return bad_params("cursor must be a string");
  const auto page = page_of(cursor.absent() ? std::string() : cursor.text().str(), specs.size());
  if (!page) return bad_params("the cursor is none that was given out");
  std::string out = fmt::format(R"("{}":[)", name);
  for (std::size_t i = page->first; i < page->last; ++i) {
    if (i > page->first) out.push_back(',');
    append(out, specs[i]);
  }
  out.push_back(']');
  if (!page->next.empty()) out.append(R"(,"nextCursor":")").append(page->next).append("\"");
  return result(request, out, caching);
}

Response Session::list_tools(Exchange& request) {
  const Era era = request.era();
  return list(
      request, "tools", server_.box().tools(),
      [era](std::string& out, const ToolSpec& tool) { append_tool(out, tool, era); },
      Caching::shared);
}

Response Session::list_resources(Exchange& request) {
  const auto specs = server_.box().resources();
  if (!specs) return protocol_error(specs.error(), request.era(), kInternalError);
  return list(request, "resources", *specs, append_resource, Caching::own);
}

Response Session::list_templates(Exchange& request) {
  const auto specs = server_.box().templates();
  if (!specs) return protocol_error(specs.error(), request.era(), kInternalError);
  return list(request, "resourceTemplates", *specs, append_template, Caching::shared);
}

Response Session::list_prompts(Exchange& request) {
  const auto specs = server_.box().prompts();
  if (!specs) return protocol_error(specs.error(), request.era(), kInternalError);
  return list(request, "prompts", *specs, append_prompt, Caching::shared);
}

Response Session::complete(Exchange& request) {
  const Value ref = member(request.params(), "ref");
  const Value argument = member(request.params(), "argument");
  const std::string type = string_member(ref, "type").value_or("");
  CompletionQuery query;
  query.resource = type == "ref/resource";
  if (!query.resource && type != "ref/prompt") {
    return bad_params("ref.type must be ref/prompt or ref/resource");
  }
  const auto of = string_member(ref, query.resource ? "uri" : "name");
  const auto name = string_member(argument, "name");
  const auto value = string_member(argument, "value");
  if (!of || !name || !value) {
    return bad_params("ref and argument must name what is to be completed");
  }
  query.of = *of;
  query.argument = *name;
  query.value = *value;
  const Value known = member(member(request.params(), "context"), "arguments");
  query.context_arguments = known.is(Kind::object) ? std::string(known.raw) : "{}";
  const auto found = server_.box().complete(query);
  if (!found) return protocol_error(found.error(), request.era(), kInvalidParams);
  std::string out = R"("completion":)";
  json::Writer w(out);
  w.begin_object().name("values").begin_array();
  const std::size_t count = std::min(found->values.size(), kMostCompletions);
  for (std::size_t i = 0; i < count; ++i) w.string(found->values[i]);
  const std::uint64_t total = found->total.value_or(found->values.size());
  w.end_array().name("total").count(total).name("hasMore").boolean(total > count).end_object();
  return result(request, out);
}

}  // namespace dragoman::mcp
