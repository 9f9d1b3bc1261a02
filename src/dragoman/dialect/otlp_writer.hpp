// SPDX-License-Identifier: Apache-2.0
// A run as OpenTelemetry spans: OTLP/JSON, as /v1/traces takes it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dialect/writer.hpp"

namespace dragoman {

// One span invoke_agent for the run, one execute_tool for each tool, names and attributes by the
// GenAI semantic conventions. Content (words, arguments, outputs) is left out, as those conventions
// want it by default. The document is written at the end.
//
// Ids are made from the events, so the same run gives the same trace. Times are those of the
// events; where an event has none, it comes one millisecond after the one before it, counted from
// 1970.
class OtlpWriter final : public Writer {
 public:
  Result<Written> write(const Event& event, std::string& out) override;
  void finish(std::string& out) override;

 private:
  struct Span {
    std::string id;
    std::string name;
    std::uint64_t start = 0;  // nanoseconds
    std::uint64_t end = 0;
    std::string attributes;  // JSON objects with commas between
    std::string events;
    std::string error;  // empty: it went well
    bool open = true;
  };

  std::uint64_t time_of(const Event& event);
  void start_tool(const ToolStarted& tool, std::uint64_t at);
  Written end_tool(const ToolFinished& tool, std::uint64_t at);
  void note_session(const SessionStarted& session);
  void note_usage(const Usage& usage, const Event& event);
  void note_turn(const TurnFinished& turn);
  void add_event(const Event& event, std::uint64_t at);
  static void put_span(std::string& out, const Span& span, std::string_view trace,
                       std::string_view parent);

  std::uint64_t count_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::string seed_;  // what the ids are made from
  std::string agent_ = "agent";
  std::string provider_;
  std::string session_;
  std::string model_;
  struct {
    bool known = false;
    std::int64_t input = 0;
    std::int64_t output = 0;
  } tokens_;
  std::string error_;
  std::string events_;
  std::vector<Span> tools_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
};

}  // namespace dragoman
