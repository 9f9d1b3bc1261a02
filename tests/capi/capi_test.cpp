// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman.h"

namespace {

using Lines = std::vector<std::string>;

void collect(const char* json, size_t length, void* user_data) {
  static_cast<Lines*>(user_data)->emplace_back(json, length);
}

dragoman_status push(dragoman_reader* reader, std::string_view bytes, Lines& lines) {
  return dragoman_reader_push(reader, bytes.data(), bytes.size(), collect, &lines);
}

Lines read(const char* dialect, const char* mode, std::string_view bytes) {
  Lines lines;
  dragoman_reader* const reader = dragoman_reader_open(dialect, mode, nullptr);
  EXPECT_NE(reader, nullptr) << dragoman_last_error();
  EXPECT_EQ(push(reader, bytes, lines), DRAGOMAN_OK);
  EXPECT_EQ(dragoman_reader_finish(reader, collect, &lines), DRAGOMAN_OK);
  dragoman_reader_free(reader);
  return lines;
}

TEST(CApi, GivesEachEventAsOneNumberedLine) {
  const Lines lines = read("auto", nullptr,
                           "hello\n<!-- WXCODE:STATUS:{\"status\":\"completed\",\"message\":\"m\"} "
                           "-->\n[PROGRESS] x\n");
  ASSERT_EQ(lines.size(), 4u);
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto event = nlohmann::json::parse(lines[i]);
    kinds.push_back(event.at("kind"));
    EXPECT_EQ(event.at("seq"), i + 1);
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"text", "status", "text", "status"}));
}

TEST(CApi, DoesNotCareHowTheBytesWereCut) {
  const std::string input = "a\nb [PROGRESS] c\n[PROGRESS] d\n<!-- WXCODE:X:{} -->e";
  const Lines whole = read("wxcode", "default", input);
  Lines pieces;
  dragoman_reader* const reader = dragoman_reader_open("wxcode", "default", nullptr);
  for (const char c : input) EXPECT_EQ(push(reader, {&c, 1}, pieces), DRAGOMAN_OK);
  EXPECT_EQ(dragoman_reader_finish(reader, collect, &pieces), DRAGOMAN_OK);
  dragoman_reader_free(reader);
  EXPECT_EQ(pieces, whole);
}

TEST(CApi, SaysWhatIsWrongWithAnArgument) {
  EXPECT_EQ(dragoman_reader_open(nullptr, nullptr, nullptr), nullptr);
  EXPECT_STREQ(dragoman_last_error(), "the dialect is null");
  EXPECT_EQ(dragoman_reader_open("latin", nullptr, nullptr), nullptr);
  EXPECT_STREQ(dragoman_last_error(), "unknown dialect 'latin'");
  EXPECT_EQ(dragoman_reader_open("text", "severe", nullptr), nullptr);
  EXPECT_STREQ(dragoman_last_error(), "unknown mode 'severe'");
  dragoman_options options = DRAGOMAN_OPTIONS_INIT;
  options.line_cap = static_cast<size_t>(-1);
  EXPECT_EQ(dragoman_reader_open("text", nullptr, &options), nullptr);
  EXPECT_STREQ(dragoman_last_error(), "the line cap is more than 1 GiB");
  Lines lines;
  EXPECT_EQ(push(nullptr, "x", lines), DRAGOMAN_BAD_ARGUMENT);
  dragoman_reader* const reader = dragoman_reader_open("text", nullptr, nullptr);
  EXPECT_EQ(dragoman_reader_push(reader, "x", 1, nullptr, nullptr), DRAGOMAN_BAD_ARGUMENT);
  EXPECT_EQ(dragoman_reader_push(reader, nullptr, 1, collect, &lines), DRAGOMAN_BAD_ARGUMENT);
  EXPECT_EQ(dragoman_reader_push(reader, nullptr, 0, collect, &lines), DRAGOMAN_OK);
  dragoman_reader_free(reader);
  dragoman_reader_free(nullptr);
}

TEST(CApi, AFinishedReaderTakesNothingMore) {
  Lines lines;
  dragoman_reader* const reader = dragoman_reader_open("text", nullptr, nullptr);
  EXPECT_EQ(push(reader, "a", lines), DRAGOMAN_OK);
  EXPECT_EQ(dragoman_reader_finish(reader, collect, &lines), DRAGOMAN_OK);
  EXPECT_EQ(push(reader, "b", lines), DRAGOMAN_FINISHED);
  EXPECT_EQ(dragoman_reader_idle(reader, collect, &lines), DRAGOMAN_FINISHED);
  EXPECT_EQ(dragoman_reader_finish(reader, collect, &lines), DRAGOMAN_FINISHED);
  EXPECT_EQ(lines.size(), 1u);
  dragoman_reader_free(reader);
}

// A callback that calls its reader again, or frees it, once.
struct Caller {
  dragoman_reader* reader = nullptr;
  Lines lines;
  std::vector<dragoman_status> answers;
  bool frees = false;
};

