// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/object_scanner.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/guarded.hpp"
#include "tests/support/json_documents.hpp"
#include "tests/support/json_reference.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::json {
namespace {

using Newlines = ObjectScanner::Newlines;
using State = ObjectScanner::State;

struct MemberSeen {
  std::string key;
  std::string value;
  Kind kind;
  friend bool operator==(const MemberSeen&, const MemberSeen&) = default;
};

// Everything a scanner says about a payload.
struct Verdict {
  State state = State::needs_more;
  std::size_t position = 0;
  std::string fault;
  bool lone_surrogate = false;
  std::vector<MemberSeen> members;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

void PrintTo(const Verdict& v, std::ostream* out) {
  *out << "state " << static_cast<int>(v.state) << " at " << v.position << " " << v.fault
       << " with " << v.members.size() << " members";
}

Verdict verdict_of(const ObjectScanner& scanner, State state, std::string_view payload) {
  Verdict verdict{state,
                  scanner.position(),
                  std::string(name(scanner.fault())),
                  scanner.saw_lone_surrogate(),
                  {}};
  for (const ObjectScanner::Member& member : scanner.members()) {
    verdict.members.push_back(
        {member.key(payload).str(), std::string(member.value(payload).raw), member.kind});
  }
  return verdict;
}

// Feeds growing prefixes that end at `cuts`, then the whole. Every prefix lies in memory of its
// own, so that a scanner that kept a pointer into an earlier one is caught.
Verdict fed(std::string_view payload, const std::vector<std::size_t>& cuts, Newlines newlines) {
  ObjectScanner scanner;
  scanner.start(newlines);
  State state = State::needs_more;
  for (const std::size_t cut : cuts) {
    const std::string prefix(payload.substr(0, cut));
    state = scanner.feed(prefix);
  }
  const std::string whole(payload);
  state = scanner.feed(whole);
  return verdict_of(scanner, state, payload);
}

std::vector<std::size_t> every_byte(std::size_t size) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < size; ++i) cuts.push_back(i);
  return cuts;
}

std::string random_payload(test::JsonDocuments& documents) {
  std::string text = documents.object();
  if (documents.random().one_in(3)) return text;
  if (documents.random().one_in(3)) return text + documents.random().bytes(5);
  return "{" + test::mutated(text.substr(1), documents.random(), test::kJsonAlphabet);
}

TEST(ObjectScanner, DoesNotCareHowThePayloadWasCut) {
  test::JsonDocuments documents(21);
  for (std::size_t i = 0; i < test::scaled(20000); ++i) {
    const std::string payload = random_payload(documents);
    if (payload.size() > 300) continue;
    for (const Newlines newlines : {Newlines::allowed, Newlines::forbidden}) {
      const Verdict whole = fed(payload, {}, newlines);
      ASSERT_EQ(fed(payload, every_byte(payload.size()), newlines), whole) << payload;
      for (std::size_t cut = 0; cut <= payload.size(); ++cut) {
        ASSERT_EQ(fed(payload, {cut}, newlines), whole) << payload << " cut at " << cut;
      }
    }
  }
}

// The shortest prefix that is one complete object, or npos. Quadratic, and plainly right.
std::size_t reference_end(std::string_view payload) {
  for (std::size_t end = 1; end <= payload.size(); ++end) {
    if (payload[end - 1] == '}' && test::JsonReference::accepts(payload.substr(0, end))) return end;
  }
  return std::string_view::npos;
}

TEST(ObjectScanner, EndsWhereTheObjectEnds) {
  test::JsonDocuments documents(22);
  std::size_t complete = 0;
  const std::size_t rounds = test::scaled(100000);
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::string payload = random_payload(documents);
    if (payload.size() > 400) continue;
    const Verdict verdict = fed(payload, {}, Newlines::allowed);
    const std::size_t end = reference_end(payload);
    if (verdict.fault == name(Fault::number_range)) continue;  // the one thing it knows better
    ASSERT_EQ(verdict.state == State::complete, end != payload.npos) << payload;
    if (verdict.state == State::complete) {
      ASSERT_EQ(verdict.position, end) << payload;
      ++complete;
    }
  }
  EXPECT_GT(complete, rounds / 5);
}

