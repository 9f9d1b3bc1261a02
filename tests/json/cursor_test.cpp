// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/cursor.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "accepts.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/json_documents.hpp"
#include "tests/support/json_reference.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::json {
namespace {

using Scalars = Cursor::Scalars;

// Steps into everything that can be stepped into; must judge as take() does.
bool walks(Cursor& cursor) {
  std::string_view key;
  if (cursor.next_is(Kind::object)) {
    for (Members members(cursor); members.next(key);) walks(cursor);
  } else if (cursor.next_is(Kind::array)) {
    for (Elements elements(cursor); elements.next();) walks(cursor);
  } else {
    cursor.take();
  }
  return cursor.ok();
}

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  out.reserve(piece.size() * times);
  while (times-- > 0) out += piece;
  return out;
}

TEST(Cursor, AgreesWithTheGrammarOnMutatedDocuments) {
  test::JsonDocuments documents(11);
  test::GuardedBytes guarded(1 << 20);
  std::size_t good = 0;
  const std::size_t rounds = test::scaled(400000);
  for (std::size_t i = 0; i < rounds; ++i) {
    std::string text = documents.value();
    if (!documents.random().one_in(4))
      text = test::mutated(std::move(text), documents.random(), test::kJsonAlphabet);
    const std::string_view at_the_edge = guarded.put(text);
    const bool expected = test::JsonReference::accepts(text);
    good += expected ? 1 : 0;
    ASSERT_EQ(accepts(at_the_edge), expected) << text;
    Cursor stepping(at_the_edge, Scalars::exact);
    ASSERT_EQ(walks(stepping) && stepping.finish(), expected) << text;
  }
  EXPECT_GT(good, rounds / 4);
  EXPECT_LT(good, rounds - rounds / 4);
}

// What nlohmann refuses although it is JSON: numbers beyond double, lone surrogates, broken UTF-8.
bool nlohmann_accepts(const std::string& text, bool& undecided) {
  // It drops a BOM, and takes a NUL for the end of the document.
  undecided = text.starts_with("\xEF\xBB\xBF") || text.find('\0') != text.npos;
  try {
    return !nlohmann::json::parse(text).is_discarded();
  } catch (const nlohmann::json::exception& e) {
    const std::string_view why = e.what();
    if (why.find("surrogate") != why.npos || why.find("UTF-8") != why.npos || e.id == 406)
      undecided = true;
    return false;
  }
}

TEST(Cursor, AgreesWithNlohmannOnMutatedDocuments) {
  test::JsonDocuments documents(12);
  for (std::size_t i = 0; i < test::scaled(200000); ++i) {
    std::string text = documents.value();
    if (!documents.random().one_in(4))
      text = test::mutated(std::move(text), documents.random(), test::kJsonAlphabet);
    bool undecided = false;
    const bool expected = nlohmann_accepts(text, undecided);
    if (undecided) continue;
    ASSERT_EQ(accepts(text), expected) << text;
  }
}

TEST(Cursor, LaxSkippingRefusesNothingThatIsJson) {
  test::JsonDocuments documents(13);
  for (std::size_t i = 0; i < test::scaled(100000); ++i) {
    std::string text = documents.value();
    if (documents.random().one_in(2))
      text = test::mutated(std::move(text), documents.random(), test::kJsonAlphabet);
    Cursor lax(text);
    lax.skip();
    const bool accepted = lax.finish();
    if (test::JsonReference::accepts(text)) {
      ASSERT_TRUE(accepted) << text;
    }
  }
}

TEST(Cursor, LaxSkippingForgivesTheSpellingOfScalarsAlone) {
  const auto skips = [](std::string_view text) {
    Cursor cursor(text);
    cursor.skip();
    return cursor.finish();
  };
  EXPECT_TRUE(skips("{\"a\":nope,\"b\":01,\"c\":[+1,1.]}"));
  EXPECT_FALSE(skips("{\"a\":nope nope}"));
  EXPECT_FALSE(skips("{\"a\":}"));
  EXPECT_FALSE(skips("{\"a\":1,}"));
  EXPECT_FALSE(skips("[1,]"));
  EXPECT_FALSE(skips("{\"a\":\"\\q\"}"));
  EXPECT_FALSE(skips("{\"a\":\"\n\"}"));
  EXPECT_FALSE(skips("{a:1}"));
  EXPECT_FALSE(skips("[1}"));
  EXPECT_FALSE(skips("[NaN$]"));
}

struct Faulty {
  std::string_view text;
  Fault fault;
  std::size_t at;
};

