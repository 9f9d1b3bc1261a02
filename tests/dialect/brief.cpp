// SPDX-License-Identifier: Apache-2.0
#include "brief.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/dialect/text_reader.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/names.hpp"

namespace dragoman::test {
namespace {

std::string list(std::span<const std::string_view> items) {
  return items.empty() ? "" : fmt::format(" [{}]", fmt::join(items, " | "));
}

std::string number(const std::optional<Number>& n) {
  if (!n.has_value()) return "";
  return n->integral ? fmt::format(" {}", n->integer) : fmt::format(" {}", n->real);
}

std::string options(std::span<const Option> items) {
  std::string out;
  for (const Option& option : items) {
    out += fmt::format(
        "{}{}{}", out.empty() ? "" : "; ", option.label,
        option.description.data() == nullptr ? "" : fmt::format(" / {}", option.description));
  }
  return out;
}

std::string files(std::span<const FileChange> items) {
  std::string out;
  for (const FileChange& file : items) {
    out += fmt::format(" {}({})", file.path, name(file.action));
    if (file.from.data() != nullptr) out += fmt::format("<-{}", file.from);
    if (file.note.data() != nullptr) out += fmt::format("#{}", file.note);
  }
  return out;
}

struct Brief {
  std::string operator()(const DisplayText& t) const {
    return fmt::format("text '{}'", t.text.str());
  }
  std::string operator()(const CommandStarted& h) const {
    return fmt::format("header {} '{}'", h.command, h.title);
  }
  std::string operator()(const ToolStarted& t) const {
    return fmt::format("tool {} '{}'", t.tool, t.description);
  }
  std::string operator()(const ToolFinished& t) const {
    return fmt::format("tool_result {} {}{}", t.tool, name(t.outcome), number(t.duration_ms));
  }
  std::string operator()(const Status& s) const {
    return fmt::format("status {} '{}'{}", s.status, s.message.str(), number(s.progress));
  }
  std::string operator()(const Question& q) const {
    return fmt::format("question '{}' ({}){}", q.text, options(q.options), list(q.context));
  }
  std::string operator()(const Blocked& b) const {
    return fmt::format("blocked '{}'{}", b.reason, list(b.context));
  }
  std::string operator()(const FilesChanged& f) const {
    return fmt::format("files{}", files(f.files));
  }
  std::string operator()(const NextAction& n) const {
    return fmt::format("next {} {} {}", n.command, n.args, n.priority);
  }
  std::string operator()(const Failure& f) const {
    return fmt::format("failure {} {}", f.code, name(f.recoverable));
  }
  std::string operator()(const CompletionClaimed& c) const {
    return fmt::format("claim {}{}", c.by,
                       c.iterations.has_value() ? fmt::format(" {}", *c.iterations) : "");
  }
  std::string operator()(const ArtifactUpdated& a) const {
    return fmt::format("artifact {} {} {} {}", a.artifact, a.scope, a.name, a.path);
  }
  std::string operator()(const ServerReady& s) const { return fmt::format("server {}", s.url); }
  std::string operator()(const GoTo& g) const { return fmt::format("goto '{}'", g.step); }
  std::string operator()(const QuotedMarker& q) const { return fmt::format("quoted {}", q.reason); }
  std::string operator()(const Malformed& m) const { return fmt::format("malformed {}", m.reason); }
  std::string operator()(const Unknown& u) const {
    return fmt::format("unknown {} {}", u.type, u.raw.json);
  }
  std::string operator()(const Diagnostic& d) const {
    return fmt::format("{} {}", d.rule, name(d.level));
  }
  template <typename Other>
  std::string operator()(const Other& /*payload*/) const {
    return std::string(dragoman::name(Other::kKind));
  }
};

// Joins neighbouring text and keeps everything else as it comes.
class Collector final : public EventSink {
 public:
  explicit Collector(Reading& reading) : reading_(reading) {}

  void on_event(const Event& event) override {
    if (const auto* text = event.as<DisplayText>(); text != nullptr) {
      reading_.shown += text->text.str();
      if (run_.empty()) run_origin_ = event.origin;
      run_ += text->text.str();
      return;
    }
    flush();
    reading_.events.push_back(brief(event));
    reading_.json.push_back(to_json(event));
  }
  void on_record(const Record& record) override {
    EXPECT_EQ(record.offset, covered_) << "records tile the input";
    covered_ = record.offset + record.length;
  }
  void flush() {
    if (run_.empty()) return;
    Event event;
    event.payload = DisplayText{json::Text(run_), std::nullopt};
    event.origin = run_origin_;
    event.origin.length = run_.size();
    reading_.json.push_back(to_json(event));
    run_.clear();
  }
  [[nodiscard]] std::uint64_t covered() const { return covered_; }

 private:
  Reading& reading_;
  std::string run_;
  Origin run_origin_;
  std::uint64_t covered_ = 0;
};

}  // namespace

std::string brief(const Event& event) { return std::visit(Brief{}, event.payload); }

Reading read_with(Reader& reader, std::string_view input, const std::vector<std::size_t>& cuts) {
  Reading reading;
  Collector collector(reading);
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    reader.push(input.substr(from, cut - from), collector);
    from = cut;
  }
  reader.push(input.substr(from), collector);
  reader.finish(collector);
  collector.flush();
  EXPECT_EQ(collector.covered(), input.size()) << "records tile the input";
  return reading;
}

Reading read_text_cut(std::string_view input, const std::vector<std::size_t>& cuts, Mode mode) {
  ReaderOptions options;
  options.mode = mode;
  const auto reader = make_text_reader(Dialect::text, options);
  return read_with(*reader, input, cuts);
}

Reading read_text(std::string_view input, Mode mode) { return read_text_cut(input, {}, mode); }

}  // namespace dragoman::test
