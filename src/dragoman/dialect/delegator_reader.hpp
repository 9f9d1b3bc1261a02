// SPDX-License-Identifier: Apache-2.0
// Answers of a Delegator server: one JSON document over several lines, or one on each line, also
// inside JSON-RPC answers and MCP tool results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/delegator_envelope.hpp"
#include "dragoman/dialect/delegator_result.hpp"
#include "dragoman/dialect/json_lines.hpp"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/json/object_scanner.hpp"

namespace dragoman {

// What a fold has to know beyond the fields of the kinds:
//
// status         `activity` is the category; task and status are of the task it is about.
// turn_finished  a task has ended; subtype is its state, text its summary, extra task_id.
// usage          scope run: everything the task used.
class DelegatorReader final : public Reader {
 public:
  explicit DelegatorReader(ReaderOptions options);

  void push(std::string_view chunk, EventSink& out) override;
  void finish(EventSink& out) override;
  [[nodiscard]] Dialect dialect() const override { return Dialect::delegator; }
  [[nodiscard]] std::uint64_t lines() const override { return splitter_.lines(); }

 private:
  using Value = json::Value;

  // Documents, delegator_reader.cpp
  void take(const Line& line, EventSink& out);
  void open_document(const Line& line, EventSink& out);
  void extend_document(const Line& line, EventSink& out);
  void close_document(bool complete, bool at_end, EventSink& out);
  void give_up_document(bool at_end, EventSink& out);
  void read_again(std::size_t from, EventSink& out);
  void give_up_on_size(EventSink& out);
  void read_document(const Line& line, EventSink& out);
  void read_envelope(const Line& line, std::string_view json, LineEvents& events);
  [[nodiscard]] bool read_progress(const DelegatorEnvelope& message, LineEvents& events);
  [[nodiscard]] std::optional<Number> percentage(std::optional<Number> value, LineEvents& events);
  [[nodiscard]] LineEvents events_of(const Line& line, EventSink& out) const;
  [[nodiscard]] std::string_view string(const Value& value) { return string_of(value, arena_); }

  // Events, delegator_events.cpp
  void emit_error(const DelegatorEnvelope& envelope, LineEvents& events);
  void emit_acknowledgment(const DelegatorEnvelope& envelope, LineEvents& events);
  void emit_snapshot(const DelegatorEnvelope& envelope, LineEvents& events);
  void emit_tasks(const Value& list, std::string_view state, LineEvents& events, bool& any);
  void note_states(const Value& list, Variants& variants);
  [[nodiscard]] std::string_view state_of(const DelegatorData& task, Variants& variants);
  void emit_result(const DelegatorEnvelope& envelope, DelegatorCategory category,
                   LineEvents& events);
  void emit_end(const DelegatorData& data, const DelegatorMetadata& metadata,
                std::string_view state, LineEvents& events);
  void emit_output(const Value& output, LineEvents& events);
  void emit_questions(const Value& list, LineEvents& events);
  void emit_registry(const DelegatorEnvelope& envelope, LineEvents& events);
  void emit_failed_task(const Failure& error, std::string_view state, const Value& duration_ms,
                        LineEvents& events);
  void emit_session(std::string_view thread, LineEvents& events);
  [[nodiscard]] Variants variants_of(const DelegatorEnvelope& envelope, DelegatorCategory& category,
                                     bool& failed);

  ReaderOptions options_;
  LineSplitter splitter_;
  Arena arena_;
  std::string document_;       // lines of a document that is not complete
  std::vector<bool> returns_;  // for each of them: whether a carriage return was taken off it
  json::ObjectScanner scanner_;
  Line document_line_;  // where it began; its content is not used
  bool open_ = false;
  std::string session_;
  std::int64_t blocks_ = 0;
};

}  // namespace dragoman
