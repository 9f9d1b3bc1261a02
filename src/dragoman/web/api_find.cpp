// SPDX-License-Identifier: Apache-2.0
// Where one run says something: the events, in their order. Unlike the search over all runs, which
// knows words, this reads the run itself: parts of words and signs are found too.
#include <algorithm>

#include "dragoman/base/ascii.hpp"
#include "dragoman/web/api.hpp"
#include "dragoman/web/find_words.hpp"

namespace dragoman::web {

namespace {

constexpr std::size_t kMostPlaces = 1000;
constexpr std::size_t kLongestWords = 1000;
constexpr std::size_t kEntriesAtOnce = 512;
constexpr std::size_t kMostLookedAt = std::size_t{32} << 20U;  // bytes, for one request

struct Place {
  std::uint64_t seq = 0;
  std::size_t times = 0;
};

struct Places {
  std::vector<Place> hits;
  std::uint64_t last = 0;  // everything up to this event was looked at
  bool more = false;       // and there are others behind it
};

Result<Places> places_of(Log& log, const std::string& stream, const std::string& words,
                         std::uint64_t from, std::size_t limit) {
  Places places;
  places.last = from - 1;
  for (std::size_t looked_at = 0;;) {
    DRAGOMAN_TRY(const auto entries, log.read(stream, places.last + 1, kEntriesAtOnce));
    if (entries.empty()) return places;
    for (const auto& entry : entries) {
      if (places.hits.size() >= limit || looked_at >= kMostLookedAt) {
        places.more = true;
        return places;
      }
      looked_at += entry.body.size();
      places.last = entry.seq;
      const std::size_t times = times_said(entry.body, words);
      if (times > 0) places.hits.push_back({entry.seq, times});
    }
  }
}

}  // namespace

Result<http::Response> find_in_run(Api& api, const Call& call) {
  DRAGOMAN_TRY(const auto task, api.service.get(call.parts[0]));
  const std::string words = ascii::lowered(call.request->parameter("q").value_or(""));
  if (words.empty() || words.size() > kLongestWords)
    return Error{ErrorCode::validation, "q: 1 to 1000 bytes are looked for", "q"};
  DRAGOMAN_TRY(const auto from, number_in(*call.request, "from", 1));
  DRAGOMAN_TRY(const auto limit, number_in(*call.request, "limit", kMostPlaces));
  DRAGOMAN_TRY(const auto places, places_of(api.service.log(), task::event_stream(task.id), words,
                                            std::max<std::uint64_t>(from, 1),
                                            std::clamp<std::size_t>(limit, 1, kMostPlaces)));
  std::string out;
  json::Writer w(out);
  w.begin_object().name("hits").begin_array();
  for (const auto& place : places.hits)
    w.begin_object().name("seq").count(place.seq).name("times").count(place.times).end_object();
  w.end_array();
  w.name("last").count(places.last);
  w.name("more").boolean(places.more);
  w.end_object();
  return json_response(200, std::move(out));
}

}  // namespace dragoman::web
