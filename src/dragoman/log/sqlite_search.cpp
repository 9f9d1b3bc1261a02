// SPDX-License-Identifier: Apache-2.0
// Search is a cursor on the log like any other view: the index catches up when somebody asks, and
// appending costs nothing for it.
#include <cctype>
#include <string>

#include "dragoman/json/cursor.hpp"
#include "dragoman/log/sqlite_engine.hpp"

namespace dragoman {

namespace {

constexpr int kRowsAtOnce = 256;

void add_words(json::Cursor& cursor, std::string& out) {
  switch (cursor.peek()) {
    case json::Kind::string: {
      const json::Value value = cursor.skip();
      if (!cursor.ok()) return;
      json::decode_to(out, value.text());
      out.push_back('\n');
      return;
    }
    case json::Kind::object: {
      std::string_view key;
      for (json::Members members(cursor); members.next(key);) {
        // Where an event came from is not what it says.
        key == "origin" || key == "ts" || key == "kind" ? (void)cursor.skip()
                                                        : add_words(cursor, out);
      }
      return;
    }
    case json::Kind::array:
      for (json::Elements elements(cursor); elements.next();) add_words(cursor, out);
      return;
    case json::Kind::null_:
    case json::Kind::boolean:
    case json::Kind::number:
      (void)cursor.skip();
  }
}

// The strings of a JSON line, decoded; the line itself when it is no JSON.
void add_line(std::string_view line, std::string& out) {
  const std::size_t before = out.size();
  if (!line.empty() && line.front() == '{') {
    json::Cursor cursor(line);
    add_words(cursor, out);
    if (cursor.finish()) return;
  }
  out.resize(before);
  out.append(line).push_back('\n');
}

std::string words_of(std::string_view bodies) {
  std::string words;
  while (!bodies.empty()) {
    const std::size_t end = std::min(bodies.find('\n'), bodies.size());
    add_line(bodies.substr(0, end), words);
    bodies.remove_prefix(std::min(end + 1, bodies.size()));
  }
  return words;
}

// Every word is quoted, so that nothing a person types is an operator of FTS5. Text in quotes stays
// together.
std::string match_expression(std::string_view words) {
  std::string expression;
  bool in_phrase = false;
  std::string part;
  const auto flush = [&] {
    if (part.empty()) return;
    if (!expression.empty()) expression.push_back(' ');
    expression.append("\"").append(part).append("\"");
    part.clear();
  };
  for (const char c : words) {
    if (c == '"') {
      flush();
      in_phrase = !in_phrase;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 && !in_phrase) {
      flush();
    } else if (c != '\0') {
      part.push_back(c);
    }
  }
  flush();
  return expression;
}

// One slice of rows; `more` says whether there may be others.
Result<void> index_slice(Sqlite& db, bool& more) {
  int rows = 0;
  std::int64_t done = 0;
  {
    DRAGOMAN_TRY(auto next, db.query("SELECT id, bodies FROM entries WHERE id > (SELECT value FROM "
                                     "counters WHERE name='indexed') ORDER BY id LIMIT ?"));
    next.bind(std::int64_t{kRowsAtOnce});
    for (;; ++rows) {
      DRAGOMAN_TRY(const bool row, next.step());
      if (!row) break;
      done = next.integer(0);
      const std::string words = words_of(next.text(1));
      DRAGOMAN_TRY(auto insert, db.query("INSERT INTO words(rowid, text) VALUES(?, ?)"));
      DRAGOMAN_CHECK(insert.bind(done).bind(words).run());
    }
  }
  more = rows == kRowsAtOnce;
  if (rows == 0) return {};
  DRAGOMAN_TRY(auto update, db.query("UPDATE counters SET value=? WHERE name='indexed'"));
  return update.bind(done).run();
}

}  // namespace

Result<void> SqliteLog::index_new_entries() {
  for (bool more = true; more;) {
    DRAGOMAN_CHECK(writer_.run(
        [&more](Transaction& transaction) { return index_slice(transaction.db(), more); }));
  }
  return {};
}

Result<std::vector<SearchHit>> SqliteLog::search(std::string_view words, std::size_t limit) {
  std::vector<SearchHit> hits;
  const std::string expression = match_expression(words);
  if (expression.empty()) return hits;
  DRAGOMAN_CHECK(index_new_entries());
  DRAGOMAN_CHECK(reading([&](Sqlite& db) -> Result<void> {
    DRAGOMAN_TRY(auto query,
                 db.query("SELECT s.name, e.first FROM words w JOIN entries e ON e.id=w.rowid JOIN "
                          "streams s ON s.id=e.stream WHERE words MATCH ? ORDER BY w.rowid DESC "
                          "LIMIT ?"));
    query.bind(expression).bind(static_cast<std::int64_t>(limit));
    for (;;) {
      DRAGOMAN_TRY(const bool row, query.step());
      if (!row) return {};
      hits.push_back({std::string(query.text(0)), query.number(1)});
    }
  }));
  return hits;
}

}  // namespace dragoman
