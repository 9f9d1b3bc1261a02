// SPDX-License-Identifier: Apache-2.0
// The one-pass extraction against a plain parser that builds the whole document.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/dialect/claude_line.hpp"
#include "dragoman/dialect/recent_ids.hpp"
#include "structured.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

using Json = nlohmann::json;

// What a value means, or null when it is absent.
Json meant(const json::Value& value) {
  return value.absent() ? Json() : Json::parse(value.raw.begin(), value.raw.end());
}

Json get(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object.at(key) : Json();
}

void compare_usage(const ClaudeUsage& fast, const Json& plain) {
  EXPECT_EQ(meant(fast.input_tokens), get(plain, "input_tokens"));
  EXPECT_EQ(meant(fast.cache_creation_input_tokens), get(plain, "cache_creation_input_tokens"));
  EXPECT_EQ(meant(fast.cache_read_input_tokens), get(plain, "cache_read_input_tokens"));
  EXPECT_EQ(meant(fast.output_tokens), get(plain, "output_tokens"));
}

void compare_message(const ClaudeLine& line, const Json& plain) {
  const ClaudeMessage& fast = line.message;
  EXPECT_EQ(meant(fast.id), get(plain, "id"));
  EXPECT_EQ(meant(fast.model), get(plain, "model"));
  const Json content = get(plain, "content");
  if (content.is_array()) {
    ASSERT_EQ(line.blocks.size(), content.size());
    for (std::size_t i = 0; i < content.size(); ++i) {
      const ClaudeBlock& block = line.blocks[i];
      EXPECT_EQ(meant(block.type), get(content[i], "type"));
      EXPECT_EQ(meant(block.id), get(content[i], "id"));
      EXPECT_EQ(meant(block.name), get(content[i], "name"));
      EXPECT_EQ(meant(block.text), get(content[i], "text"));
      EXPECT_EQ(meant(block.thinking), get(content[i], "thinking"));
      EXPECT_EQ(meant(block.tool_use_id), get(content[i], "tool_use_id"));
      EXPECT_EQ(meant(block.content), get(content[i], "content"));
      EXPECT_EQ(meant(block.is_error), get(content[i], "is_error"));
      EXPECT_EQ(meant(block.input), get(content[i], "input"));
    }
  } else {
    EXPECT_EQ(meant(fast.content), content);
  }
  EXPECT_EQ(fast.has_usage, get(plain, "usage").is_object());
  if (fast.has_usage) compare_usage(fast.usage, plain.at("usage"));
}

void compare(const ClaudeLine& fast, const Json& plain) {
  EXPECT_EQ(meant(fast.type), get(plain, "type"));
  EXPECT_EQ(meant(fast.subtype), get(plain, "subtype"));
  EXPECT_EQ(meant(fast.session_id), get(plain, "session_id"));
  EXPECT_EQ(meant(fast.uuid), get(plain, "uuid"));
  EXPECT_EQ(meant(fast.parent_tool_use_id), get(plain, "parent_tool_use_id"));
  EXPECT_EQ(meant(fast.cwd), get(plain, "cwd"));
  EXPECT_EQ(meant(fast.tool_use_result), get(plain, "tool_use_result"));
  EXPECT_EQ(meant(fast.tool_result_meta), get(plain, "tool_result_meta"));
  EXPECT_EQ(meant(fast.is_error), get(plain, "is_error"));
  EXPECT_EQ(meant(fast.result), get(plain, "result"));
  EXPECT_EQ(meant(fast.errors), get(plain, "errors"));
  EXPECT_EQ(meant(fast.stop_reason), get(plain, "stop_reason"));
  EXPECT_EQ(meant(fast.terminal_reason), get(plain, "terminal_reason"));
  EXPECT_EQ(meant(fast.num_turns), get(plain, "num_turns"));
  EXPECT_EQ(meant(fast.total_cost_usd), get(plain, "total_cost_usd"));
  EXPECT_EQ(meant(fast.permission_denials), get(plain, "permission_denials"));
  EXPECT_EQ(meant(fast.tools), get(plain, "tools"));
  EXPECT_EQ(meant(fast.task_id), get(plain, "task_id"));
  EXPECT_EQ(meant(fast.tasks), get(plain, "tasks"));
  EXPECT_EQ(meant(fast.request_id), get(plain, "request_id"));
  EXPECT_EQ(meant(fast.abandoned_blocks), get(plain, "abandoned_blocks"));
  EXPECT_EQ(fast.has_message, get(plain, "message").is_object());
  if (fast.has_message) compare_message(fast, plain.at("message"));
  EXPECT_EQ(fast.has_usage, get(plain, "usage").is_object());
  if (fast.has_usage) compare_usage(fast.usage, plain.at("usage"));
  const Json event = get(plain, "event");
  if (event.is_object()) {
    EXPECT_EQ(meant(fast.fragment.type), get(event, "type"));
    EXPECT_EQ(meant(fast.fragment.index), get(event, "index"));
    EXPECT_EQ(meant(fast.fragment.text), get(get(event, "delta"), "text"));
    EXPECT_EQ(meant(fast.fragment.thinking), get(get(event, "delta"), "thinking"));
  }
  const Json request = get(plain, "request");
  if (request.is_object()) {
    EXPECT_EQ(meant(fast.can_use.subtype), get(request, "subtype"));
    EXPECT_EQ(meant(fast.can_use.tool_name), get(request, "tool_name"));
    EXPECT_EQ(meant(fast.can_use.input), get(request, "input"));
    EXPECT_EQ(meant(fast.can_use.tool_use_id), get(request, "tool_use_id"));
    EXPECT_EQ(meant(fast.can_use.permission_suggestions), get(request, "permission_suggestions"));
  }
}

