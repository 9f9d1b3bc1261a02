// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"

namespace dragoman {
namespace {

TEST(EventLine, NamesEveryPartOfTheOriginInOrder) {
  Event event;
  event.payload = DisplayText{json::Text("a \"b\"\n\x01 \xc3\xa9 \xff"), 3};
  event.seq = 7;
  event.ts = Timestamp(std::chrono::milliseconds(1794737122104));
  event.partial = true;
  const std::array<Extra, 1> extra = {Extra{"odd \"key\"", Raw{"[1, {\"x\" : \"y z\"}]"}}};
  event.extra = extra;
  event.origin.dialect = Dialect::wxcode;
  event.origin.via = Dialect::claude;
  event.origin.stream = Stream::stderr_;
  event.origin.offset = std::numeric_limits<std::uint64_t>::max();
  event.origin.length = 118;
  event.origin.at = 0;
  event.origin.line = 52;
  event.origin.channel = Channel::assistant_text;
  event.origin.parent = "toolu_\"1\"";
  EXPECT_EQ(
      to_json(event),
      R"({"seq":7,"ts":"2026-11-15T10:05:22.104Z","kind":"text","data":)"
      R"({"text":"a \"b\"\n\u0001 é �","block":3,"partial":true,"odd \"key\"":[1,{"x":"y z"}]},)"
      R"("origin":{"dialect":"wxcode","via":"claude","stream":"stderr",)"
      R"("offset":18446744073709551615,"length":118,"at":0,"line":52,)"
      R"("channel":"assistant_text","parent":"toolu_\"1\""}})");
}

TEST(EventLine, NeverHasTheSameKeyTwice) {
  const std::array<Extra, 4> extra = {Extra{"recoverable", Raw{"\"yes\""}},
                                      Extra{"partial", Raw{"1"}}, Extra{"_partial", Raw{"2"}},
                                      Extra{"suggestion", Raw{"5"}}};
  Event event;
  event.payload = Failure{"X", json::Text("m"), Recoverable::unknown, {}, {}};
  event.extra = extra;
  std::string data;
  append_data(data, event);
  EXPECT_EQ(data, R"({"code":"X","message":"m","recoverable":"unknown","_recoverable":"yes",)"
                  R"("__partial":1,"_partial":2,"_suggestion":5})");
}

TEST(EventLine, LeavesOutWhatIsAbsent) {
  Event event;
  event.payload = Blocked{"no url", {}};
  EXPECT_EQ(to_json(event),
            R"({"kind":"blocked","data":{"reason":"no url","context":[]},)"
            R"("origin":{"dialect":"text","stream":"stdout","offset":0,"length":0,"line":1,)"
            R"("channel":"stdout"}})");
}

TEST(EventLine, WritesListsObjectsAndNumbers) {
  const std::array<Option, 2> options = {Option{"OAuth2", "with Google"}, Option{"JWT", {}}};
  Question question;
  question.id = "q-1";
  question.text = "Which?";
  question.options = options;
  Event event;
  event.payload = question;
  std::string data;
  append_data(data, event);
  EXPECT_EQ(data,
            R"({"id":"q-1","kind":"question","source":"comment","state":"open","text":"Which?",)"
            R"("options":[{"label":"OAuth2","description":"with Google"},{"label":"JWT"}],)"
            R"("multi_select":false,"free_text":false,"blocking":true})");
}

}  // namespace
}  // namespace dragoman