// Whether the payload stops inside a word: a number or literal is judged as a whole, so one that
// went wrong is not found out before its end.
bool stops_in_word(std::string_view payload, std::size_t word) {
  constexpr std::string_view kEnds = ",]} \t\r\n";
  return word < payload.size() && payload.find_first_of(kEnds, word) == payload.npos;
}

TEST(ObjectScanner, AgreesWithTheCursorAndNamesTheSamePlace) {
  test::JsonDocuments documents(23);
  for (std::size_t i = 0; i < test::scaled(200000); ++i) {
    const std::string payload = random_payload(documents);
    const Verdict verdict = fed(payload, {}, Newlines::allowed);
    if (verdict.fault == name(Fault::number_range)) continue;
    Cursor cursor(payload, Cursor::Scalars::exact);
    const Value value = cursor.take();
    ASSERT_EQ(verdict.state == State::complete, cursor.ok()) << payload;
    if (cursor.fault() == Fault::truncated) {
      ASSERT_EQ(verdict.state, State::needs_more) << payload;
    } else if (verdict.state == State::needs_more) {
      ASSERT_TRUE(stops_in_word(payload, cursor.fault_at())) << payload;
    }
    if (verdict.state == State::complete) {
      ASSERT_EQ(verdict.position, value.raw.size()) << payload;
      ASSERT_EQ(verdict.lone_surrogate, cursor.saw_lone_surrogate()) << payload;
    } else if (verdict.state == State::failed) {
      ASSERT_EQ(verdict.position, cursor.fault_at()) << payload << " " << verdict.fault;
    }
  }
}

TEST(ObjectScanner, NotesTheMembersThatTheCursorSees) {
  test::JsonDocuments documents(24);
  for (std::size_t i = 0; i < test::scaled(100000 / test::step_with_sanitizers(4)); ++i) {
    const std::string payload = documents.object();
    Cursor cursor(payload, Cursor::Scalars::exact);
    std::vector<MemberSeen> expected;
    std::string_view key;
    for (Members members(cursor); members.next(key);) {
      const std::string copy(key);
      const Value value = cursor.take();
      expected.push_back({copy, std::string(value.raw), value.kind});
    }
    ASSERT_TRUE(cursor.finish());
    const Verdict verdict = fed(payload, every_byte(payload.size()), Newlines::allowed);
    ASSERT_EQ(verdict.state, State::complete) << payload;
    ASSERT_EQ(verdict.members, expected) << payload;
  }
}

TEST(ObjectScanner, KnowsWhichStringsAreEscaped) {
  const std::string_view payload = R"({"a\u0062":"x","c":"\n","d":["\n"],"e":"y"})";
  ObjectScanner scanner;
  scanner.start(Newlines::forbidden);
  ASSERT_EQ(scanner.feed(payload), State::complete);
  std::vector<std::pair<bool, bool>> escaped;
  for (const auto& member : scanner.members())
    escaped.emplace_back(member.key_escaped, member.value_escaped);
  EXPECT_EQ(escaped, (std::vector<std::pair<bool, bool>>{
                         {true, false}, {false, true}, {false, false}, {false, false}}));
}

TEST(ObjectScanner, NewlinesEndAPayloadThatForbidsThem) {
  struct Case {
    std::string_view payload;
    std::size_t at;
  };
  for (const Case& c :
       {Case{"{\n}", 1}, Case{"{\"a\n\":1}", 3}, Case{"{\"a\":\n1}", 5}, Case{"{\"a\":1\n}", 6},
        Case{"{\"a\":\"\n\"}", 6}, Case{"{\"a\":[\n]}", 6}}) {
    const Verdict verdict = fed(c.payload, {}, Newlines::forbidden);
    EXPECT_EQ(verdict.fault, name(Fault::newline)) << c.payload;
    EXPECT_EQ(verdict.position, c.at) << c.payload;
  }
  EXPECT_EQ(fed("{\r\"a\"\r:\r1\r}", {}, Newlines::forbidden).state, State::complete);
  EXPECT_EQ(fed("{\n\"a\"\n:\n1\n}", {}, Newlines::allowed).state, State::complete);
  EXPECT_EQ(fed("{\"a\n\":1}", {}, Newlines::allowed).fault, name(Fault::control));
}

