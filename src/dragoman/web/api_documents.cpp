// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/base/ascii.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/run/one_line.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/web/api.hpp"
#include "dragoman/web/embedded.hpp"
#include "dragoman/web/parse.hpp"

namespace dragoman::web {

namespace {

constexpr std::size_t kCapture = std::size_t{64} << 20U;
constexpr std::size_t kMostHits = 100;
constexpr std::size_t kExcerpt = 240;
constexpr std::size_t kMostFound = 20'000;  // of which a talkative run may have thousands

// Who can be given a task, who gets one that names no agent, and what each may be allowed. Other
// agents need a command line, which the server does not take over the network.
void put_agents(json::Writer& w) {
  w.name("agents").begin_array();
  for (const std::string_view name : agent::agent_names({}, &agent::AgentRow::has_program))
    w.string(name);
  w.end_array();
  w.name("usual_agent").string(agent::kDelegatedAgent);
  w.name("modes").begin_object();
  for (const agent::AgentRow& row : agent::agents()) {
    if (!row.has_program()) continue;
    w.key(row.name).begin_array();
    for (const agent::Mode& mode : row.modes) {
      if (mode.word == agent::kPreview) continue;  // the task would not be done
      w.begin_object().name("value").string(mode.word).name("words").string(mode.shown);
      w.end_object();
    }
    w.end_array();
  }
  w.end_object();
}

Result<http::Response> show_info(Api& api, const Call& /*call*/) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.name("version").string(DRAGOMAN_VERSION);
  w.name("name").string(api.options.name);
  w.name("features").begin_array();
  for (const auto& feature : api.options.features) w.string(feature);
  w.end_array();
  put_agents(w);
  w.name("demo").boolean(api.options.demo);
  w.end_object();
  return json_response(200, std::move(out));
}

http::Response show_openapi(const Call& /*call*/) {
  for (const EmbeddedFile& file : embedded_web()) {
    if (file.name != "openapi.json") continue;
    http::Response response = json_response(200, {});
    response.lasting = file.bytes;
    return response;
  }
  return error_response(404, "not_found", "the document is not part of this program");
}

Result<http::Response> parse_capture(Api& /*api*/, const Call& call) {
  const std::string asked = call.request->parameter("dialect").value_or("auto");
  std::optional<Dialect> dialect;
  if (asked != "auto") {
    dialect = dialect_named(asked);
    if (!dialect) return Error{ErrorCode::validation, "dialect: no such dialect", "dialect"};
  }
  if (const auto compression = compression_of(call.request->body); !compression.empty()) {
    return error_response(
        415, "compressed",
        fmt::format("the capture is compressed ({}): unpack it first", compression));
  }
  return json_response(200, parsed_document(call.request->body, dialect));
}

// All strings of a line of JSON, as one line of text.
void add_text(json::Cursor& cursor, std::string& out) {
  switch (cursor.peek()) {
    case json::Kind::string:
      out.append(cursor.take().text().str()).push_back(' ');
      return;
    case json::Kind::object: {
      std::string_view key;
      for (json::Members members(cursor); members.next(key);) {
        const bool about = key == "origin" || key == "ts" || key == "kind";
        about ? (void)cursor.skip() : add_text(cursor, out);
      }
      return;
    }
    case json::Kind::array:
      for (json::Elements elements(cursor); elements.next();) add_text(cursor, out);
      return;
    default:
      (void)cursor.skip();
  }
}

std::string first_word(std::string_view words) {
  const std::size_t begin = words.find_first_not_of(" \"");
  if (begin == std::string_view::npos) return {};
  return ascii::lowered(words.substr(begin, words.find_first_of(" \"", begin) - begin));
}

struct Excerpt {
  std::uint64_t seq = 0;
  std::string text;
};

// The first entry from `seq` on that has the word, cut around it.
Excerpt excerpt_of(Log& log, const SearchHit& hit, const std::string& word) {
  const auto entries = log.read(hit.stream, hit.seq, 1024);
  if (!entries) return {hit.seq, {}};
  for (const auto& entry : *entries) {
    std::string text;
    json::Cursor cursor(entry.body);
    if (entry.body.starts_with('{')) add_text(cursor, text);
    text = one_line(text.empty() ? entry.body : text);
    const std::size_t at = ascii::lowered(text).find(word);
    if (at == std::string::npos) continue;
    const std::size_t from = at < kExcerpt / 3 ? 0 : at - kExcerpt / 3;
    std::string_view cut = utf8::tail(text, text.size() - from);
    cut = utf8::head(cut, kExcerpt);
    return {entry.seq, (from > 0 ? "…" : "") + std::string(cut)};
  }
  return {hit.seq, {}};
}

struct Found {
  std::string id;
  SearchHit hit;
};

// Of each run one hit, an event if there is one: a link can lead to it. The order stays.
std::vector<Found> one_of_each_run(const std::vector<SearchHit>& hits) {
  std::vector<Found> found;
  std::map<std::string, std::size_t> places;
  for (const auto& hit : hits) {
    const std::size_t slash = hit.stream.find('/');
    const std::string id = hit.stream.substr(std::min(hit.stream.size(), slash + 1));
    if (!is_run_id(id) && !is_task_id(id)) continue;
    const auto [place, fresh] = places.try_emplace(id, found.size());
    const std::string events = task::event_stream(id);
    if (fresh) {
      found.push_back({id, hit});
    } else if (Found& known = found[place->second];
               known.hit.stream != events && hit.stream == events) {
      known.hit = hit;
    }
  }
  return found;
}

Result<http::Response> search(Api& api, const Call& call) {
  const std::string words = call.request->parameter("q").value_or("");
  DRAGOMAN_TRY(const auto asked, number_in(*call.request, "limit", 20));
  const std::size_t limit = std::clamp<std::size_t>(asked, 1, kMostHits);
  DRAGOMAN_TRY(const auto hits, api.service.log().search(words, kMostFound));
  DRAGOMAN_TRY(const auto open, open_questions(api));
  std::string out;
  json::Writer w(out);
  w.begin_object().name("hits").begin_array();
  std::size_t shown = 0;
  for (const auto& [id, hit] : one_of_each_run(hits)) {
    if (shown >= limit) break;
    DRAGOMAN_TRY(const auto task, task::find_task(api.service.log(), id));
    if (!task) continue;
    ++shown;
    const Excerpt excerpt = excerpt_of(api.service.log(), hit, first_word(words));
    const bool is_event = hit.stream == task::event_stream(id);
    w.begin_object().name("run");
    put_run(w, view_of(api, *task, open));
    w.name("seq");
    if (is_event) {
      w.count(excerpt.seq);
    } else {
      w.null();
    }
    w.name("excerpt").string(excerpt.text);
    w.end_object();
  }
  w.end_array().end_object();
  return json_response(200, std::move(out));
}

}  // namespace

std::vector<RouteSpec> document_routes(Api& api) {
  return {
      {"GET", "/api/v1/info", "getInfo", handling(api, show_info)},
      {"GET", "/api/v1/openapi.json", "getDescription", answering(show_openapi), Access::token,
       http::RunsIn::loop},
      {"GET", "/api/v1/search", "search", handling(api, search)},
      {"POST", "/api/v1/parse", "parseCapture", handling(api, parse_capture), Access::token,
       http::RunsIn::pool, kCapture, BodyType::any},
  };
}

}  // namespace dragoman::web
