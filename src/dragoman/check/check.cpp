// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/check.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/check/document_rules.hpp"
#include "dragoman/check/empty_blocks.hpp"
#include "dragoman/check/empty_texts.hpp"
#include "dragoman/check/envelope_rules.hpp"
#include "dragoman/check/file_entries.hpp"
#include "dragoman/check/json_rules.hpp"
#include "dragoman/check/malformed.hpp"
#include "dragoman/check/rules.hpp"
#include "dragoman/check/source.hpp"
#include "dragoman/dialect/codex_line.hpp"
#include "dragoman/dialect/line_value.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman::check {
namespace {

constexpr std::size_t kShown = 60;  // characters of what an agent wrote
constexpr std::string_view kTwoIds = "'id' is there twice";

bool reads_json_lines(Dialect dialect) {
  return dialect == Dialect::claude || dialect == Dialect::codex || dialect == Dialect::delegator;
}

// The reader is never strict here: it would stop at the first fault of a marker.
ReaderOptions reader_options(const CheckOptions& options) {
  ReaderOptions reader;
  if (options.mode == Mode::compat) reader.mode = Mode::compat;
  reader.every_remark = options.mode != Mode::compat;
  reader.line_cap = options.line_cap;
  return reader;
}

std::unique_ptr<Reader> reader_for(const CheckOptions& options) {
  return options.from.has_value() ? make_reader(*options.from, reader_options(options))
                                  : make_detecting_reader(reader_options(options));
}

// The JSON of the comment marker that `text` begins with; what comes behind the marker is left.
std::string_view payload_in(std::string_view text) {
  const std::size_t begin = text.find_first_of("{[");
  if (!text.starts_with("<!--") || begin == std::string_view::npos) return {};
  json::Cursor cursor(text.substr(begin));
  return cursor.skip().raw;
}

// The schema of the payload of the comment marker that `text` begins with.
std::string schema_of(std::string_view text) {
  constexpr std::string_view kOpener = "<!-- WXCODE:";
  if (!text.starts_with(kOpener)) return "claude/question/v1";
  text.remove_prefix(kOpener.size());
  return fmt::format("wxcode/1.0.0/{}", text.substr(0, text.find(':')));
}

// What would make a quoted marker count, where that is not what the rule says.
std::string_view hint_for(const QuotedMarker& quoted) {
  return quoted.reason == "subagent"
             ? "let the main agent say it if it was meant: a subagent's words have no effect"
             : "";
}

// The beginning of the marker that `text` starts with, on one line and short enough to be read.
std::string head_of(std::string_view text) {
  constexpr std::size_t kLookedAt = 8 * kShown;  // bytes: a text may be one long line of faults
  constexpr std::string_view kEnd = "-->";
  text = utf8::head(text, kLookedAt);
  text = trimmed(text.substr(0, text.find('\n')));
  const std::size_t end = text.starts_with("<!--") ? text.find(kEnd) : std::string_view::npos;
  if (end != std::string_view::npos) text = text.substr(0, end + kEnd.size());
  return shortened(text, kShown);
}

}  // namespace

class Checker::Body final : public EventSink {
 public:
  Body(const CheckOptions& options, Report report)
      : mode_(options.mode),
        report_(std::move(report)),
        reader_(reader_for(options)),
        document_([this](std::string_view rule, const Origin& origin, std::string_view message) {
          // The HEADER of a header_gap may stand in an earlier text. Its title says which it is.
          const bool now = rule != "header_gap";
          tell(rule, std::nullopt, origin, now ? with_head(message, origin) : std::string(message));
        }) {}

  void push(std::string_view chunk) {
    source_.append(chunk);
    reader_->push(chunk, *this);
    source_.release(covered_);
  }

  [[nodiscard]] const Reader& reader() const { return *reader_; }

  void finish() {
    reader_->finish(*this);
    settle_marker();
    document_.finish();
  }

  void on_record(const Record& record) override {
    settle_marker();
    covered_ = record.offset + record.length;
    if (reads_json_lines(reader_->dialect())) look_at_line(record);
  }

  void on_carried_text(std::string_view text) override { carried_ = text; }

