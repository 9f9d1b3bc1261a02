// SPDX-License-Identifier: Apache-2.0
// What we write is read by the parsers that the source documents print, in Python and in
// JavaScript, as well.
#include <cstdio>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/dialect/guarded_text.hpp"
#include "dragoman/dialect/line_value.hpp"
#include "dragoman/event/names.hpp"
#include "tests/support/files.hpp"
#include "tests/support/random_speech.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/writing.hpp"

namespace dragoman {
namespace {

using Json = nlohmann::json;
using test::RandomSpeech;
using test::Values;

constexpr std::size_t kEventsEach = 12;

struct Documents {
  std::string bytes;           // separated by NUL
  std::vector<Json> expected;  // {"doc":…,"type":…,"data":…}
};

// Runs bench/peers/NAME over the documents; its lines as JSON.
std::vector<Json> parsed_by(const std::string& interpreter, const std::string& name,
                            const Documents& documents) {
  const test::TempDir dir;
  const auto file = dir.path() / "documents";
  test::write_file(file, documents.bytes);
  const std::string command = interpreter + " " +
                              (test::source_dir() / "bench/peers" / name).string() + " --events " +
                              file.string();
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::string output;
  std::array<char, 65536> buffer;
  for (std::size_t n = 1; n > 0;) {
    n = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
    output.append(buffer.data(), n);
  }
  std::vector<Json> lines;
  std::size_t at = 0;
  for (std::size_t end = output.find('\n'); end != std::string::npos;
       at = end + 1, end = output.find('\n', at)) {
    Json line = Json::parse(output.begin() + static_cast<std::ptrdiff_t>(at),
                            output.begin() + static_cast<std::ptrdiff_t>(end));
    if (line.contains("content")) continue;
    line.erase("offset");
    line.erase("length");
    lines.push_back(std::move(line));
  }
  return lines;
}

void expect_same(const std::vector<Json>& got, const std::vector<Json>& wanted) {
  ASSERT_FALSE(wanted.empty());
  for (std::size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) {
    ASSERT_EQ(got[i], wanted[i]) << "event " << i;
  }
  ASSERT_EQ(got.size(), wanted.size());
}

template <typename Expect>
Documents make_documents(Target target, Payload (RandomSpeech::*make)(Arena&), Expect expect) {
  RandomSpeech random(42, Values::without_nul);
  Documents documents;
  const std::size_t count = test::scaled(1'000'000 / kEventsEach / 4);
  for (std::size_t doc = 0; doc < count; ++doc) {
    Arena arena;
    const auto writer = make_writer(target);
    if (doc > 0) documents.bytes.push_back('\0');
    for (std::size_t i = 0; i < kEventsEach; ++i) {
      if (random.random().one_in(4)) {
        EXPECT_TRUE(writer->write(test::text_event(random.text(arena)), documents.bytes));
        continue;
      }
      const Event event = test::event_of((random.*make)(arena));
      if (!writer->write(event, documents.bytes)) continue;
      Json line = expect(event);
      if (line.is_null()) continue;
      line["doc"] = doc;
      documents.expected.push_back(std::move(line));
    }
    writer->finish(documents.bytes);
  }
  return documents;
}

void put(Json& data, const char* key, std::string_view value) {
  if (value.data() != nullptr) data[key] = value;
}
void put(Json& data, const char* key, const std::optional<Number>& value) {
  if (!value) return;
  if (value->integral) {
    data[key] = value->integer;
  } else {
    data[key] = value->real;
  }
}

Json wxcode_line(const Event& event) {
  Json data = Json::object();
  const auto line = [&data](const char* type) { return Json{{"type", type}, {"data", data}}; };
  if (const auto* p = event.as<CommandStarted>()) {
    put(data, "command", p->command);
    data["args"] = nullptr;
    put(data, "args", p->args);
    put(data, "title", p->title);
    put(data, "phase", p->phase);
    put(data, "plan", p->plan);
    return line("HEADER");
  }
  if (const auto* p = event.as<ToolStarted>()) {
    put(data, "tool", p->tool);
    put(data, "description", p->description);
    put(data, "command", p->command.bytes);
    put(data, "file", p->file);
    put(data, "mcp_tool", p->mcp_tool);
    return line("TOOL");
  }
  if (const auto* p = event.as<ToolFinished>()) {
    put(data, "tool", p->tool);
    data["success"] = p->outcome == Outcome::ok;
    if (!p->output.absent()) data["output"] = shortened(p->output.str(), 200);
    put(data, "error", p->error.bytes);
    put(data, "duration_ms", p->duration_ms);
    return line("TOOL_RESULT");
  }
  if (const auto* p = event.as<Status>()) {
    put(data, "status", p->status);
    put(data, "message", p->message.bytes);
    put(data, "progress", p->progress);
    put(data, "phase", p->phase);
    put(data, "plan", p->plan);
    put(data, "task", p->task);
    return line("STATUS");
  }
  if (const auto* p = event.as<NextAction>()) {
    put(data, "command", p->command);
    put(data, "args", p->args);
    put(data, "description", p->description);
    put(data, "priority", p->priority);
    return line("NEXT_ACTION");
  }
  const auto* p = event.as<Failure>();
  put(data, "code", p->code);
  put(data, "message", p->message.bytes);
  if (p->recoverable != Recoverable::unknown) {
    data["recoverable"] = p->recoverable == Recoverable::true_;
  }
  put(data, "suggestion", p->suggestion);
  return line("ERROR");
}

// Python and JavaScript do not agree on what white space is: here it is what either of them strips.
std::string stripped(std::string_view value) {
  std::string out = guarded_value(value);
  out.erase(0, leading_space(out));
  while (!out.empty()) {
    std::size_t last = out.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(out[last]) & 0xC0U) == 0x80U) --last;
    if (leading_space(std::string_view(out).substr(last)) == 0) break;
    out.resize(last);
  }
  return out;
}

