// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/parse.hpp"

#include <algorithm>
#include <array>

#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/run/verdict.hpp"

namespace dragoman::web {

namespace {

constexpr std::uint64_t kMostEventsListed = 200'000;
constexpr std::size_t kMostBytes = std::size_t{96} << 20U;

class Collector final : public EventSink {
 public:
  void on_event(const Event& event) override {
    fold_.on_event(event);
    ++events_;
    if (listed_ >= kMostEventsListed || out_.size() > kMostBytes) return;
    if (listed_ > 0) out_.push_back(',');
    Event numbered = event;
    numbered.seq = ++listed_;
    append_json(out_, numbered);
  }
  [[nodiscard]] std::string& out() { return out_; }
  [[nodiscard]] RunSummary summary() const { return fold_.summary(); }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t listed() const { return listed_; }

 private:
  std::string out_ = "\"events\":[";
  RunFold fold_;
  std::uint64_t events_ = 0;
  std::uint64_t listed_ = 0;
};

struct Compression {
  std::string_view name;
  std::string_view begin;
};

constexpr std::array<Compression, 5> kCompressions = {{
    {"gzip", "\x1f\x8b\x08"},
    {"zstd", "\x28\xb5\x2f\xfd"},
    {"xz", std::string_view("\xfd"
                            "7zXZ\0",
                            6)},
    {"bzip2", "BZh91AY&SY"},
    {"zip", "PK\x03\x04"},
}};

}  // namespace

std::string_view compression_of(std::string_view bytes) {
  for (const auto& [name, begin] : kCompressions)
    if (bytes.starts_with(begin)) return name;
  return {};
}

std::string parsed_document(std::string_view capture, std::optional<Dialect> dialect) {
  Collector collector;
  const auto reader = dialect ? make_reader(*dialect) : make_detecting_reader();
  constexpr std::size_t kChunk = 64 * 1024;
  for (std::string_view rest = capture; !rest.empty();) {
    reader->push(rest.substr(0, kChunk), collector);
    rest.remove_prefix(std::min(rest.size(), kChunk));
  }
  reader->finish(collector);
  const RunSummary run = collector.summary();
  const Verdict verdict = judge(run, {});
  std::string out = std::move(collector.out());
  out.push_back(']');
  out.append(",\"dialect\":");
  json::append_string(out, name(reader->dialect()));
  out.append(",\"verdict\":");
  json::Writer w(out);
  w.begin_object().name("state").string(name(verdict.kind)).name("reasons").begin_array();
  for (const auto& reason : verdict.reasons()) w.string(reason);
  w.end_array().end_object();
  out.append(",\"stats\":");
  json::Writer stats(out);
  stats.begin_object();
  stats.name("bytes").count(capture.size());
  stats.name("lines").count(reader->lines());
  stats.name("events").count(collector.events());
  stats.name("listed").count(collector.listed());
  stats.name("malformed").count(run.malformed);
  stats.name("truncated_tail").boolean(run.truncated_tail);
  stats.end_object();
  return "{" + out + "}";
}

}  // namespace dragoman::web
