// SPDX-License-Identifier: Apache-2.0
// Everything that is written reads back as the events it was written from.
#include <gtest/gtest.h>

#include "dragoman/dialect/guarded_text.hpp"
#include "dragoman/dialect/line_value.hpp"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/dialect/text_reader.hpp"
#include "tests/support/comparing.hpp"
#include "tests/support/files.hpp"
#include "tests/support/random_speech.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/writing.hpp"

namespace dragoman {
namespace {

using test::comparable;
using test::data_of;
using test::expect_same_events;
using test::RandomSpeech;
using test::Values;

constexpr std::size_t kEventsPerDocument = 12;

struct ReadBack {
  std::vector<std::string> events;  // without text and diagnostics
  std::string text;
};

struct Listed {
  std::unique_ptr<EventList> list = std::make_unique<EventList>();
  ReadBack back;
};

Listed read_list(std::string_view bytes, Dialect dialect, Mode mode) {
  ReaderOptions options;
  options.mode = mode;
  const auto reader = make_text_reader(dialect, options);
  Listed listed;
  reader->push(bytes, *listed.list);
  reader->finish(*listed.list);
  for (const Event& event : listed.list->events()) {
    if (const auto* text = event.as<DisplayText>()) {
      json::decode_to(listed.back.text, text->text);
    } else if (event.kind() != Kind::diagnostic) {
      listed.back.events.push_back(data_of(comparable(event)));
    }
  }
  return listed;
}

ReadBack read_back(std::string_view bytes, Dialect dialect, Mode mode) {
  return read_list(bytes, dialect, mode).back;
}

// Each line of `wanted` that is not blank stands in `text`, in the same order.
void expect_lines_in_order(std::string_view wanted, std::string_view text) {
  std::size_t at = 0;
  while (!wanted.empty()) {
    const std::size_t end = std::min(wanted.find('\n'), wanted.size());
    const std::string_view line = wanted.substr(0, end);
    wanted.remove_prefix(std::min(end + 1, wanted.size()));
    if (trimmed(line).empty()) continue;
    const std::size_t found = text.find(line, at);
    ASSERT_NE(found, std::string_view::npos) << "lost: " << line;
    at = found + line.size();
  }
}

struct Document {
  std::string bytes;
  std::vector<std::string> events;
  std::string text;  // guarded
};

using MakePayload = Payload (RandomSpeech::*)(Arena&);

// A document of random events and random text; `projected` gives what can be read back of an event.
template <typename Project>
Document make_document(Target target, RandomSpeech& random, MakePayload make, Project projected) {
  Document document;
  Arena arena;
  const auto writer = make_writer(target);
  std::string texts;
  const auto end_texts = [&] {
    if (!texts.empty()) document.text += test::written(target, {test::text_event(texts)}) + "\n";
    texts.clear();
  };
  for (std::size_t i = 0; i < kEventsPerDocument; ++i) {
    if (random.random().one_in(4)) {
      const std::string_view text = arena.copy(std::string_view(random.value() + "\n"));
      EXPECT_TRUE(writer->write(test::text_event(text), document.bytes));
      texts += text;
      continue;
    }
    const Event event = test::event_of((random.*make)(arena));
    const auto result = writer->write(event, document.bytes);
    if (!result) continue;  // refused: a path or name that cannot be listed
    EXPECT_EQ(*result, Written::yes);
    end_texts();
    document.events.push_back(data_of(comparable(projected(event, arena))));
  }
  writer->finish(document.bytes);
  end_texts();
  return document;
}

template <typename Project>
void expect_round_trip(Target target, Dialect dialect, MakePayload make, Project projected,
                       Values values = Values::any) {
  RandomSpeech random(20260204, values);
  const std::size_t documents = test::scaled(1'000'000 / kEventsPerDocument);
  for (std::size_t i = 0; i < documents; ++i) {
    const Document document = make_document(target, random, make, projected);
    for (const Mode mode : {Mode::standard, Mode::compat}) {
      const ReadBack back = read_back(document.bytes, dialect, mode);
      expect_same_events(back.events, document.events);
      expect_lines_in_order(document.text, back.text);
      if (testing::Test::HasFailure()) FAIL() << "document " << i << ":\n" << document.bytes;
    }
  }
}

// The specification's limits.
Event wxcode_projection(Event event, Arena& arena) {
  if (auto* p = std::get_if<ToolFinished>(&event.payload)) {
    if (!p->output.absent()) {
      p->output = arena.copy(std::string_view(shortened(p->output.str(), 200)));
    }
  }
  return event;
}

TEST(RoundTrip, WxcodeMarkersReadBackWhatTheySaid) {
  expect_round_trip(Target::wxcode, Dialect::wxcode, &RandomSpeech::wxcode, wxcode_projection);
}

TEST(RoundTrip, QuestionCommentsReadBackWhatTheyAsked) {
  expect_round_trip(Target::question, Dialect::question, &RandomSpeech::comment,
                    [](Event event, Arena&) { return event; });
}

TEST(RoundTrip, BracketMarkersOfWordsReadBackWhatTheySaid) {
  expect_round_trip(
      Target::markers, Dialect::markers, &RandomSpeech::bracket,
      [](Event event, Arena&) { return event; }, Values::words);
}

std::vector<std::string> kinds_of(const std::vector<std::string>& events) {
  std::vector<std::string> out;
  for (const std::string& event : events) out.push_back(event.substr(0, event.find(' ')));
  return out;
}

// Values that a line cannot hold are mended. What was mended once needs no more mending, and none
// of it ever becomes another event.
TEST(RoundTrip, BracketMarkersMendWhatALineCannotHoldOnceAndForAll) {
  RandomSpeech random(7, Values::any);
  const std::size_t documents = test::scaled(1'000'000 / kEventsPerDocument);
  for (std::size_t i = 0; i < documents; ++i) {
    const Document document = make_document(Target::markers, random, &RandomSpeech::bracket,
                                            [](Event event, Arena&) { return event; });
    const Listed once = read_list(document.bytes, Dialect::markers, Mode::standard);
    expect_same_events(kinds_of(once.back.events), kinds_of(document.events));
    expect_lines_in_order(document.text, once.back.text);
    const auto writer = make_writer(Target::markers);
    std::string again;
    for (const Event& event : once.list->events()) {
      const auto result = writer->write(event, again);
      ASSERT_TRUE(result) << result.error().message << "\n" << document.bytes;
    }
    writer->finish(again);
    expect_same_events(read_back(again, Dialect::markers, Mode::standard).events, once.back.events);
    if (testing::Test::HasFailure()) FAIL() << "document " << i << ":\n" << document.bytes;
  }
}

std::string written_again(Target target, const Listed& listed) {
  const auto events = listed.list->events();
  return test::written(target, {events.begin(), events.end()});
}

// Words that no field is for are the agent's all the same.
TEST(RoundTrip, WhatNoFieldIsForIsKept) {
  const auto again = [](std::string_view bytes, Dialect dialect, Target target) {
    const Listed before = read_list(bytes, dialect, Mode::standard);
    EXPECT_FALSE(before.back.events.empty()) << bytes;
    const std::string written = written_again(target, before);
    EXPECT_EQ(read_back(written, dialect, Mode::standard).events, before.back.events) << written;
  };
  again(R"(<!--QUESTION:{"questions":[{"question":"q","urgency":"high -->","options":)"
        R"([{"label":"a","preview":["x"]},{"label":"b"}]}],"batch":7}-->)",
        Dialect::question, Target::question);
  again("[TEST_RESULTS] passed=45 failed=2 coverage=\"80 % of \\\"it\\\"\" seed=5\n",
        Dialect::markers, Target::markers);
  // An option that is not as the document has it is written as far as it was understood.
  const std::string mended = written_again(
      Target::question,
      read_list(R"(<!--QUESTION:{"questions":[{"question":"q","options":[{"label":"a",)"
                R"("description":[]},{"label":"b"}]}]}-->)",
                Dialect::question, Mode::standard));
  EXPECT_NE(mended.find(R"("options":[{"label":"a"},{"label":"b"}])"), std::string::npos) << mended;
}

TEST(RoundTrip, AWellFormedWxcodeDocumentIsWrittenAsItWas) {
  std::string document = test::read_file(test::source_dir() / "examples/sample.md");
  const Listed listed = read_list(document, Dialect::wxcode, Mode::standard);
  const auto writer = make_writer(Target::wxcode);
  std::string out;
  for (const Event& event : listed.list->events()) {
    ASSERT_TRUE(writer->write(event, out));
  }
  writer->finish(out);
  // Only the example in a fence is broken up, for the sake of parsers that know no fences.
  const std::string quoted = "```\n<!-- WXCODE:";
  document.replace(document.find(quoted), quoted.size(), "```\n&lt;!-- WXCODE:");
  EXPECT_EQ(out, document);
}

}  // namespace
}  // namespace dragoman
