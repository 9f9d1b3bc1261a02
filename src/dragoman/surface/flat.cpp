// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/flat.hpp"

#include "dragoman/json/cursor.hpp"

namespace dragoman::surface {
namespace {

Error unreadable() { return {ErrorCode::validation, "not the JSON that was expected", "refused"}; }

}  // namespace

class FlatReader {
 public:
  explicit FlatReader(Flat& into) : into_(into) {}

  bool read(json::Cursor& cursor, const std::string& path, std::size_t depth) {
    if (depth > Flat::kDeepest || into_.values_.size() >= Flat::kMost) return false;
    const std::string below = path.empty() ? path : path + ".";
    if (cursor.next_is(json::Kind::object)) {
      std::string_view key;
      for (json::Members members(cursor); members.next(key);) {
        if (!read(cursor, below + std::string(key), depth + 1)) return false;
      }
      return cursor.ok();
    }
    if (cursor.next_is(json::Kind::array)) {
      std::size_t index = 0;
      for (json::Elements elements(cursor); elements.next(); ++index) {
        if (!read(cursor, below + std::to_string(index), depth + 1)) return false;
      }
      return cursor.ok();
    }
    const json::Value value = cursor.take();
    if (!cursor.ok()) return false;
    if (value.is(json::Kind::null_)) return true;
    into_.values_.insert_or_assign(
        path, value.is(json::Kind::string) ? value.text().str() : std::string(value.raw));
    return true;
  }

 private:
  Flat& into_;
};

Result<Flat> Flat::read(std::string_view json) {
  Flat flat;
  json::Cursor cursor(json);
  if (!FlatReader(flat).read(cursor, "", 0) || !cursor.finish()) return unreadable();
  return flat;
}

const std::string& Flat::operator[](std::string_view path) const {
  static const std::string kNone;
  const auto found = values_.find(path);
  return found == values_.end() ? kNone : found->second;
}

std::vector<std::string> Flat::list(std::string_view path) const {
  std::vector<std::string> out;
  for (;;) {
    const auto found = values_.find(std::string(path) + "." + std::to_string(out.size()));
    if (found == values_.end()) return out;
    out.push_back(found->second);
  }
}

Result<std::vector<Flat>> read_list(std::string_view json) {
  std::vector<Flat> out;
  json::Cursor cursor(json);
  if (!cursor.next_is(json::Kind::array)) return unreadable();
  for (json::Elements elements(cursor); elements.next();) {
    const json::Value value = cursor.skip();
    if (!cursor.ok()) return unreadable();
    DRAGOMAN_TRY(auto element, Flat::read(value.raw));
    out.push_back(std::move(element));
  }
  if (!cursor.finish()) return unreadable();
  return out;
}

}  // namespace dragoman::surface