TEST(Cursor, NamesTheFaultAndItsPlace) {
  const std::vector<Faulty> table = {
      {"", Fault::truncated, 0},
      {"  ", Fault::truncated, 2},
      {"{\"a\":1", Fault::truncated, 6},
      {"{\"a\":1,", Fault::truncated, 7},
      {"{\"a\"", Fault::truncated, 4},
      {"{\"a\":", Fault::truncated, 5},
      {"{\"a", Fault::truncated, 3},
      {"{\"a\":tru", Fault::truncated, 8},
      {"{\"a\":n", Fault::truncated, 6},
      {"{\"a\":-", Fault::truncated, 6},
      {"{\"a\":1.", Fault::truncated, 7},
      {"{\"a\":1e", Fault::truncated, 7},
      {"{\"a\":1e+", Fault::truncated, 8},
      {"[\"\\u12", Fault::truncated, 6},
      {"{\"a\":trx", Fault::syntax, 5},
      {"{\"a\":01", Fault::bad_number, 5},
      {"[1,]", Fault::syntax, 3},
      {"{\"a\":1,}", Fault::syntax, 7},
      {"{\"a\" 1}", Fault::syntax, 5},
      {"[1 2]", Fault::syntax, 3},
      {"{}x", Fault::syntax, 2},
      {"[tru]", Fault::syntax, 1},
      {"[01]", Fault::bad_number, 1},
      {"[NaN]", Fault::bad_number, 1},
      {"[\"a\nb\"]", Fault::control, 3},
      {"[\"a\\qb\"]", Fault::bad_escape, 3},
      {"[\"\\u12x4\"]", Fault::bad_escape, 2},
      {"[}", Fault::syntax, 1},
      {"{]", Fault::syntax, 1},
  };
  for (const Faulty& faulty : table) {
    Cursor cursor(faulty.text, Scalars::exact);
    cursor.take();
    EXPECT_FALSE(cursor.finish()) << faulty.text;
    EXPECT_EQ(name(cursor.fault()), name(faulty.fault)) << faulty.text;
    EXPECT_EQ(cursor.fault_at(), faulty.at) << faulty.text;
  }
}

TEST(Cursor, AfterAFaultEveryCallFailsAndChangesNothing) {
  Cursor cursor("[1 2]", Scalars::exact);
  cursor.take();
  const std::size_t position = cursor.position();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(cursor.take().absent());
    EXPECT_TRUE(cursor.skip().absent());
    EXPECT_FALSE(cursor.next_is(Kind::array));
    EXPECT_FALSE(cursor.finish());
    cursor.reject(Fault::newline);
    EXPECT_EQ(cursor.fault(), Fault::syntax);
    EXPECT_EQ(cursor.fault_at(), 3u);
    EXPECT_EQ(cursor.position(), position);
  }
}

TEST(Cursor, APrefixOfADocumentIsTruncatedAndNothingElse) {
  test::JsonDocuments documents(14);
  for (std::size_t i = 0; i < test::scaled(20000); ++i) {
    const std::string text = documents.object();
    const std::size_t step = test::step_with_sanitizers(4);
    for (std::size_t cut = i % step; cut < text.size(); cut += step) {
      Cursor cursor(std::string_view(text).substr(0, cut), Scalars::exact);
      cursor.take();
      ASSERT_FALSE(cursor.finish());
      ASSERT_EQ(name(cursor.fault()), name(Fault::truncated)) << text.substr(0, cut);
    }
  }
}

TEST(Cursor, NestingIsAllowedTo512Levels) {
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
    const std::string inner = open[0] == '[' ? "" : "1";
    const auto nested = [&, o = open, c = close](std::size_t levels) {
      return repeated(o, levels) + inner + repeated(c, levels);
    };
    EXPECT_TRUE(accepts(nested(512)));
    for (const std::size_t levels : std::initializer_list<std::size_t>{513, 514, 1000, 100000}) {
      const std::string text = nested(levels);
      Cursor cursor(text, Scalars::exact);
      cursor.take();
      EXPECT_EQ(name(cursor.fault()), name(Fault::too_deep));
      EXPECT_EQ(cursor.fault_at(), 512 * std::string_view(open).size());
    }
  }
}

TEST(Cursor, LevelsThatWereSteppedIntoCount) {
  const auto depth_reached = [](std::size_t stepped, std::size_t taken) {
    const std::string text = repeated("[", stepped + taken) + repeated("]", stepped + taken);
    Cursor cursor(text);
    std::vector<Elements> open;
    open.reserve(stepped);
    for (std::size_t i = 0; i < stepped; ++i) {
      open.emplace_back(cursor);
      if (!open.back().next()) return false;
    }
    cursor.take();
    return cursor.ok();
  };
  EXPECT_TRUE(depth_reached(511, 1));
  EXPECT_FALSE(depth_reached(511, 2));
  EXPECT_FALSE(depth_reached(512, 1));
  EXPECT_TRUE(depth_reached(1, 511));
  EXPECT_FALSE(depth_reached(1, 512));
}

