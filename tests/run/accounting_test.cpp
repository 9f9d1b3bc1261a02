// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/accounting.hpp"

#include <gtest/gtest.h>

#include "tests/run/make_events.hpp"

namespace dragoman::test {
namespace {

Event text_at(std::uint64_t offset, std::string_view text) {
  Event event = from(Dialect::text, DisplayText{.text = {text}});
  event.origin.offset = offset;
  event.origin.length = text.size();
  return event;
}

TEST(Accounting, RecordsThatTileTheInputLoseNothing) {
  Accounting accounting;
  accounting.on_record({0, 10});
  accounting.on_record({10, 5});
  const Account account = accounting.close(15, 2);
  EXPECT_EQ(account.lost, 0u);
  EXPECT_EQ(account.records, 2u);
  EXPECT_EQ(describe(account), "15 bytes, 2 lines, 0 events; 0 lost");
}

TEST(Accounting, NamesEveryGap) {
  Accounting accounting;
  accounting.on_record({2, 3});
  accounting.on_record({7, 1});
  const Account account = accounting.close(10, 1);
  EXPECT_EQ(account.lost, 6u);
  EXPECT_EQ(account.gaps, (std::vector<Record>{{0, 2}, {5, 2}, {8, 2}}));
  EXPECT_EQ(describe(account), "10 bytes, 1 line, 0 events; 6 lost [0, 2) [5, 7) [8, 10)");
}

TEST(Accounting, SeesBytesThatAreCountedTwice) {
  Accounting accounting;
  accounting.on_record({0, 10});
  accounting.on_record({4, 6});
  EXPECT_EQ(accounting.close(10, 1).counted_twice, 6u);
}

TEST(Accounting, ARunOfTextIsOneRecordHoweverItWasCut) {
  const auto count = [](const std::vector<std::string_view>& pieces) {
    Accounting accounting;
    std::uint64_t at = 0;
    for (const std::string_view piece : pieces) {
      accounting.on_record({at, piece.size()});
      accounting.on_event(text_at(at, piece));
      at += piece.size();
    }
    accounting.on_record({at, 7});  // a marker
    accounting.on_record({at + 7, 3});
    accounting.on_event(text_at(at + 7, "end"));
    return accounting.close(at + 10, 1).records;
  };
  EXPECT_EQ(count({"some words"}), 3u);
  EXPECT_EQ(count({"so", "me", " words"}), 3u);
}

TEST(Accounting, CountsTextByTheLineHoweverItWasCut) {
  Accounting whole;
  whole.on_event(text_at(0, "one\ntwo\nthree"));
  Accounting cut;
  cut.on_event(text_at(0, "on"));
  cut.on_event(text_at(2, "e\ntw"));
  cut.on_event(text_at(6, "o\nthree"));
  EXPECT_EQ(whole.close(13, 3).of(Kind::text), 3u);
  EXPECT_EQ(cut.close(13, 3).of(Kind::text), 3u);
}

TEST(Accounting, CountsFindingsByName) {
  Accounting accounting;
  accounting.on_event(claude(Unknown{.type = "x"}));
  accounting.on_event(claude(Malformed{.reason = "truncated_tail"}));
  accounting.on_event(claude(Malformed{.reason = "bad_json"}));
  accounting.on_event(claude(QuotedMarker{.reason = "fence"}));
  accounting.on_event(claude(Oversize{.bytes = 7}));
  accounting.on_record({0, 9});
  std::string json;
  append_json(json, accounting.close(9, 1));
  EXPECT_EQ(json,
            R"({"bytes":9,"lines":1,"records":1,"events":5,"unknown":1,"malformed":2,"quoted":1,)"
            R"("oversize":1,"truncated_tail":1,"lost":0,)"
            R"("kinds":{"quoted_marker":1,"malformed":2,"oversize":1,"unknown":1}})");
}

TEST(Accounting, AMarkerOverTheLineCapIsCountedAsOversize) {
  Accounting accounting;
  accounting.on_event(wxcode(Diagnostic{.rule = "oversize", .level = Level::error}));
  const Account account = accounting.close(0, 0);
  EXPECT_EQ(account.oversize, 1u);
  Account sum = account;
  sum += account;
  EXPECT_EQ(sum.oversize, 2u);
}

TEST(Accounting, FragmentsAreNotCounted) {
  Accounting accounting;
  Event fragment = text_at(0, "abc");
  fragment.partial = true;
  accounting.on_event(fragment);
  EXPECT_EQ(accounting.close(0, 0).events(), 0u);
}

TEST(Accounting, StreamsAreAdded) {
  Account sum;
  Accounting first;
  first.on_event(claude(Unknown{}));
  Accounting second;
  second.on_event(claude(Unknown{}));
  sum += first.close(3, 1);
  sum += second.close(4, 2);
  EXPECT_EQ(describe(sum), "7 bytes, 3 lines, 2 events, 2 unknown; 7 lost [0, 3) [0, 4)");
}

}  // namespace
}  // namespace dragoman::test