  void on_event(const Event& event) override {
    if (event.kind() != Kind::diagnostic) settle_marker();
    document_.event(event);
    if (const auto* diagnostic = event.as<Diagnostic>(); diagnostic != nullptr) {
      marker_.clean = false;
      if (told_by_full_look(event.origin, diagnostic->rule)) return;
      tell(diagnostic->rule, diagnostic->level, place_of(event.origin, *diagnostic),
           with_head(diagnostic->message, event.origin));
    } else if (const auto* malformed = event.as<Malformed>(); malformed != nullptr) {
      if (told_by_full_look(event.origin, *malformed)) return;
      tell("malformed", std::nullopt, event.origin, with_head(message_of(*malformed), event.origin),
           hint_for(*malformed, event.origin.dialect));
    } else if (const auto* quoted = event.as<QuotedMarker>(); quoted != nullptr) {
      tell("quoted_marker", std::nullopt, event.origin,
           fmt::format("{}: {}", quoted->reason, shortened(on_one_line(quoted->raw), kShown)),
           hint_for(*quoted));
    } else if (const auto* oversize = event.as<Oversize>(); oversize != nullptr) {
      tell("oversize", std::nullopt, event.origin,
           fmt::format("a line of {} bytes", oversize->bytes));
    } else if (const auto* unknown = event.as<Unknown>(); unknown != nullptr) {
      const bool wxcode = event.origin.dialect == Dialect::wxcode;
      tell("unknown", wxcode ? Level::warning : Level::info, event.origin,
           unknown->type.empty()
               ? std::string("an object that says no type")
               : fmt::format("type '{}' is not known", shortened(unknown->type, kShown)));
    } else {
      look_at_marker(event);
    }
  }

 private:
  // The last good comment marker. Its payload is held against its schema once it is clear that no
  // other rule has found fault with it.
  struct Marker {
    bool waiting = false;
    bool clean = true;
    Origin origin;
    std::string schema;
    std::string payload;    // a copy: a carried text is gone when the next event comes
    std::size_t shift = 0;  // from the marker's begin to its payload
  };

  // Of a JSON line the full look names every doubled key and every number out of range.
  static bool told_by_full_look(const Origin& origin, std::string_view rule) {
    return reads_json_lines(origin.dialect) && (rule == "duplicate_key" || rule == "number_range");
  }

  // A reader says only that the line is broken; the full look has said where.
  [[nodiscard]] bool told_by_full_look(const Origin& origin, const Malformed& malformed) const {
    return reads_json_lines(origin.dialect) && malformed.reason == "bad_json" &&
           bad_line_ == origin.offset;
  }

  // The markers of a text that a JSON line carries have the place of the line. What they begin with
  // tells them apart. Only for the event at hand: the text is gone when the next one begins.
  [[nodiscard]] std::string with_head(std::string_view message, const Origin& origin) const {
    if (!origin.at.has_value() || *origin.at >= carried_.size()) return std::string(message);
    return fmt::format("{}: {}", message, head_of(carried_.substr(*origin.at)));
  }

  // Readers give the findings about a block the place of its marker; a file has a line of its own.
  Origin place_of(const Origin& origin, const Diagnostic& diagnostic) {
    if (diagnostic.rule != "file_entry" || origin.via.has_value()) return origin;
    return entries_.find(source_.at(origin.offset, origin.length), origin, diagnostic.message);
  }

  static bool is_comment(const Event& event) {
    if (event.kind() == Kind::text) return false;
    return event.origin.dialect == Dialect::wxcode || event.kind() == Kind::question;
  }

  // Where the event was read: in the file, or in the text that a JSON line carries.
  [[nodiscard]] std::string_view text_of(const Origin& origin) const {
    if (!origin.via.has_value()) return source_.at(origin.offset, origin.length);
    if (!origin.at.has_value() || *origin.at >= carried_.size()) return {};
    return carried_.substr(static_cast<std::size_t>(*origin.at));
  }

  void keep_marker(const Event& event, bool clean) {
    const std::string_view text = text_of(event.origin);
    const std::string_view payload = payload_in(text);
    if (payload.empty()) return;
    marker_ = {true,
               clean,
               event.origin,
               schema_of(text),
               std::string(payload),
               static_cast<std::size_t>(payload.data() - text.data())};
    marker_.origin.parent = {};  // not ours to keep
  }

  [[nodiscard]] std::optional<EmptyBlock> look_below(const Event& event) const {
    const bool has_list = event.kind() == Kind::question || event.kind() == Kind::files_changed;
    return has_list ? empty_block(event, text_of(event.origin)) : std::nullopt;
  }

  void look_at_marker(const Event& event) {
    const std::string empty = empty_texts(event);
    if (is_comment(event)) keep_marker(event, empty.empty());
    if (const auto block = look_below(event)) {
      tell(block->rule, block->level, event.origin, with_head(block->message, event.origin),
           block->hint);
    }
    if (empty.empty()) return;
    tell("missing_field", std::nullopt, event.origin,
         with_head("required and empty: " + empty, event.origin),
         hint_for_empty_text(event.origin.dialect));
  }