// What the marker parsers know of: five markers, of which they read options and context with known
// faults, so that only their first lines are compared.
Json marker_line(const Event& event) {
  if (const auto* p = event.as<Status>()) {
    return {{"type", "progress"}, {"data", stripped(p->message.str())}};
  }
  if (const auto* p = event.as<Question>()) {
    return {{"type", "question"}, {"data", stripped(p->text)}};
  }
  if (const auto* p = event.as<Blocked>()) {
    return {{"type", "blocked"}, {"data", stripped(p->reason)}};
  }
  if (const auto* p = event.as<FilesChanged>()) {
    const std::size_t entries = p->files.empty() ? 1 : p->files.size();  // "none" is an entry there
    return {{"type", "files_modified"}, {"data", entries}};
  }
  if (event.as<CompletionClaimed>() != nullptr) return {{"type", "completed"}, {"data", true}};
  return {};
}

std::vector<Json> comparable(std::vector<Json> lines) {
  for (Json& line : lines) {
    Json& data = line["data"];
    if (line["type"] == "question") data = Json(data["question"]);
    if (line["type"] == "blocked") data = Json(data["reason"]);
    if (line["type"] == "files_modified") data = data.size();
    if (data.is_string()) data = stripped(data.get<std::string>());
  }
  return lines;
}

TEST(ReferenceParsers, ReadOurWxcode) {
  const Documents documents = make_documents(Target::wxcode, &RandomSpeech::wxcode, wxcode_line);
  expect_same(parsed_by("python3", "wxcode.py", documents), documents.expected);
  expect_same(parsed_by("node", "wxcode.mjs", documents), documents.expected);
}

TEST(ReferenceParsers, ReadOurBracketMarkers) {
  const Documents documents = make_documents(Target::markers, &RandomSpeech::bracket, marker_line);
  expect_same(comparable(parsed_by("python3", "markers.py", documents)), documents.expected);
  expect_same(comparable(parsed_by("node", "markers.mjs", documents)), documents.expected);
}

}  // namespace
}  // namespace dragoman
