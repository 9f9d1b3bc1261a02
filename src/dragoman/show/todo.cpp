// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/todo.hpp"

#include <utility>

#include "dragoman/json/cursor.hpp"
#include "dragoman/run/one_line.hpp"

namespace dragoman::show {
namespace {

constexpr std::size_t kMost = 100;

// {"text":…,"completed":…}, or {"step":…,"status":…}.
Todo todo_in(json::Cursor& cursor) {
  Todo todo;
  if (!cursor.next_is(json::Kind::object)) {
    cursor.skip();
    return todo;
  }
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool words = key == "text" || key == "step";
    const bool done = key == "completed";
    const bool status = key == "status";
    const json::Value value = cursor.take();
    if (words && value.is(json::Kind::string)) todo.text = one_line(value.text().str());
    if (done) todo.done = value.is_true();
    if (status) todo.done = value.raw == R"("completed")";
  }
  return todo;
}

}  // namespace

TodoList todo_list(const Event& event) {
  TodoList list;
  const auto* const status = event.as<Status>();
  if (status == nullptr || !status->steps.has_value()) return list;
  for (const Extra& extra : event.extra) {
    if (extra.key != "items") continue;
    json::Cursor cursor(extra.value.json);
    if (!cursor.next_is(json::Kind::array)) continue;
    for (json::Elements elements(cursor); elements.next();) {
      Todo todo = todo_in(cursor);
      if (todo.text.empty()) continue;
      if (list.items.size() < kMost) {
        list.items.push_back(std::move(todo));
      } else {
        ++list.left_out;
      }
    }
  }
  return list;
}

}  // namespace dragoman::show