  void settle_marker() {
    if (!marker_.waiting) return;
    marker_.waiting = false;
    if (!marker_.clean) return;
    json_.against_schema(marker_.payload, marker_.schema, [this](const JsonFault& fault) {
      if (marker_.origin.via.has_value()) {
        tell_carried(fault, *marker_.origin.at + marker_.shift, marker_.origin);
      } else {
        tell_json(fault, marker_.origin.offset + marker_.shift, marker_.origin.line);
      }
    });
  }

  void look_at_line(const Record& record) {
    std::string_view line = source_.at(record.offset, record.length);
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    // An envelope may be spread over lines; the reader counts them up to the last.
    std::uint64_t first = reader_->lines();
    first -= static_cast<std::uint64_t>(std::ranges::count(line, '\n'));
    const std::size_t lead = std::min(line.find_first_not_of(" \t\r\n"), line.size());
    first += static_cast<std::uint64_t>(std::ranges::count(line.substr(0, lead), '\n'));
    line.remove_prefix(lead);
    json::Cursor cursor(line);
    if (line.empty() || line[0] != '{') return;
    cursor.skip();
    if (!cursor.finish()) return;  // the reader reports it
    const std::string_view search =
        reader_->dialect() == Dialect::codex ? item_with_two_ids(line) : std::string_view();
    const auto tell_at = [&](const JsonFault& fault) {
      const bool in_search = !search.empty() && line.data() + fault.offset >= search.data() &&
                             line.data() + fault.offset < search.data() + search.size();
      if (in_search && fault.rule == "duplicate_key" && fault.message == kTwoIds) return;
      const auto before = line.substr(0, static_cast<std::size_t>(fault.offset));
      const auto breaks = static_cast<std::uint64_t>(std::ranges::count(before, '\n'));
      if (fault.rule == "malformed") bad_line_ = record.offset;
      tell_json(fault, record.offset + lead, first + breaks);
    };
    json_.full_look(line, tell_at);
    if (reader_->dialect() != Dialect::delegator) return;
    Origin origin;
    origin.offset = record.offset + lead;
    origin.line = first;
    look_at_envelope(line, json_, tell_at,
                     [&](const JsonFault& fault) { tell_carried(fault, 0, origin); });
  }

  // In a decoded text, which stands `base` bytes behind the begin of what the line carries.
  void tell_carried(const JsonFault& fault, std::uint64_t base, Origin origin) {
    origin.at = base + fault.offset;
    tell(fault.rule, std::nullopt, origin, fault.message, fault.hint);
  }

  void tell_json(const JsonFault& fault, std::uint64_t base, std::uint64_t line) {
    Origin origin;
    origin.offset = base + fault.offset;
    origin.line = line;
    tell(fault.rule, std::nullopt, origin, fault.message, fault.hint);
  }

  void tell(std::string_view id, std::optional<Level> said, const Origin& origin,
            std::string_view message, std::string_view hint = {}) {
    const Rule* rule = find_rule(id);
    Finding finding;
    finding.line = origin.line;
    finding.column = source_.column(origin.offset);
    finding.offset = origin.offset;
    finding.length = origin.length;
    finding.at = origin.at;
    finding.rule = id;
    utf8::append_repaired(finding.message, message);  // it may quote the agent
    finding.level = said.value_or(rule != nullptr ? rule->level : Level::warning);
    if (rule != nullptr) {
      finding.level = level_in(mode_, *rule, finding.level);
      finding.hint = hint.empty() ? rule->hint : hint;
    }
    report_(finding);
  }

  Mode mode_;
  Report report_;
  std::unique_ptr<Reader> reader_;
  DocumentRules document_;
  JsonRules json_;
  Source source_;
  FileEntries entries_;
  std::string_view carried_;  // what a JSON line says, while its events come
  std::uint64_t covered_ = 0;
  std::optional<std::uint64_t> bad_line_;  // the last one that the full look found to be no JSON
  Marker marker_;
};

Checker::Checker(const CheckOptions& options, Report report)
    : body_(std::make_unique<Body>(options, std::move(report))) {}
Checker::~Checker() = default;

void Checker::push(std::string_view chunk) { body_->push(chunk); }
void Checker::finish() { body_->finish(); }

Dialect Checker::dialect() const { return body_->reader().dialect(); }
std::uint64_t Checker::lines() const { return body_->reader().lines(); }

}  // namespace dragoman::check