TEST(ObjectScanner, NumbersMustFitMachineNumbers) {
  for (const std::string& number : {std::string("1e400"), std::string(5000, '9'),
                                    std::string("9223372036854775808"), std::string("0.1e400")}) {
    const Verdict verdict = fed("{\"a\":" + number + "}", {}, Newlines::forbidden);
    EXPECT_EQ(verdict.fault, name(Fault::number_range));
    EXPECT_EQ(verdict.position, 5u);
  }
  for (const std::string& number :
       {std::string("1e-400"), std::string("9223372036854775807"), "0." + std::string(5000, '3')}) {
    EXPECT_EQ(fed("{\"a\":" + number + "}", {}, Newlines::forbidden).state, State::complete);
  }
}

TEST(ObjectScanner, ABadWordIsAtFaultFromItsFirstByte) {
  // The end of the comment may be glued to it, and is looked for behind the fault.
  for (const std::string_view word : {"1-->", "tru-->", "1e-\x7F", "01\"", "null0 ", "-}", "1.:"}) {
    const Verdict verdict = fed("{\"a\":" + std::string(word), {}, Newlines::forbidden);
    EXPECT_EQ(verdict.state, State::failed) << word;
    EXPECT_EQ(verdict.position, 5u) << word;
  }
  EXPECT_EQ(fed("{\"a\":1\"", {}, Newlines::forbidden).position, 6u);
}

std::string nested(std::size_t levels) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += "{\"a\":";
  text += "1";
  text.append(levels, '}');
  return text;
}

TEST(ObjectScanner, NestingIsAllowedTo512Levels) {
  EXPECT_EQ(fed(nested(512), {}, Newlines::forbidden).state, State::complete);
  for (const std::size_t levels : std::initializer_list<std::size_t>{513, 100000}) {
    const Verdict verdict = fed(nested(levels), {}, Newlines::forbidden);
    EXPECT_EQ(verdict.fault, name(Fault::too_deep));
    EXPECT_EQ(verdict.position, 512u * 5);
  }
}

TEST(ObjectScanner, OnlyAnOpeningBraceStartsAnObject) {
  for (const std::string_view payload : {" {}", "[]", "x", "\"", "}", "\n{}"}) {
    const Verdict verdict = fed(payload, {}, Newlines::allowed);
    EXPECT_EQ(verdict.state, State::failed) << payload;
    EXPECT_EQ(verdict.position, 0u) << payload;
  }
  EXPECT_EQ(fed("", {}, Newlines::allowed).state, State::needs_more);
}

TEST(ObjectScanner, CanBeStartedAgainAfterAnything) {
  test::JsonDocuments documents(25);
  ObjectScanner reused;
  for (int i = 0; i < 2000; ++i) {
    const std::string payload = random_payload(documents);
    reused.start(Newlines::forbidden);
    const State state = reused.feed(payload);
    ASSERT_EQ(verdict_of(reused, state, payload), fed(payload, {}, Newlines::forbidden)) << payload;
  }
}

TEST(ObjectScanner, NeverReadsPastTheBytesItWasGiven) {
  test::JsonDocuments documents(26);
  test::GuardedBytes guarded(1 << 16);
  for (int i = 0; i < 300; ++i) {
    const std::string payload = random_payload(documents);
    if (payload.size() > 2000) continue;
    ObjectScanner scanner;
    scanner.start(Newlines::allowed);
    for (std::size_t end = 0; end <= payload.size(); ++end)
      (void)scanner.feed(guarded.put(std::string_view(payload).substr(0, end)));
  }
}

}  // namespace
}  // namespace dragoman::json
