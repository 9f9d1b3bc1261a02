// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/delegator_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/delegator_strict.hpp"

namespace dragoman {
namespace {

struct ProgressNotice {
  json::Value token;
  json::Value progress;
  json::Value total;
  json::Value message;
};
constexpr FieldTable kProgressNotice({
    Slot<ProgressNotice>{"progressToken", &ProgressNotice::token},
    {"progress", &ProgressNotice::progress},
    {"total", &ProgressNotice::total},
    {"message", &ProgressNotice::message},
});

}  // namespace

DelegatorReader::DelegatorReader(ReaderOptions options)
    : options_(std::move(options)), splitter_(options_.line_cap) {}

void DelegatorReader::push(std::string_view chunk, EventSink& out) {
  splitter_.feed(chunk);
  while (const Line* line = splitter_.next()) take(*line, out);
}

void DelegatorReader::finish(EventSink& out) {
  if (const Line* line = splitter_.finish()) take(*line, out);
  if (open_) give_up_document(true, out);
  if (open_) close_document(false, true, out);
}

LineEvents DelegatorReader::events_of(const Line& line, EventSink& out) const {
  Origin origin;
  origin.dialect = Dialect::delegator;
  origin.stream = options_.stream;
  origin.offset = line.offset;
  origin.length = line.length;
  origin.line = line.number;
  origin.channel = Channel::system;
  return {out, origin, options_.mode == Mode::strict ? Level::error : Level::warning};
}

void DelegatorReader::take(const Line& line, EventSink& out) {
  if (open_) {
    if (!line.oversize) {
      extend_document(line, out);
      return;
    }
    give_up_document(false, out);
    if (open_) close_document(false, false, out);
  }
  const std::size_t start = line.content.find_first_not_of(" \t\r\n");
  if (!line.oversize && start != std::string_view::npos && line.content[start] == '{') {
    open_document(line, out);
    return;
  }
  out.on_record({line.offset, line.length});
  LineEvents events = events_of(line, out);
  if (line.bom) events.form_finding("bom", "the stream begins with a byte order mark");
  if (line.oversize) {
    events.emit(Oversize{line.bytes, line.head, line.tail}, Channel::system);
  } else if (start != std::string_view::npos) {
    events.emit(DisplayText{json::Text(line.content), std::nullopt}, Channel::noise);
    events.finding("noise", Level::info, "a line that is no JSON", Channel::noise);
  }
}

void DelegatorReader::open_document(const Line& line, EventSink& out) {
  document_.clear();
  returns_.clear();
  document_line_ = line;
  document_line_.length = 0;
  scanner_.start(json::ObjectScanner::Newlines::allowed);
  open_ = true;
  extend_document(line, out);
}

void DelegatorReader::extend_document(const Line& line, EventSink& out) {
  document_line_.length += line.length;
  document_line_.terminated = line.terminated;
  std::string_view content = line.content;
  returns_.push_back(line.length > content.size() + (line.terminated ? 1 : 0));
  if (document_.empty()) content.remove_prefix(content.find('{'));
  document_.append(content).push_back('\n');
  switch (scanner_.feed(document_)) {
    case json::ObjectScanner::State::complete:
      if (ascii::is_blank(std::string_view(document_).substr(scanner_.position()))) {
        close_document(true, !line.terminated, out);
      } else {
        give_up_document(!line.terminated, out);
      }
      break;
    case json::ObjectScanner::State::failed:
      // A number that is too large for us is still JSON; the cursor decides about the rest.
      if (scanner_.fault() == json::Fault::number_range) {
        close_document(false, !line.terminated, out);
      } else {
        give_up_document(!line.terminated, out);
      }
      break;
    case json::ObjectScanner::State::needs_more:
      if (document_.size() > options_.line_cap) give_up_on_size(out);
      break;
  }
}

void DelegatorReader::give_up_on_size(EventSink& out) {
  open_ = false;
  out.on_record({document_line_.offset, document_line_.length});
  LineEvents events = events_of(document_line_, out);
  events.emit(Oversize{document_.size(), utf8::head(document_, kOversizeEnds),
                       utf8::tail(document_, kOversizeEnds)},
              Channel::system);
  document_ = {};
}

// A broken document may be one that was cut, with good ones behind it: a line of it that begins in
// the first column like a document is read as one.
void DelegatorReader::give_up_document(bool at_end, EventSink& out) {
  const std::size_t before = document_.find("\n{");
  if (before == std::string::npos) {
    close_document(false, at_end, out);
  } else {
    read_again(before + 1, out);
  }
}

// This time every such line begins a document. So only the last one can still be open afterwards,
// it is the first one if that breaks too, and no byte is read again more than twice.
void DelegatorReader::read_again(std::size_t from, EventSink& out) {
  const std::string text = std::exchange(document_, {});
  const std::vector<bool> returns = std::exchange(returns_, {});
  const bool terminated = document_line_.terminated;
  const auto lines_before =
      static_cast<std::size_t>(std::ranges::count(std::string_view(text).substr(0, from), '\n'));
  auto with_return = returns.begin() + static_cast<std::ptrdiff_t>(lines_before);
  const auto returns_behind =
      static_cast<std::size_t>(std::count(with_return, returns.end(), true));
  document_ = text.substr(0, from);
  document_line_.length -= text.size() - from + returns_behind - (terminated ? 0 : 1);
  Line line;
  line.offset = document_line_.offset + document_line_.length;
  line.number = document_line_.number + lines_before;
  close_document(false, false, out);
  while (from < text.size()) {
    const std::size_t end = text.find('\n', from);
    line.content = std::string_view(text).substr(from, end - from);
    from = end + 1;
    line.terminated = terminated || from < text.size();
    line.length = line.content.size() + (*with_return++ ? 1 : 0) + (line.terminated ? 1 : 0);
    if (open_ && line.content.starts_with('{')) close_document(false, false, out);
    take(line, out);
    line.offset += line.length;
    ++line.number;
  }
}

// `complete` documents are good; of the others the cursor says what is wrong, if anything is.
void DelegatorReader::close_document(bool complete, bool at_end, EventSink& out) {
  open_ = false;
  Line line = document_line_;
  if (!document_.empty()) document_.pop_back();  // the newline we put there
  line.content = document_;
  line.terminated = complete || !at_end;
  read_document(line, out);
}

void DelegatorReader::read_document(const Line& line, EventSink& out) {
  arena_.reset();
  out.on_record({line.offset, line.length});
  LineEvents events = events_of(line, out);
  if (line.bom) events.form_finding("bom", "the stream begins with a byte order mark");
  json::Cursor cursor(line.content, json::Cursor::Scalars::exact);
  DelegatorEnvelope envelope;
  read_delegator_envelope(cursor, envelope);
  if (!cursor.finish()) {
    JsonLines::report_fault(line, cursor, events, arena_);
    return;
  }
  events.string_findings(cursor);
  if (envelope.duplicate_key) {
    events.form_finding("duplicate_key", "the last of two equal keys wins");
  }
  const bool strict = options_.mode == Mode::strict;
  if (is_delegator_schema_id(string(envelope.schema_id)) ||
      (strict ? means_to_be_envelope(envelope) : is_short_timeout(envelope))) {
    read_envelope(line, line.content, events);
    return;
  }
  const std::string_view inner = wrapped_envelope(envelope, arena_);
  if (!inner.empty()) {
    read_envelope(line, inner, events);
  } else if (!read_progress(envelope, events)) {
    std::string_view type = string(envelope.method);
    if (type.data() == nullptr) type = string(envelope.schema_id);
    events.emit(Unknown{type, Raw{line.content}}, Channel::system);
  }
}

void DelegatorReader::read_envelope(const Line& line, std::string_view json, LineEvents& events) {
  DelegatorEnvelope envelope;
  json::Cursor cursor(json);
  read_delegator_envelope(cursor, envelope);
  DelegatorCategory category = DelegatorCategory::unknown;
  bool failed = false;
  const Variants variants = variants_of(envelope, category, failed);
  if (options_.mode == Mode::strict) {
    const std::optional<Finding> fault = variants.all().empty()
                                             ? delegator_fault(json, envelope, arena_)
                                             : Finding{"delegator_variant", variants.all().front()};
    if (fault.has_value()) {
      events.emit(
          Malformed{line.content, fault->rule, fault->message, string(envelope.tool_category)},
          Channel::system);
      return;
    }
  }
  for (const std::string_view note : variants.all()) {
    events.form_finding("delegator_variant", note);
  }
  if (failed) {
    emit_error(envelope, events);
    return;
  }
  switch (category) {
    case DelegatorCategory::execution_ack:
      return emit_acknowledgment(envelope, events);
    case DelegatorCategory::status_snapshot:
      return emit_snapshot(envelope, events);
    case DelegatorCategory::wait_result:
    case DelegatorCategory::result_set:
      return emit_result(envelope, category, events);
    case DelegatorCategory::registry_info:
      return emit_registry(envelope, events);
    case DelegatorCategory::error:
      return emit_error(envelope, events);
    case DelegatorCategory::unknown:
      events.emit(Unknown{string(envelope.schema_id), Raw{json}}, Channel::system);
  }
}

bool DelegatorReader::read_progress(const DelegatorEnvelope& message, LineEvents& events) {
  if (message.method.raw != R"("notifications/progress")") return false;
  ProgressNotice progress;
  if (message.params.is(json::Kind::object))
    read_object(message.params.raw, kProgressNotice, progress);
  NumberReader numbers(events);
  Status status;
  status.activity = "progress";
  // A token is a string or a number.
  const bool counted = progress.token.is(json::Kind::number);
  status.task = counted ? progress.token.raw : string(progress.token);
  status.message = text_of(progress.message);
  std::optional<Number> done = numbers.number(progress.progress);
  const std::optional<double> total = numbers.real(progress.total);
  if (done.has_value() && total.value_or(0) > 0 && *total != 100) {
    done = Number::of(done->real * 100 / *total);
  }
  status.progress = percentage(done, events);
  events.emit(status, Channel::system);
  return true;
}

// Nobody knows what a number outside the range means, so it is only reported.
std::optional<Number> DelegatorReader::percentage(std::optional<Number> value, LineEvents& events) {
  if (!value.has_value() || (value->real >= 0 && value->real <= 100)) return value;
  events.form_finding("progress_range",
                      arena_.copy(fmt::format("progress {} is outside 0..100", value->real)));
  return std::nullopt;
}

}  // namespace dragoman