TEST(Cursor, ManyLevelsUpAndDownAreRemembered) {
  // Objects and arrays in an irregular order, so that a level mixed up with another shows.
  for (std::size_t levels = 1; levels <= 512; levels += 7) {
    std::string text;
    std::string closing;
    for (std::size_t i = 0; i < levels; ++i) {
      const bool object = (i * i + i / 3) % 3 == 0;
      text += object ? "{\"a\":" : "[";
      closing.insert(closing.begin(), object ? '}' : ']');
    }
    EXPECT_TRUE(accepts(text + "1" + closing)) << levels;
    EXPECT_TRUE(accepts("[" + repeated(text + "1" + closing + ",", 2) + "0]") || levels == 512);
    closing[levels / 2] = closing[levels / 2] == '}' ? ']' : '}';
    EXPECT_FALSE(accepts(text + "1" + closing)) << levels;
  }
}

TEST(Cursor, AHundredThousandLevelsCostNoStackAndLittleTime) {
  const std::string arrays(100000, '[');
  const std::string objects = repeated("{\"a\":", 500000);
  for (const std::string& text : {arrays, objects}) {
    Cursor taken(text);
    taken.take();
    EXPECT_EQ(taken.fault(), Fault::too_deep);
    Cursor skipped(text);
    skipped.skip();
    EXPECT_EQ(skipped.fault(), Fault::too_deep);
  }
}

TEST(Cursor, ALineIsReadAsIfItStoodAlone) {
  test::JsonDocuments documents(15);
  test::GuardedBytes guarded(1 << 20);
  for (std::size_t i = 0; i < test::scaled(200000); ++i) {
    std::string line = documents.value();
    if (documents.random().one_in(2))
      line = test::mutated(std::move(line), documents.random(), test::kJsonAlphabet);
    line = line.substr(0, line.find('\n'));
    const std::string more = line + "\n" + documents.value();
    for (const Scalars scalars : {Scalars::exact, Scalars::lax_when_skipped}) {
      Cursor alone(line, scalars);
      const Value expected = alone.skip();
      const bool accepted = alone.finish();
      Cursor first(guarded.put(more), scalars, Cursor::Extent::first_line);
      const Value value = first.skip();
      ASSERT_EQ(first.finish(), accepted) << line;
      if (!accepted) continue;
      ASSERT_EQ(value.raw, expected.raw) << line;
      ASSERT_EQ(first.position(), line.size()) << line;
      ASSERT_EQ(first.saw_lone_surrogate(), alone.saw_lone_surrogate()) << line;
      ASSERT_EQ(first.saw_invalid_utf8(), alone.saw_invalid_utf8()) << line;
    }
  }
}

TEST(Cursor, ValuesAreGivenVerbatim) {
  const std::string_view text = R"( {"s" : "a\nb" , "n":-1.5e3,"t":true,"a":[1, 2],"o":{"x":1}} )";
  Cursor cursor(text);
  std::vector<std::pair<std::string, std::string>> seen;
  std::string_view key;
  for (Members members(cursor); members.next(key);) {
    const std::string name_of(key);
    seen.emplace_back(name_of, std::string(cursor.take().raw));
  }
  EXPECT_TRUE(cursor.finish());
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"s", R"("a\nb")"}, {"n", "-1.5e3"}, {"t", "true"}, {"a", "[1, 2]"}, {"o", R"({"x":1})"}};
  EXPECT_EQ(seen, expected);
}

TEST(Cursor, KeysAreDecoded) {
  Cursor cursor(R"({"type":1,"\u0074ype":2,"a\"b\\":3,"\ud800":4})");
  std::vector<std::string> keys;
  std::string_view key;
  for (Members members(cursor); members.next(key);) {
    keys.emplace_back(key);
    cursor.skip();
  }
  EXPECT_TRUE(cursor.finish());
  EXPECT_EQ(keys, (std::vector<std::string>{"type", "type", "a\"b\\", "\xEF\xBF\xBD"}));
  EXPECT_TRUE(cursor.saw_lone_surrogate());
}

TEST(Cursor, RejectingMarksTheCurrentPlace) {
  Cursor cursor("[1,2]");
  Elements elements(cursor);
  ASSERT_TRUE(elements.next());
  cursor.take();
  cursor.reject(Fault::number_range);
  EXPECT_EQ(cursor.fault(), Fault::number_range);
  EXPECT_EQ(cursor.fault_at(), 2u);
  EXPECT_FALSE(elements.next());
}

}  // namespace
}  // namespace dragoman::json
