// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/todo.hpp"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/show/renderer.hpp"

namespace dragoman::show {
namespace {

using testing::HasSubstr;

constexpr std::string_view kItems =
    R"([{"text":"Read the code","completed":true},{"step":"Write\nthe <b>fix</b>","status":"pending"},{"step":"Test","status":"completed"},7,{"completed":true}])";

Event listed(std::string_view items, std::span<Extra> room) {
  Event event;
  Status status;
  status.activity = "todo_list";
  status.steps = Steps{2, 3};
  event.payload = status;
  event.origin.dialect = Dialect::codex;
  room[0] = {"items", Raw{items}};
  event.extra = room;
  return event;
}

TEST(TodoList, IsReadInBothSpellings) {
  std::array<Extra, 1> room;
  const TodoList list = todo_list(listed(kItems, room));
  ASSERT_EQ(list.items.size(), 3U);
  EXPECT_EQ(list.items[0].text, "Read the code");
  EXPECT_TRUE(list.items[0].done);
  EXPECT_EQ(list.items[1].text, "Write the <b>fix</b>");
  EXPECT_FALSE(list.items[1].done);
  EXPECT_TRUE(list.items[2].done);
  EXPECT_EQ(list.left_out, 0U);
  EXPECT_TRUE(todo_list(listed(R"({"not":"a list"})", room)).items.empty());
  std::string many = "[";
  for (int i = 0; i < 150; ++i) many += std::string(i == 0 ? "" : ",") + R"({"text":"x"})";
  const TodoList long_list = todo_list(listed(many + "]", room));
  EXPECT_EQ(long_list.items.size(), 100U);
  EXPECT_EQ(long_list.left_out, 50U);
}

TEST(TodoList, IsShownItemByItemEverywhere) {
  std::array<Extra, 1> room;
  const Event event = listed(kItems, room);
  for (const Format format : {Format::terminal, Format::html, Format::markdown, Format::github}) {
    RenderOptions options;
    options.secret = "sixteen random bytes";
    const auto renderer = make_renderer(format, options);
    std::string out;
    renderer->begin(0, {}, out);
    renderer->event(0, event, out);
    renderer->end(0, out);
    renderer->finish(out);
    for (const char* item : {"Read the code", "Write the", "Test"}) {
      EXPECT_THAT(out, HasSubstr(item)) << name(format);
    }
    const bool markup = format == Format::html || format == Format::markdown;
    EXPECT_FALSE(markup && out.find("the <b>fix") != std::string::npos);
  }
}

}  // namespace
}  // namespace dragoman::show
