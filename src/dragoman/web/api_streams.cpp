// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "dragoman/web/api.hpp"

namespace dragoman::web {

namespace {

// Last-Event-ID says what was got; `from` what is wanted first. A browser sends the header when it
// connects again to the same address, so the header is the newer word.
Feed::Start start_of(const http::Request& request, Feed::Start otherwise) {
  const auto id = request.fields.find("Last-Event-ID");
  const auto from = request.parameter("from");
  if (!id && !from) return otherwise;
  const std::string text(id ? *id : *from);
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || text.empty())
    return {Feed::Start::Kind::unknown, 0};
  if (!id) number = number == 0 ? 0 : number - 1;
  return {Feed::Start::Kind::number, number};
}

http::Response stream_head() {
  return {200,
          {{"Content-Type", "text/event-stream"},
           {"Cache-Control", "no-store"},
           {"X-Accel-Buffering", "no"}},
          {}};
}

void follow_run(Api& api, const Call& call, http::Reply reply) {
  const auto task = api.service.get(call.parts[0]);
  if (!task) return reply.send(error_response(task.error()));
  const auto start = start_of(*call.request, {Feed::Start::Kind::number, 0});
  const auto stream = reply.stream(stream_head());
  if (stream == nullptr) return;
  // Says at once that it lives, and how soon to come back when it does not.
  stream->write(std::string("retry: 1000\n\n"));
  api.feed.follow_run(task->id, start, stream);
}

void follow_overview(Api& api, const Call& call, http::Reply reply) {
  const auto start = start_of(*call.request, {Feed::Start::Kind::now, 0});
  const auto stream = reply.stream(stream_head());
  if (stream == nullptr) return;
  stream->write(std::string("retry: 1000\n\n"));
  api.feed.follow_overview(start, stream);
}

}  // namespace

std::vector<RouteSpec> stream_routes(Api& api) {
  return {
      {"GET", "/api/v1/runs/{id}/stream", "streamRun",
       [&api](Call call, http::Reply reply) { follow_run(api, call, std::move(reply)); }},
      {"GET", "/api/v1/stream", "streamOverview",
       [&api](Call call, http::Reply reply) { follow_overview(api, call, std::move(reply)); },
       Access::token, http::RunsIn::loop},
  };
}

}  // namespace dragoman::web
