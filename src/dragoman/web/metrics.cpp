// SPDX-License-Identifier: Apache-2.0
// The numbers of a server in Prometheus' text format. No ids in labels: their number has no bound.
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include <fmt/format.h>

#include "dragoman/web/app.hpp"

namespace dragoman::web {

namespace {

class Exposition {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    text_ += fmt::format("# HELP dragoman_{0} {1}\n# TYPE dragoman_{0} {2}\n", name, help, type);
  }
  void sample(std::string_view name, std::string_view labels, double value) {
    text_ += fmt::format("dragoman_{}{} {}\n", name, labels, value);
  }
  void single(std::string_view name, std::string_view type, std::string_view help, double value) {
    family(name, type, help);
    sample(name, "", value);
  }
  [[nodiscard]] std::string& text() { return text_; }

 private:
  std::string text_;
};

double number(std::uint64_t value) { return static_cast<double>(value); }

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void add_server(Exposition& page, const http::ServerStatistics& server) {
  page.single("http_connections", "gauge", "Connections that are open.",
              number(server.connections));
  page.single("http_connections_total", "counter", "Connections accepted.",
              number(server.accepted));
  page.single("http_requests_total", "counter", "Requests read.", number(server.requests));
  page.single("http_refused_total", "counter", "Heads that were broken, too large or too slow.",
              number(server.refused));
  page.single("http_displaced_total", "counter", "Connections cut to make room for others.",
              number(server.displaced));
  page.single("http_sent_bytes_total", "counter", "Bytes sent.", number(server.bytes_sent));
  page.single("http_streams", "gauge", "Event streams that are open.", number(server.streams));
}

void add_totals(Exposition& page, const Totals& totals) {
  page.family("tokens_total", "counter", "Tokens of runs that have ended.");
  page.sample("tokens_total", "{type=\"input\"}", static_cast<double>(totals.tokens.input));
  page.sample("tokens_total", "{type=\"cached_input\"}", static_cast<double>(totals.tokens.cached));
  page.sample("tokens_total", "{type=\"output\"}", static_cast<double>(totals.tokens.output));
  page.family("task_duration_seconds", "histogram", "How long runs took that have ended.");
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < Totals::kBuckets.size(); ++i) {
    below += totals.durations.at(i);
    page.sample("task_duration_seconds_bucket",
                fmt::format("{{le=\"{}\"}}", Totals::kBuckets.at(i)), number(below));
  }
  page.sample("task_duration_seconds_bucket", "{le=\"+Inf\"}", number(totals.duration_count));
  page.sample("task_duration_seconds_sum", "", totals.duration_seconds);
  page.sample("task_duration_seconds_count", "", number(totals.duration_count));
}

}  // namespace

http::Response App::metrics() {
  Exposition page;
  page.family("build_info", "gauge", "The program.");
  page.sample("build_info", "{version=\"" DRAGOMAN_VERSION "\"}", 1);
  page.family("tasks", "gauge", "Tasks in the store by state.");
  for (const char* const state :
       {"queued", "working", "completed", "failed", "cancelled", "timeout"}) {
    const auto count =
        service_.log().count({.bucket = std::string(task::kTasks), .states = {state}});
    page.sample("tasks", fmt::format("{{state=\"{}\"}}", state), count ? number(*count) : 0);
  }
  const auto open = service_.log().count({.bucket = "questions", .states = {"open"}});
  page.single("questions_open", "gauge", "Questions that wait for an answer.",
              open ? number(*open) : 0);
  add_totals(page, feed_.totals());
  const FeedStatistics feed = feed_.statistics();
  page.single("sse_clients", "gauge", "Readers of event streams.", number(feed.clients));
  page.single("sse_events_total", "counter", "Events read for streams.", number(feed.events));
  page.single("sse_resyncs_total", "counter", "Readers that were told to start anew.",
              number(feed.resyncs));
  if (const http::Server* const server = server_) add_server(page, server->statistics());
  page.single("process_resident_memory_bytes", "gauge", "Resident memory.", resident_bytes());
  page.single("process_cpu_seconds_total", "counter", "Processor time used.", cpu_seconds());
  return {
      200,
      {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}, {"Cache-Control", "no-store"}},
      std::move(page.text())};
}

}  // namespace dragoman::web