void call_back(const char* json, size_t length, void* user_data) {
  auto& caller = *static_cast<Caller*>(user_data);
  caller.lines.emplace_back(json, length);
  if (caller.lines.size() > 1) return;
  if (caller.frees) {
    dragoman_reader_free(caller.reader);
    return;
  }
  caller.answers = {
      dragoman_reader_push(caller.reader, "[PROGRESS] in between\n", 22, call_back, user_data),
      dragoman_reader_idle(caller.reader, call_back, user_data),
      dragoman_reader_finish(caller.reader, call_back, user_data)};
}

constexpr std::string_view kThreeSteps = "[PROGRESS] a\n[PROGRESS] b\n[PROGRESS] c\n";

TEST(CApi, RefusesToBeCalledByItsOwnCallbackAndLosesNothing) {
  Caller caller;
  caller.reader = dragoman_reader_open("markers", nullptr, nullptr);
  EXPECT_EQ(dragoman_reader_push(caller.reader, kThreeSteps.data(), kThreeSteps.size(), call_back,
                                 &caller),
            DRAGOMAN_OK);
  EXPECT_STREQ(dragoman_last_error(),
               "the reader is being used: a callback must not call its own reader");
  EXPECT_EQ(dragoman_reader_finish(caller.reader, call_back, &caller), DRAGOMAN_OK);
  dragoman_reader_free(caller.reader);
  EXPECT_EQ(caller.answers, std::vector<dragoman_status>(3, DRAGOMAN_BUSY));
  EXPECT_EQ(caller.lines, read("markers", nullptr, kThreeSteps));
}

TEST(CApi, MayBeFreedByItsOwnCallbackWhichHearsNothingMore) {
  Caller caller;
  caller.frees = true;
  caller.reader = dragoman_reader_open("markers", nullptr, nullptr);
  EXPECT_EQ(dragoman_reader_push(caller.reader, kThreeSteps.data(), kThreeSteps.size(), call_back,
                                 &caller),
            DRAGOMAN_OK);
  EXPECT_EQ(caller.lines.size(), 1u);
}

TEST(CApi, TellsWhatTheStreamTurnedOutToBe) {
  Lines lines;
  dragoman_reader* const reader = dragoman_reader_open("auto", nullptr, nullptr);
  EXPECT_STREQ(dragoman_reader_dialect(reader), "text");
  EXPECT_EQ(push(reader, "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n", lines),
            DRAGOMAN_OK);
  EXPECT_STREQ(dragoman_reader_dialect(reader), "codex");
  dragoman_reader_free(reader);
  EXPECT_EQ(dragoman_reader_dialect(nullptr), nullptr);
}

TEST(CApi, ObeysTheOptionsTheCallerKnows) {
  dragoman_options options = DRAGOMAN_OPTIONS_INIT;
  options.line_cap = 100;
  options.from_stderr = 1;
  dragoman_reader* reader = dragoman_reader_open("claude", nullptr, &options);
  Lines lines;
  EXPECT_EQ(push(reader, std::string(1000, 'x') + "\n", lines), DRAGOMAN_OK);
  EXPECT_EQ(dragoman_reader_finish(reader, collect, &lines), DRAGOMAN_OK);
  dragoman_reader_free(reader);
  ASSERT_EQ(lines.size(), 1u);
  const auto event = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(event.at("kind"), "oversize");
  EXPECT_EQ(event.at("origin").at("stream"), "stderr");

  // An older caller, whose struct ended before line_cap.
  options.size = sizeof(size_t);
  reader = dragoman_reader_open("claude", nullptr, &options);
  lines.clear();
  EXPECT_EQ(push(reader, std::string(1000, 'x') + "\n", lines), DRAGOMAN_OK);
  EXPECT_EQ(dragoman_reader_finish(reader, collect, &lines), DRAGOMAN_OK);
  dragoman_reader_free(reader);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(nlohmann::json::parse(lines[0]).at("kind"), "text");
}

TEST(CApi, GivesOutFragmentsOnlyWhenTheyAreWanted) {
  const std::string cut =
      R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half"}}})"
      "\n";
  EXPECT_EQ(read("claude", nullptr, cut), Lines{});
  dragoman_options options = DRAGOMAN_OPTIONS_INIT;
  options.partial = 1;
  dragoman_reader* const reader = dragoman_reader_open("claude", nullptr, &options);
  Lines lines;
  EXPECT_EQ(push(reader, cut, lines), DRAGOMAN_OK);
  EXPECT_EQ(dragoman_reader_finish(reader, collect, &lines), DRAGOMAN_OK);
  dragoman_reader_free(reader);
  EXPECT_FALSE(lines.empty());
}

TEST(CApi, IdleGivesOutWhatOnlyWaits) {
  Lines lines;
  dragoman_reader* const reader = dragoman_reader_open("markers", nullptr, nullptr);
  EXPECT_EQ(push(reader, "[BLOCKED] no url\n", lines), DRAGOMAN_OK);
  EXPECT_EQ(lines.size(), 0u);
  EXPECT_EQ(dragoman_reader_idle(reader, collect, &lines), DRAGOMAN_OK);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(lines[0]).at("kind"), "blocked");
  dragoman_reader_free(reader);
}

TEST(CApi, HasTheVersionOfTheProject) {
  EXPECT_THAT(dragoman_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
