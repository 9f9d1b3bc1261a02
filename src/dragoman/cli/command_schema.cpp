// SPDX-License-Identifier: Apache-2.0
// dragoman schema: the JSON Schemas that are compiled in.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/suggest.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/schema/embedded.hpp"

namespace dragoman::cli {
namespace {

std::vector<std::string_view> ids() {
  std::vector<std::string_view> out;
  for (const schema::EmbeddedSchema& one : schema::all()) out.push_back(one.id);
  return out;
}

// "event/status" of event/status.json.
std::string_view short_name(const schema::EmbeddedSchema& one) {
  std::string_view name = one.file;
  if (name.ends_with(".json")) name.remove_suffix(5);
  return name;
}

// What completion offers.
std::vector<std::string_view> ids_and_short_names() {
  std::vector<std::string_view> names = ids();
  for (const schema::EmbeddedSchema& one : schema::all()) names.push_back(short_name(one));
  return names;
}

int list_schemas(bool as_json, Console& console) {
  std::string& out = console.out().buffer();
  if (!as_json) {
    for (const std::string_view id : ids()) out.append(id).push_back('\n');
    return kOk;
  }
  json::Writer w(out);
  w.begin_array();
  for (const schema::EmbeddedSchema& one : schema::all()) {
    w.begin_object();
    w.key("id").string(one.id).key("file").string(one.file);
    w.end_object();
  }
  w.end_array();
  out.push_back('\n');
  return kOk;
}

// By its id, its file or the last words of its id: "dragoman/event/status/v1", "event/status.json",
// "event/status".
std::optional<schema::EmbeddedSchema> look_up(const std::string& word) {
  if (const auto exact = schema::find(word)) return exact;
  for (const schema::EmbeddedSchema& one : schema::all()) {
    if (one.file == word || one.file == word + ".json") return one;
  }
  return std::nullopt;
}

std::vector<std::string> every_name() {
  std::vector<std::string> names;
  for (const schema::EmbeddedSchema& one : schema::all()) {
    names.emplace_back(one.id);
    names.emplace_back(short_name(one));
  }
  return names;
}

int run_schema(const Invocation& invocation, Console& console) {
  if (invocation.arguments().empty()) return list_schemas(invocation.has("json"), console);
  const std::string& word = invocation.arguments()[0];
  const auto found = look_up(word);
  if (!found.has_value()) {
    const std::string meant = did_you_mean(word, every_name());
    return console.fail(fmt::format("schema: no schema '{}'", printable(word)),
                        meant.empty() ? "'dragoman schema' lists them" : meant);
  }
  console.out().write(found->text);
  if (!found->text.ends_with('\n')) console.out().write("\n");
  return kOk;
}

}  // namespace

CommandSpec schema_command() {
  return {"schema",
          "the JSON Schemas of every event and payload",
          "Without ID the list of ids. A schema is found by its id or by its file name:\n"
          "'dragoman/event/status/v1' and 'event/status' are the same.",
          {json_option(), color_option()},
          {{.name = "ID", .help = "which schema", .offers = ids_and_short_names}},
          {"dragoman schema", "dragoman schema event/status"},
          run_schema};
}

}  // namespace dragoman::cli