std::vector<std::string> captured_lines() {
  std::vector<std::string> lines;
  const auto root = source_dir() / "tests/data/captures/claude";
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.path().extension() != ".jsonl") continue;
    const std::string bytes = read_file(entry.path());
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
      if (bytes[at] == '{') lines.push_back(bytes.substr(at, end - at));
      at = end + 1;
    }
  }
  return lines;
}

TEST(ClaudeLine, TheFastExtractionMeansWhatAPlainParserMeans) {
  ClaudeLine fast;
  std::size_t compared = 0;
  for (const std::string& line : captured_lines()) {
    clear(fast);
    json::Cursor cursor(line);
    read_claude_line(cursor, fast);
    ASSERT_TRUE(cursor.finish()) << line.substr(0, 200);
    compare(fast, Json::parse(line));
    if (testing::Test::HasFailure()) FAIL() << line.substr(0, 400);
    ++compared;
  }
  EXPECT_GE(compared, 500u);
}

// The order of the members means nothing.
TEST(ClaudeLine, ReordersNothingButTheOrder) {
  ClaudeLine fast;
  for (const std::string& line : captured_lines()) {
    const Json plain = Json::parse(line);  // sorts its keys
    const std::string sorted = plain.dump();
    clear(fast);
    json::Cursor cursor(sorted);
    read_claude_line(cursor, fast);
    ASSERT_TRUE(cursor.finish());
    compare(fast, plain);
    if (testing::Test::HasFailure()) FAIL() << sorted.substr(0, 400);
  }
}

// A good line is never refused. (What is passed over is not looked at closely, so the other way
// round does not hold: of a broken number that nobody reads nothing is said.)
TEST(ClaudeLine, NeverRefusesWhatAPlainParserTakes) {
  Random random(3);
  const std::vector<std::string> lines = captured_lines();
  std::size_t refused = 0;
  for (std::size_t i = 0; i < scaled(40'000); ++i) {
    std::string line = random.pick(lines);
    if (line.size() > 3000) continue;
    const std::size_t at = random.below(line.size());
    switch (random.below(3)) {
      case 0:
        line[at] = random.byte();
        break;
      case 1:
        line.erase(at, 1 + random.below(4));
        break;
      default:
        line.insert(at, 1, "{}[],:\"\\0tn"[random.below(11)]);
    }
    ClaudeLine fast;
    json::Cursor cursor(line);
    read_claude_line(cursor, fast);
    const bool taken = cursor.finish();
    refused += taken ? 0 : 1;
    if (Json::accept(line)) {
      EXPECT_TRUE(taken) << line;
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(RecentIds, RemembersTheLast4096) {
  RecentIds ids;
  const auto uuid = [](std::size_t i) {
    char text[40];
    std::snprintf(text, sizeof text, "%08zx-0000-4000-8000-%012zx", i, i * 7919);
    return std::string(text);
  };
  for (std::size_t i = 0; i < 20'000; ++i) EXPECT_TRUE(ids.insert(uuid(i)));
  for (std::size_t i = 20'000 - 4096; i < 20'000; ++i) EXPECT_FALSE(ids.insert(uuid(i))) << i;
  EXPECT_TRUE(ids.insert(uuid(20'000 - 4097)));
  EXPECT_TRUE(ids.insert("not a uuid"));
  EXPECT_FALSE(ids.insert("not a uuid"));
  EXPECT_TRUE(ids.insert("not a uuie"));
}

}  // namespace
}  // namespace dragoman::test
